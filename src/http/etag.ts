/** Whether a client has already what it asks for (RFC 9110, sections 8.8.3 and 13.1.2). */

/** Whether `If-None-Match` has the tag, quotes included; a proxy may have made it a weak one. */
export const hasTag = (asked: Headers, etag: string): boolean =>
  (asked.get('if-none-match') ?? '').split(',').some(each => ['*', etag, `W/${etag}`].includes(each.trim()));
