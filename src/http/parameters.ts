/** Query parameters. Unknown ones are ignored; a wrong value of a known one is INVALID_PARAMETER. */
import { type AlertKind, isAlertId } from '../alerts/ids.ts';
import { quoted, Rejection } from '../errors.ts';
import { instantOf } from '../intake/instant.ts';
import { isRequestId } from '../intake/request-id.ts';
import { checkSource } from '../intake/source.ts';
import { MAX_INTEGER } from '../options/options.ts';

export interface IntegerRange<Fallback = number> {
  min: number;
  max: number;
  /** Value without the parameter. */
  fallback: Fallback;
}

/** An integer in plain digits from `min` to `max`. Throws `Rejection` INVALID_PARAMETER, also for an empty or repeated parameter. */
export function queryInteger<Fallback>(
  request: Request,
  name: string,
  { min, max, fallback }: IntegerRange<Fallback>,
): number | Fallback {
  const given = queryText(request, name);
  if (given === undefined) return fallback;
  const value = Number(given);
  if (!/^\d{1,15}$/.test(given) || value < min || value > max)
    throw invalid(`${name} must be a whole number from ${min} to ${max}, not ${quoted(given)}`);
  return value;
}

/** The range of `if_version`. */
export const VERSIONS = { min: 0, max: MAX_INTEGER, fallback: undefined };

/** The query parameter `if_version`: the only version that a change applies to; undefined: any version. Throws `Rejection` INVALID_PARAMETER. */
export const ifVersionIn = (request: Request): number | undefined =>
  queryInteger(request, 'if_version', VERSIONS);

/** The name of a source. Throws `Rejection` INVALID_PARAMETER. */
export function querySource(request: Request, name: string): string | undefined {
  const given = queryText(request, name);
  if (given === undefined) return undefined;
  try {
    return checkSource(given, name);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw invalid(error.message);
  }
}

/** The id of a job, which need not exist. Throws `Rejection` INVALID_PARAMETER if it does not have the format of an id. */
export function queryJobId(request: Request, name: string): string | undefined {
  const given = queryText(request, name);
  if (given === undefined || isRequestId(given)) return given;
  throw invalid(`${name} must be a job id, req_ and 26 letters and digits, not ${quoted(given)}`);
}

/** One of the words. Throws `Rejection` INVALID_PARAMETER. */
export function queryWord<Word extends string>(
  request: Request,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const given = queryText(request, name);
  const word = words.find(each => each === given);
  if (given === undefined || word !== undefined) return word;
  throw invalid(`${name} must be one of ${words.join(', ')}, not ${quoted(given)}`);
}

/** A date-time of RFC 3339, in ms. Throws `Rejection` INVALID_PARAMETER. */
export function queryTime(request: Request, name: string): number | undefined {
  const given = queryText(request, name);
  if (given === undefined) return undefined;
  // A plus sign that is not encoded arrives as a space.
  const time = instantOf(given.replace(' ', '+'));
  if (time !== null) return time;
  throw invalid(
    `${name} must be a date and time with its zone, such as 2026-11-21T00:00:00Z, not ${quoted(given)}`,
  );
}

/** The id of an alert channel, a delivery or an incident, which need not exist. Throws `Rejection` INVALID_PARAMETER if it does not have the format of one. */
export function queryAlertId(request: Request, name: string, kind: AlertKind): string | undefined {
  const given = queryText(request, name);
  if (given === undefined || isAlertId(kind, given)) return given;
  throw invalid(`${name} must be an id, ${kind}_ and 26 letters and digits, not ${quoted(given)}`);
}

/**
 * The parameter's text; undefined without it. A plus sign is a space, as in forms. Throws `Rejection` INVALID_PARAMETER if
 * it is repeated or is not percent-encoded UTF-8.
 */
export function queryText(request: Request, name: string): string | undefined {
  const values = rawValues(request.url, name);
  if (values.length > 1) throw invalid(`${name} is given ${values.length} times; give it once`);
  return values[0] === undefined ? undefined : decoded(name, values[0]);
}

function rawValues(url: string, name: string): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return (
    query
      .split('&')
      // The & keeps the question mark of a name like `?limit`, which is a different name.
      .filter(pair => new URLSearchParams(`&${pair}`).has(name))
      .map(pair => pair.slice(pair.indexOf('=') + 1 || pair.length))
  );
}

function decoded(name: string, raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    throw invalid(`${name} must be percent-encoded UTF-8, not ${quoted(raw)}`);
  }
}

const invalid = (message: string) => new Rejection('INVALID_PARAMETER', message);
