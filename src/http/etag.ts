/** Conditional requests (RFC 9110, sections 8.8.3 and 13.1.2). */

/** Whether `If-None-Match` contains the tag, with its quotes. A proxy may have made it a weak tag. */
export const hasTag = (headers: Headers, etag: string): boolean =>
  (headers.get('if-none-match') ?? '')
    .split(',')
    .some(each => ['*', etag, `W/${etag}`].includes(each.trim()));
