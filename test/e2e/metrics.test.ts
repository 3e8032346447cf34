/** The figures of the real program, on a port of their own and on the port of everybody. */
import { describe, expect, test } from 'bun:test';
import { familiesOf, sumOf } from '../metrics/exposition.ts';
import { eventually } from '../servers/process.ts';
import { newFolder, run, Server } from './server.ts';

const BATCH = JSON.stringify({ source: 'metrics', rows: [{ id: 1 }] });
const TOKEN = 'a-token-of-some-length';

const scrape = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers, keepalive: false });
  expect(response.status).toBe(200);
  return familiesOf(await response.text());
};

async function metricsUrl(server: Server): Promise<string> {
  const [, url] = await server.prints(/"metricsUrl":"([^"]+)"/);
  return url!;
}

describe('a port of its own', () => {
  test('has the figures, and the port of everybody has not', async () => {
    await using server = await Server.start({ METRICS_PORT: '0' });
    const url = await metricsUrl(server);
    await server.post(BATCH);
    await eventually(async () => expect(sumOf(await scrape(url), 'sluice_rows_total')).toBe(1));
    const found = await scrape(url);
    expect(sumOf(found, 'sluice_store_seconds_count', { store: 'jobs', operation: 'complete' })).toBe(1);
    expect(sumOf(found, 'sluice_engines_lent')).toBe(0);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    expect((await fetch(url.replace('/metrics', '/other'))).status).toBe(404);
    expect(await server.kill('SIGTERM')).toBe(0);
  });

  test('asks for the token where there is one', async () => {
    await using server = await Server.start({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN });
    const url = await metricsUrl(server);
    const answer = await fetch(url);
    const headers = [
      'www-authenticate',
      'cache-control',
      'content-security-policy',
      'x-content-type-options',
    ];
    expect([answer.status, ...headers.map(name => answer.headers.get(name))]).toEqual([
      401,
      'Bearer',
      'no-store',
      "default-src 'none'; frame-ancestors 'none'",
      'nosniff',
    ]);
    expect((await scrape(url, { Authorization: `Bearer ${TOKEN}` })).size).toBeGreaterThan(20);
  });

  test('that is taken is one line and exit 1', async () => {
    await using server = await Server.start({ METRICS_PORT: '0' });
    const taken = new URL(await metricsUrl(server)).port;
    const { code, stderr } = await run({ METRICS_PORT: taken, DATA_DIR: newFolder() });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*METRICS_PORT \d+[^\n]*\n$/);
  });
});
