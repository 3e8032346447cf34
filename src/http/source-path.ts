/** The source that an address names: `/v1/schema/{source}` and what lies below it. */
import { quoted, Rejection } from '../errors.ts';
import { checkSource } from '../intake/source.ts';

/** `['', 'v1', 'schema', source, ..]` */
const SOURCE_SEGMENT = 3;

/**
 * The source in the request's address, percent-decoded once as strict UTF-8, so that every name a screening accepts
 * can be spelled: a slash is `%2F`. Read from the raw address, for a router decodes as it likes. The route must have
 * the segment. Throws `Rejection` INVALID_PARAMETER.
 */
export function sourceInPath(request: Request): string {
  return sourceFrom(pathOf(request.url).split('/')[SOURCE_SEGMENT] ?? '');
}

/** The same for a source that ends the address, and may have plain slashes. */
export function sourceToEnd(request: Request): string {
  return sourceFrom(pathOf(request.url).split('/').slice(SOURCE_SEGMENT).join('/'));
}

/** The raw path of an absolute address. */
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
