/** Conditional requests (RFC 9110, sections 8.8.3 and 13.1.2). */

/** Whether `If-None-Match` contains the tag, with its quotes. A proxy may have made it a weak tag. */
export const hasTag = (request: Headers, etag: string): boolean =>
  (request.get('if-none-match') ?? '')
    .split(',')
    .some(each => ['*', etag, `W/${etag}`].includes(each.trim()));
