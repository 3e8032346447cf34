/** Headers of every answer. A browser that is led to one that is no page shows nothing in it as one, and runs nothing in it. */

const NO_PAGE = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** `id`: by which the log knows the request. Pages come with a policy of their own. */
export function addHeaders(headers: Headers, id: string): void {
  headers.set('X-Request-Id', id);
  if (headers.has('Content-Security-Policy')) return;
  for (const name in NO_PAGE) headers.set(name, NO_PAGE[name as keyof typeof NO_PAGE]);
}
