/** The page of jobs in a real browser: filters, search, jobs that come while it is open, and 100,000 of them. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { firstIdAt } from '../../src/names/request-id.ts';
import { describeWithBrowser } from './browser.ts';
import { Dashboard, faults, focusOn, NARROW, overhang, settled, workOf } from './dashboard.ts';

let dashboard: Dashboard;
const bad = (source: string) => JSON.stringify({ source, rows: [{ a: null }, { a: null }] });
const good = (source: string) => JSON.stringify({ source, rows: [{ a: 1 }, { a: 2 }] });

/** The page asks for new jobs so often. */
const LIVE_MS = 5000;

describeWithBrowser('the jobs page', () => {
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    for (const source of ['orders', 'orders/raw', 'sensors']) await dashboard.screen(good(source));
    await dashboard.screen(bad('sensors'));
  });
  afterAll(() => dashboard[Symbol.asyncDispose]());

  test('is filtered by source, verdict and day, in an address to share', async () => {
    await using recorded = await dashboard.open('#/jobs');
    const { page } = recorded;
    // A part of the name is enough where only one source has it.
    await page.getByLabel('Source or job').fill('sens');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 jobs', exact: true }).waitFor();
    await page.getByLabel('Verdict').selectOption('BLOCK');
    await page.getByRole('heading', { name: '1 job', exact: true }).waitFor();
    expect(page.url()).toEndWith('#/jobs?source=sensors&status=BLOCK');
    const today = (await page.evaluate(
      'new Date(Date.now() - new Date().getTimezoneOffset() * 60e3).toISOString().slice(0, 10)',
    )) as string;
    await page.getByLabel('From').fill(today);
    await page.getByLabel('To', { exact: true }).fill(today);
    await page.waitForURL(`**/#/jobs?from=${today}&to=${today}&source=sensors&status=BLOCK`);
    await page.reload();
    await page.getByRole('heading', { name: '1 job', exact: true }).waitFor();
    await page.getByLabel('To', { exact: true }).fill('2026-01-01');
    await page.getByText('The first day is after the last one.').waitFor();
    await page.getByLabel('From').fill('2026-01-01');
    await page.getByText('No job matches.').waitFor();
    await page.getByRole('link', { name: 'Show all jobs' }).click();
    await page.locator('.jobs a').first().waitFor();
    expect(await faults(page)).toEqual([]);
    expect(recorded.complaints).toEqual([]);
  });

  test('Back leaves the page after a day was typed, whatever its digits were on the way', async () => {
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    await page.getByRole('link', { name: 'Jobs' }).click();
    await page.locator('.jobs a').first().waitFor();
    await page.getByLabel('From').focus();
    await page.keyboard.type('11262026');
    await page.waitForURL('**/#/jobs?from=2026-11-26');
    await page.goBack();
    expect(page.url()).toEndWith('#/keys');
  });

  test('finds sources by a part of the name, and a job by its id', async () => {
    await using recorded = await dashboard.open('#/jobs');
    const { page } = recorded;
    await page.getByLabel('Source or job').fill('ORDERS');
    await page.keyboard.press('Enter');
    await page.getByText('No job matches.').waitFor();
    const similar = page.getByRole('list', { name: 'Sources with a similar name' });
    expect(await similar.getByRole('link').allTextContents()).toEqual(['orders/raw', 'orders']);
    await similar.getByRole('link', { name: 'orders/raw' }).click();
    await page.getByRole('heading', { name: '1 job', exact: true }).waitFor();
    const id = await dashboard.screen(good('orders'));
    await page.getByLabel('Source or job').fill(` ${id} `);
    await page.keyboard.press('Enter');
    await page.getByText('This batch can be written.').waitFor();
    expect(page.url()).toEndWith(`#/jobs/${id}`);
    await focusOn(page, 'Report');
  });

  test('shows jobs as they come, and waits while somebody reads further down', async () => {
    for (let i = 0; i < 30; i++) await dashboard.screen(good('live'));
    await using recorded = await dashboard.open('#/keys', { viewport: NARROW });
    const { page } = recorded;
    await page.clock.install();
    await page.evaluate("location.hash = '#/jobs?source=live'");
    await page.getByRole('heading', { name: '30 jobs' }).waitFor();
    await dashboard.screen(bad('live'));
    await page.clock.fastForward(LIVE_MS);
    await page.getByRole('heading', { name: '31 jobs' }).waitFor();
    expect(await page.locator('.jobs .row[aria-rowindex="2"]').textContent()).toContain('BLOCK');
    await page.mouse.move(200, 600);
    await page.evaluate('scrollTo(0, 700)');
    await dashboard.screen(good('live'));
    await page.clock.fastForward(LIVE_MS);
    await page.getByRole('button', { name: 'Show 1 new job' }).click();
    await page.getByRole('heading', { name: '32 jobs' }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    expect(await overhang(page)).toBe(0);

    await page.getByLabel('Show new jobs as they come').uncheck();
    let asked = 0;
    page.on('request', () => asked++);
    await dashboard.screen(good('live'));
    await page.clock.runFor(60_000);
    expect(asked).toBe(0);
    expect(recorded.complaints).toEqual([]);
  });

  test('100,000 jobs show and scroll with little work', async () => {
    fill('many', 100_000);
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    const work = await workOf(page, dashboard.server);
    const step = async (name: string, act: () => Promise<unknown>) => {
      const before = await work();
      await act();
      const took = (await work()) - before;
      console.info(`${name}: ${Math.round(took)} ms of work`);
      expect(took, name).toBeLessThan(1000);
    };
    const rows = (title: string) => page.getByRole('heading', { name: title }).waitFor();
    await step('the newest', async () => {
      await page.evaluate("location.hash = '#/jobs?source=many'");
      await rows('The newest 200 jobs');
    });
    await step('older ones', async () => {
      await page.getByRole('button', { name: 'Show older jobs' }).click();
      await rows('The newest 400 jobs');
    });
    await step('the rare verdict', async () => {
      await page.getByLabel('Verdict').selectOption('BLOCK');
      await rows('10 jobs');
    });
    await settled(page);
    expect(await page.getByRole('row').count()).toBeLessThan(100);
  });
});

/** Writes jobs without reports; the ten oldest are BLOCK. */
function fill(source: string, many: number): void {
  const file = new Database(join(dashboard.server.folder, 'sluice.sqlite'));
  file.run('PRAGMA busy_timeout = 5000');
  file.run(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${many})
     INSERT INTO jobs (id, account, source, status, health_score, rows_received, drift_count, latency_ms, created_at, period_start)
     SELECT substr(?, 1, 14) || printf('%016d', i), (SELECT account FROM keys LIMIT 1), ?,
       CASE WHEN i < 10 THEN 'BLOCK' ELSE 'PASS' END, 0.75, 3, 1, 5, ? + i, 0 FROM n`,
    [firstIdAt(Date.now() - 86_400_000), JSON.stringify(source), Date.now() - 86_400_000],
  );
  file.close();
}
