/** The text that the first start prints: the API key, a command that screens a batch, and where to see it. */

const BATCH = JSON.stringify({
  source: 'orders',
  rows: [
    { order_id: 'ORD-001', amount: 99.5, email: 'a@corp.com' },
    { order_id: 'ORD-002', amount: 'broken', email: null },
  ],
});

/** Wildcard addresses: clients need a concrete one. */
const CLIENT_HOSTS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** URL of the server for a client on this machine. */
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

/** The command has its own line, so that it is easy to select. Quoted for any POSIX shell. */
export function firstSteps(key: string, url: string): string {
  return [
    '',
    'Your API key, shown only now (only its hash is stored):',
    key,
    '',
    'Screen your first batch:',
    `curl -sS -X POST '${url}/v1/screen' -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${BATCH}'`,
    '',
    `See it in the dashboard: ${url} (sign in with your e-mail address; without a mail server the code is printed here)`,
    '',
  ].join('\n');
}
