/** The dashboard's page and assets as they are sent. */
import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { preferredCoding } from '../../src/http/dashboard.ts';
import { Service } from './service.ts';

const { app } = new Service();
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.handle(new Request(`http://localhost${path}`, { method, headers }));

const page = await (await ask('/')).text();
const assets = [...page.matchAll(/"\.(\/assets\/[^"]+)"/g)].map(([, path]) => path!);

/** Bytes that a browser loads before it shows anything, compressed. */
const MOST_BYTES = 150_000;

describe('the page', () => {
  test('refers to script, style and icon by content hash, and has nothing inline', () => {
    expect(assets.map(path => /-([0-9a-z]+)\.(js|css|svg)$/.exec(path)?.[2]).sort()).toEqual([
      'css',
      'js',
      'svg',
    ]);
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=|javascript:|https?:/i);
  });

  test('is revalidated each time with a 304 if unchanged', async () => {
    const first = await ask('/');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const etag = first.headers.get('etag')!;
    const again = await ask('/', { 'If-None-Match': `"other", W/${etag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask('/', { 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

describe('page and assets', () => {
  test.each(['/', ...assets])('%s may load only our own files', async path => {
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy')!.split('; ');
    expect(policy).toContain("default-src 'none'");
    for (const kind of ['script', 'style', 'img', 'connect']) expect(policy).toContain(`${kind}-src 'self'`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.join()).not.toMatch(/unsafe|\*|data:|https?:|nonce/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  test.each(['/', ...assets])('%s has the same bytes in every coding', async path => {
    const plain = await ask(path);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('vary')).toBe('Accept-Encoding');
    const bytes = Buffer.from(await plain.arrayBuffer());
    for (const [coding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const coded = await ask(path, { 'Accept-Encoding': coding });
      expect(coded.headers.get('content-encoding')).toBe(coding);
      expect(coded.headers.get('etag')).not.toBe(plain.headers.get('etag'));
      expect(decompress(Buffer.from(await coded.arrayBuffer())).equals(bytes)).toBe(true);
    }
  });

  test('are small in total', async () => {
    const sizes = ['/', ...assets].map(
      async path => (await (await ask(path, { 'Accept-Encoding': 'gzip' })).arrayBuffer()).byteLength,
    );
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(MOST_BYTES);
  });

  test.each(['/', assets[0]!])('%s answers HEAD like GET, without the body', async path => {
    const [head, get] = await Promise.all([ask(path, {}, 'HEAD'), ask(path)]);
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  });

  test('answer other methods with the supported ones', async () => {
    for (const path of ['/', assets[0]!]) {
      const { status, headers } = await ask(path, {}, 'POST');
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });
});

test('assets are cached forever', async () => {
  for (const path of assets)
    expect((await ask(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

describe('content codings of a client', () => {
  test.each([
    [null, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['brotli, xgzip', 'identity'],
    ['__proto__', 'identity'],
  ] as const)('%p is answered with %s', (accepted, coding) => {
    expect(preferredCoding(accepted)).toBe(coding);
  });
});
