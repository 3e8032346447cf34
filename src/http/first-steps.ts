/** What the first start prints: the key, which is shown this once, and a request that works when it is pasted. */

const BATCH = JSON.stringify({
  source: 'orders',
  rows: [
    { order_id: 'ORD-001', amount: 99.5, email: 'a@corp.com' },
    { order_id: 'ORD-002', amount: 'broken', email: null },
  ],
});

/** Addresses that mean all of a machine's; a client has to name one. */
const CLIENT_HOSTS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where a client on this machine reaches the server. */
export function urlOf({
  hostname,
  port,
}: {
  hostname?: string | undefined;
  port?: number | undefined;
}): string {
  const host = CLIENT_HOSTS[hostname ?? ''] ?? hostname ?? 'localhost';
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The command stands alone on its line, so that nothing else is marked with it. It quotes for any POSIX shell. */
export function firstSteps(key: string, url: string): string {
  return [
    '',
    'Your API key, shown only now (its hash is all that is kept):',
    key,
    '',
    'Screen your first batch:',
    `curl -sS -X POST '${url}/v1/screen' -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${BATCH}'`,
    '',
    '',
  ].join('\n');
}
