/** Security headers of every response. They keep browsers from rendering or running a response that is not a page. */

const NOT_A_PAGE = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Skips pages, which have a policy of their own. */
export function addHeaders(headers: Headers): void {
  if (headers.has('Content-Security-Policy')) return;
  for (const name in NOT_A_PAGE) headers.set(name, NOT_A_PAGE[name as keyof typeof NOT_A_PAGE]);
}
