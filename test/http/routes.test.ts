import { describe, expect, test } from 'bun:test';
import { Service } from './service.ts';

const { app } = new Service();
const ask = (method: string, path: string) => app.handle(new Request(`http://localhost${path}`, { method }));

describe('GET /v1/health', () => {
  test('needs no key', async () => {
    const response = await ask('GET', '/v1/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok', version: '1.0.0' });
  });

  test('answers HEAD without a body', async () => {
    const response = await ask('HEAD', '/v1/health');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  test('works with a host name of one letter', async () => {
    expect((await app.handle(new Request('http://x/v1/health'))).status).toBe(200);
  });
});

describe('an unsupported method', () => {
  test.each([
    ['GET', '/v1/screen', 'POST, OPTIONS'],
    ['PUT', '/v1/screen', 'POST, OPTIONS'],
    ['DELETE', '/v1/health', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/v1/health', 'GET, HEAD, OPTIONS'],
  ])('%s %s is a 405 that names those it has', async (method, path, allow) => {
    const response = await ask(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toEqual({ message: expect.any(String), code: 'METHOD_NOT_ALLOWED' });
  });

  test('OPTIONS lists the methods without an error', async () => {
    const response = await ask('OPTIONS', '/v1/screen');
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });
});

describe('an unknown address', () => {
  test.each([
    '/index.html',
    '/assets',
    '/assets/',
    '/assets/..%2findex.html',
    '/assets/__proto__',
    '/v1',
    '/v1/screens',
    '/V1/health',
    '/%zz',
    '/%ff',
    '//',
    '/v1/health/../x',
    '/__proto__',
  ])('%s is a 404 in the shape of every error', async path => {
    const response = await ask('GET', path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ message: expect.any(String), code: 'NOT_FOUND' });
  });

  test('with a malformed query gives the same response', async () => {
    expect((await ask('GET', '/v1/health?%zz&=&__proto__[x]=1')).status).toBe(200);
  });
});

describe('any posted body', () => {
  test.each(['/v1/health', '/nowhere', '/v1/screen'])('to %s is rejected with our own error', async path => {
    const headers = { 'Content-Type': 'application/json', Cookie: '%zz=%zz' };
    const response = await app.handle(
      new Request(`http://localhost${path}`, { method: 'POST', body: '{bad', headers }),
    );
    expect(response.status).toBeLessThan(500);
    expect(Object.keys((await response.json()) as object).sort()).toEqual(['code', 'message']);
  });
});
