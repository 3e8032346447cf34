import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { inlineHashes } from '../../src/http/page-headers.ts';
import { parseHead } from '../../src/http/wire/head.ts';
import { WireRequest } from '../../src/http/wire/request.ts';
import { Service } from './service.ts';

const { app } = new Service();
const ask = (path: string, init: RequestInit = {}) =>
  Promise.resolve(app.handle(new Request(`http://localhost${path}`, init)));

describe('GET /openapi.json', () => {
  test('needs no key, and is the same each time', async () => {
    const [first, second] = await Promise.all([ask('/openapi.json'), ask('/openapi.json')]);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await first.text()).toBe(await second.text());
  });
});

test('the documents are loaded at the first request', async () => {
  const program = `
    const { Service } = await import(${JSON.stringify(join(import.meta.dir, 'service.ts'))});
    const { app } = new Service();
    const loaded = () => Object.keys(require.cache).some(path => path.includes('@elysiajs/openapi'));
    await app.handle(new Request('http://localhost/v1/health'));
    const before = loaded();
    await app.handle(new Request('http://localhost/openapi.json'));
    console.log(JSON.stringify([before, loaded()]));`;
  const embedded = { ...process.env, TEST_REDIS_URL: '', TEST_POSTGRES_URL: '' };
  const options = { cwd: import.meta.dir, env: embedded, stderr: 'inherit' } as const;
  const child = Bun.spawn([process.execPath, '-e', program], options);
  expect(await new Response(child.stdout).json()).toEqual([false, true]);
});

describe('GET /docs', () => {
  test('answers HEAD, and no other method', async () => {
    expect((await ask('/docs', { method: 'HEAD' })).status).toBe(200);
    for (const path of ['/docs', '/openapi.json', '/docs/swagger-ui.css'])
      expect((await ask(path, { method: 'POST' })).status).toBe(405);
  });

  test('is a page that may load our files and run its own script, and cannot be in a frame', async () => {
    const response = await ask('/docs');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const [script, ...others] = inlineHashes(await response.text(), 'script');
    expect(others).toEqual([]);
    const policy = response.headers.get('content-security-policy')!.split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'self' ${script}`);
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('refers to no other host', async () => {
    const html = await (await ask('/docs')).text();
    const named = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
    expect(named.length).toBeGreaterThan(2);
    for (const address of named) expect((await ask(address)).status).toBe(200);
    expect(html).not.toMatch(/https?:\/\//);
  });

  test('with a trailing slash redirects to the page without it', async () => {
    const response = await ask('/docs/');
    expect([response.status, response.headers.get('location')]).toEqual([308, '/docs']);
  });
});

describe('GET /docs/{file}', () => {
  test.each([
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 1_000_000],
    ['swagger-ui.css', 'text/css; charset=utf-8', 100_000],
    ['favicon-32x32.png', 'image/png', 100],
  ])('%s is a file of %s', async (name, type, leastBytes) => {
    const response = await ask(`/docs/${name}`);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.bytes()).length).toBeGreaterThan(leastBytes);
  });

  test('is a 304 for a client that has it', async () => {
    const etag = (await ask('/docs/swagger-ui.css')).headers.get('etag')!;
    const again = await ask('/docs/swagger-ui.css', { headers: { 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const weak = await ask('/docs/swagger-ui.css', { headers: { 'If-None-Match': `"other", W/${etag}` } });
    expect(weak.status).toBe(304);
    const other = await ask('/docs/swagger-ui.css', { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).toBe(200);
  });

  test.each(['index.html', 'package.json', 'swagger-ui.js', '..%2fpackage.json', 'constructor', '%ff'])(
    '%s is a 404: only what the page needs is there',
    async name => {
      const response = await ask(`/docs/${name}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
    },
  );
});

test('eight of the large documents may be unread at once; the next answer waits until one has left', async () => {
  const unread = new Service();
  const requests = Array.from({ length: 9 }, () => {
    const head = parseHead('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a');
    return new WireRequest(head, null, { remoteAddress: '127.0.0.1' });
  });
  const statuses: number[] = [];
  const answers = requests.map(async request => {
    const { status } = await unread.app.handle(request as unknown as Request);
    statuses.push(status);
  });
  await Promise.all(answers.slice(0, 8));
  await Bun.sleep(20);
  expect(statuses).toEqual(Array(8).fill(200));
  requests[0]!.sent();
  await answers[8];
  expect(statuses).toHaveLength(9);
  for (const request of requests) request.sent();
});
