/** The typed client in a browser, whose streams and fetch differ from those of Node and Bun. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SCALE_KEY, Service } from '../http/service.ts';
import { describeWithBrowser, openPage } from './browser.ts';

const ENTRY = join(import.meta.dir, '../../src/client/index.ts');

describeWithBrowser('the client on a page', () => {
  const service = new Service();
  let refused = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/')
        return new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } });
      if (pathname === '/client.js') return new Response(await bundle());
      if (pathname === '/elsewhere/v1/health') return Response.redirect('/v1/health');
      if (pathname === '/v1/screen' && refused++ === 0) return new Response(null, { status: 503 });
      return service.app.handle(request);
    },
  });
  afterAll(() => server.stop(true));

  async function bundle(): Promise<Blob> {
    const { outputs } = await Bun.build({ entrypoints: [ENTRY], target: 'browser' });
    return outputs[0]!;
  }

  test('screens a file in batches, retries, and does not follow redirects', async () => {
    await using opened = await openPage();
    await opened.page.goto(server.url.href);
    const seen = await opened.page.evaluate(
      async ({ origin, key }) => {
        const path = '/client.js';
        const { Sluice } = (await import(path)) as typeof import('../../src/client/index.ts');
        const sluice = new Sluice({ url: origin, key });
        const file = new File([`id,note\r\n${'1,"a\r\nb"\r\n'.repeat(10_002)}`], 'orders.csv');
        const parts: unknown[] = [];
        for await (const { firstRow, lastRow, report } of sluice.screenAll(
          { source: 'orders', csv: file },
          { compress: 'gzip' },
        ))
          parts.push([firstRow, lastRow, report.stats.rows_received]);
        const elsewhere = new Sluice({ url: `${origin}/elsewhere`, key });
        const error = await elsewhere.health().catch((reason: { code: string }) => reason.code);
        return { parts, error };
      },
      { origin: server.url.origin, key: SCALE_KEY },
    );
    expect(seen).toEqual({
      parts: [
        [1, 10_000, 10_000],
        [10_001, 10_002, 2],
      ],
      error: 'UNEXPECTED_ANSWER',
    });
    expect(await service.counted('scaler')).toBe(10_002);
  });
});
