/** GET /metrics on the port of everybody. */
import { describe, expect, test } from 'bun:test';
import { Service } from './service.ts';

const TOKEN = 'a-token-of-some-length';
const text = async () => '# HELP a b\n# TYPE a gauge\na 1\n';
const scrape = (
  metricsEndpoint: { token: string; text: () => Promise<string> } | null,
  headers: Record<string, string> = {},
) => new Service({ metricsEndpoint }).app.handle(new Request('http://localhost/metrics', { headers }));

test('answers a caller with the token', async () => {
  const answer = await scrape({ token: TOKEN, text }, { Authorization: `Bearer ${TOKEN}` });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.text()).toBe(await text());
});

describe('is rejected', () => {
  test.each([
    ['nothing', {}],
    ['another token', { Authorization: `Bearer ${TOKEN}x` }],
    ['its begin', { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['another scheme', { Authorization: `Basic ${TOKEN}` }],
    ['an API key', { 'X-API-Key': TOKEN }],
  ])('to %s', async (_, headers: Record<string, string>) => {
    const answer = await scrape({ token: TOKEN, text }, headers);
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'AUTH_INVALID' }]);
  });
});

test('is not found without a configured token', async () => {
  const answer = await scrape(null, { Authorization: 'Bearer ' });
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
});
