/** Headers of every answer. A browser that is led to one that is no page shows nothing in it as one, and runs nothing in it. */

const NO_PAGE = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** A page comes with a policy of its own. */
export function addHeaders(headers: Headers): void {
  if (headers.has('Content-Security-Policy')) return;
  for (const name in NO_PAGE) headers.set(name, NO_PAGE[name as keyof typeof NO_PAGE]);
}
