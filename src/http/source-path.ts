/** Reads the source from paths such as `/v1/schema/{source}`. */
import { quoted, Rejection } from '../terms/errors.ts';
import { checkSource } from '../names/source.ts';

/** `['', 'v1', 'schema', source, ..]` */
const SOURCE_SEGMENT = 3;

/**
 * The source in the request's path, percent-decoded once as strict UTF-8, so that every valid name can be written: a
 * slash is `%2F`. Reads the raw URL, because routers decode in their own ways. The route must have the segment.
 * Throws `Rejection` INVALID_PARAMETER.
 */
export function sourceInPath(request: Request): string {
  return sourceFrom(pathOf(request.url).split('/')[SOURCE_SEGMENT] ?? '');
}

/**
 * The same for a source at the end of the path, which may also have plain slashes. An empty part is rejected: it is
 * probably an empty variable of a script. Throws `Rejection` INVALID_PARAMETER.
 */
export function sourceToEnd(request: Request): string {
  const parts = pathOf(request.url).split('/').slice(SOURCE_SEGMENT);
  if (parts.length > 1 && parts.includes(''))
    throw new Rejection(
      'INVALID_PARAMETER',
      'The source in the address has an empty part; write a slash as %2F',
    );
  return sourceFrom(parts.join('/'));
}

/** The raw path of an absolute URL. */
const pathOf = (url: string): string => /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '';

function sourceFrom(raw: string): string {
  try {
    return checkSource(decoded(raw), 'The source in the address');
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new Rejection('INVALID_PARAMETER', error.message);
  }
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Rejection(
      'INVALID_PARAMETER',
      `The source in the address must be percent-encoded UTF-8, not ${quoted(raw)}`,
    );
  }
}
