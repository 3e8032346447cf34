/** The recorder of a page finds errors and foreign requests: otherwise the other tests would prove nothing. */
import { afterAll, expect, test } from 'bun:test';
import { describeWithBrowser, openPage } from './browser.ts';

const HTML = { headers: { 'Content-Type': 'text/html' } };
const PAGE = `<!doctype html><link rel="icon" href="data:,"><title>Odd</title>
<img src="data:,"><script>console.error('said'); console.log('fine'); setTimeout(() => { throw Error('thrown'); })</script>
<script src="//localhost:1/elsewhere.js"></script>`;

describeWithBrowser('an open page', () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(PAGE, HTML) });
  const url = `http://127.0.0.1:${server.port}`;
  afterAll(() => server.stop(true));

  test('is recorded with its errors and requests', async () => {
    await using recorded = await openPage();
    const thrown = recorded.page.waitForEvent('pageerror');
    await recorded.page.goto(url);
    await thrown;
    expect(recorded.complaints).toContain('said');
    expect(recorded.complaints).not.toContain('fine');
    expect(recorded.complaints.join()).toContain('thrown');
    expect(recorded.requests[0]).toBe(`${url}/`);
    expect(recorded.outside(url)).toEqual(['http://localhost:1/elsewhere.js']);
  });

  test('has the given size and colours, and shares nothing with another page', async () => {
    await using first = await openPage();
    await first.page.goto(url);
    await first.page.evaluate("localStorage.setItem('left', 'behind')");
    await using second = await openPage({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await second.page.goto(url);
    expect(await second.page.evaluate("localStorage.getItem('left')")).toBeNull();
    expect(
      await second.page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"),
    ).toEqual([390, true]);
  });
});
