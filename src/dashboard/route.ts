/**
 * Addresses of the pages. They are in the fragment, after `#`: the server has only one page, reloads and links work, and names of
 * any length and any characters are allowed.
 */
import { type Verdict, VERDICTS } from '../terms/verdict.ts';

export type Route =
  | { page: 'overview'; days: number }
  /** `query`: see `source-list.ts`. */
  | { page: 'sources'; query: string }
  /** `field`: whose statistics are shown first; `show`: what is scrolled to. */
  | { page: 'source'; source: string; field?: string; show?: 'settings' }
  | ({ page: 'jobs' } & JobFilter)
  | { page: 'job'; id: string }
  | { page: 'try'; source: string | null }
  | { page: 'alerts' }
  | { page: 'keys' }
  | { page: 'billing' }
  | { page: 'unknown' };

export interface JobFilter {
  source: string | null;
  status: Verdict | null;
  /** Days in the reader's time zone, `YYYY-MM-DD`; both are included. */
  from: string | null;
  to: string | null;
}

export const RANGES = [7, 30, 90, 365];
const DEFAULT_DAYS = 30;

/** The page of a `location.hash`; `unknown` if there is none. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = cut(hash.replace(/^#/, ''), '?');
  const [place = '', name] = cut(path.replace(/^\//, ''), '/');
  const parameters = new URLSearchParams(query);
  if (name !== undefined) return namedRoute(place, decoded(name), parameters);
  switch (place) {
    case '':
      return { page: 'overview', days: daysIn(parameters) };
    case 'sources':
      return { page: 'sources', query };
    case 'alerts':
    case 'keys':
    case 'billing':
      return { page: place };
    case 'try':
      return { page: 'try', source: parameters.get('source') };
    case 'jobs':
      return {
        page: 'jobs',
        source: parameters.get('source'),
        status: verdictIn(parameters),
        from: dayIn(parameters, 'from'),
        to: dayIn(parameters, 'to'),
      };
    default:
      return { page: 'unknown' };
  }
}

/** Impossible names: in the path of a request they would not be a segment of their own. */
const INVALID_NAMES: readonly (string | null)[] = [null, '', '.', '..'];

function namedRoute(place: string, name: string | null, parameters: URLSearchParams): Route {
  if (name === null || INVALID_NAMES.includes(name)) return { page: 'unknown' };
  if (place === 'sources') {
    const field = parameters.get('field');
    const isShown = parameters.get('show') === 'settings';
    return {
      page: 'source',
      source: name,
      ...(field !== null && { field }),
      ...(isShown && { show: 'settings' }),
    };
  }
  if (place === 'jobs') return { page: 'job', id: name };
  return { page: 'unknown' };
}

/** The address of a page; the inverse of `routeOf`. */
export function addressOf(route: Route): string {
  switch (route.page) {
    case 'overview':
      return `#/${queryOf({ days: route.days === DEFAULT_DAYS ? null : String(route.days) })}`;
    case 'sources':
      return `#/sources${route.query && `?${route.query}`}`;
    case 'source':
      return `#/sources/${encoded(route.source)}${queryOf({ field: route.field ?? null, show: route.show ?? null })}`;
    case 'job':
      return `#/jobs/${encoded(route.id)}`;
    case 'jobs':
      return `#/jobs${queryOf({ from: route.from, to: route.to, source: route.source, status: route.status })}`;
    case 'try':
      return `#/try${queryOf({ source: route.source })}`;
    case 'unknown':
      return '#/nowhere';
    default:
      return `#/${route.page}`;
  }
}

export const overview = (days = DEFAULT_DAYS): Route => ({ page: 'overview', days });
export const sources = (query = ''): Route => ({ page: 'sources', query });
export const jobsOf = (source: string | null, filter: Partial<JobFilter> = {}): Route => ({
  page: 'jobs',
  status: null,
  from: null,
  to: null,
  ...filter,
  source,
});

/** A name as one segment of a path. Replaces unpaired surrogates, which addresses cannot encode. */
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

/** `verdict`: the name in version 1.0. */
function verdictIn(parameters: URLSearchParams): Verdict | null {
  const verdict = parameters.get('status') ?? parameters.get('verdict');
  return VERDICTS.find(known => known === verdict) ?? null;
}

/** Null for a day that does not exist. */
function dayIn(parameters: URLSearchParams, name: string): string | null {
  const day = parameters.get(name) ?? '';
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return isDay && new Date(day).toISOString().startsWith(day) ? day : null;
}

function queryOf(parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null);
  const query = given.map(([name, value]) => `${name}=${encoded(value!)}`).join('&');
  return query === '' ? '' : `?${query}`;
}

/** The parts before and after the first separator; one part if there is none. */
function cut(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
