/**
 * Which page an address names. The pages live behind the `#`: the server has one page and nothing to decide, a reload or
 * a link finds its way, and no name is too long or too odd for a path on the way to it.
 */
import { VERDICTS } from '../client/verdict.ts';

export type Route =
  | { page: 'overview'; days: number }
  | { page: 'sources' }
  | { page: 'source'; source: string }
  | { page: 'jobs'; source: string | null; verdict: string | null }
  | { page: 'job'; id: string }
  | { page: 'try'; source: string | null }
  | { page: 'keys' }
  | { page: 'billing' }
  | { page: 'unknown' };

export const RANGES = [7, 30, 90, 365];
const DEFAULT_DAYS = 30;

/** The page behind a `location.hash`; `unknown` for what no link of ours leads to. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = cut(hash.replace(/^#/, ''), '?');
  const [place = '', name] = cut(path.replace(/^\//, ''), '/');
  const parameters = new URLSearchParams(query);
  if (name !== undefined) return namedRoute(place, decoded(name));
  switch (place) {
    case '':
      return { page: 'overview', days: daysIn(parameters) };
    case 'sources':
    case 'keys':
    case 'billing':
      return { page: place };
    case 'try':
      return { page: 'try', source: parameters.get('source') };
    case 'jobs':
      return { page: 'jobs', source: parameters.get('source'), verdict: verdictIn(parameters) };
    default:
      return { page: 'unknown' };
  }
}

/** Nothing is called so: in the path of a request it would be no segment, and lead to something else. */
const NO_NAMES: readonly (string | null)[] = [null, '', '.', '..'];

/** But for these a name may hold anything. */
function namedRoute(place: string, name: string | null): Route {
  if (name === null || NO_NAMES.includes(name)) return { page: 'unknown' };
  if (place === 'sources') return { page: 'source', source: name };
  if (place === 'jobs') return { page: 'job', id: name };
  return { page: 'unknown' };
}

/** The address that leads to a page: `routeOf` of it is that page. */
export function addressOf(route: Route): string {
  switch (route.page) {
    case 'overview':
      return `#/${queryOf({ days: route.days === DEFAULT_DAYS ? null : String(route.days) })}`;
    case 'source':
      return `#/sources/${encoded(route.source)}`;
    case 'job':
      return `#/jobs/${encoded(route.id)}`;
    case 'jobs':
      return `#/jobs${queryOf({ source: route.source, verdict: route.verdict })}`;
    case 'try':
      return `#/try${queryOf({ source: route.source })}`;
    case 'unknown':
      return '#/nowhere';
    default:
      return `#/${route.page}`;
  }
}

export const overview = (days = DEFAULT_DAYS): Route => ({ page: 'overview', days });
export const jobsOf = (source: string | null, verdict: string | null = null): Route => ({
  page: 'jobs',
  source,
  verdict,
});

/** A source's name as one segment of a path: an unpaired half of a character, which no address can spell, is replaced. */
export const encoded = (name: string): string => encodeURIComponent(name.toWellFormed());

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function daysIn(parameters: URLSearchParams): number {
  const days = Number(parameters.get('days'));
  return RANGES.includes(days) ? days : DEFAULT_DAYS;
}

function verdictIn(parameters: URLSearchParams): string | null {
  const verdict = parameters.get('verdict');
  return VERDICTS.find(known => known === verdict) ?? null;
}

function queryOf(parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null);
  const query = given.map(([name, value]) => `${name}=${encoded(value!)}`).join('&');
  return query === '' ? '' : `?${query}`;
}

/** What stands before the first separator and behind it; one part when there is none. */
function cut(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
