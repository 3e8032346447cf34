/** The page of a report in a real browser: beside what is usual, with its rows, to share and to download. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Settings } from '../../src/client/contract.ts';
import { eventually } from '../servers/process.ts';
import { describeWithBrowser } from './browser.ts';
import {
  copyBy,
  Dashboard,
  faults,
  focusOn,
  NARROW,
  overhang,
  screenshot,
  settled,
  WIDE,
  workOf,
} from './dashboard.ts';

let dashboard: Dashboard;
let broken: string;

const orders = (day: number) =>
  Array.from({ length: 40 }, (_, i) => ({
    id: day * 100 + i,
    amount: 20 + ((i * 7 + day) % 60),
    city: ['Oslo', 'Bergen', 'Bodø'][(i + day) % 3],
  }));
const batch = (rows: object[], options = {}) => JSON.stringify({ source: 'orders', rows, options });

/** The text of the file that a button saves, and its name. */
async function saved(page: Page, button: string): Promise<[name: string, text: string]> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).press('Enter'),
  ]);
  return [file.suggestedFilename(), readFileSync((await file.path())!, 'utf8')];
}

describeWithBrowser('a report', () => {
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    for (let day = 0; day < 6; day++) await dashboard.screen(batch(orders(day)));
    const rows = orders(6).map((row, i) => (i % 4 === 0 ? { ...row, amount: 'n/a', city: null } : row));
    broken = await dashboard.screen(batch(rows, { row_verdicts: true }));
  });
  afterAll(() => dashboard[Symbol.asyncDispose]());

  test('shows each field beside what was usual before it, the gravest first', async () => {
    await using recorded = await dashboard.open(`#/jobs/${broken}`);
    const { page } = recorded;
    await page.getByText('of 6 earlier batches that passed').waitFor();
    const fields = page.getByRole('table', { name: 'Fields' });
    const first = fields.locator('.row').nth(1);
    expect(await first.locator('.c-field').textContent()).toStartWith('amount');
    const city = fields.locator('.row').filter({ hasText: 'city' }).first();
    expect(await city.locator('.c-rate').textContent()).toMatch(/^25.*% aboveusual 0.*%$/);
    expect(await first.locator('.c-values svg').getAttribute('aria-label')).toMatch(
      /this batch: .*; usual: /,
    );
    await screenshot(page, 'report-wide');
    await page.getByRole('button', { name: 'city' }).press('Enter');
    const measures = page.getByRole('dialog').getByRole('table');
    expect(await measures.getByRole('row', { name: /^Null rate/ }).textContent()).toContain('above');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await focusOn(page, 'city');
    expect(recorded.complaints).toEqual([]);
  });

  test('gives the rows to hold back and the good ones as files', async () => {
    await using recorded = await dashboard.open(`#/jobs/${broken}`);
    const { page } = recorded;
    const table = page.getByRole('table', { name: 'Rows to hold back' });
    expect(await table.locator('.row').nth(2).textContent()).toMatch(/^4.*type mismatch: amount/);
    const [name, held] = await saved(page, 'Held row numbers as CSV');
    expect(name).toBe(`held-rows-${broken}.csv`);
    expect(held.split('\r\n').slice(0, 3)).toEqual([
      'row,reasons',
      expect.stringMatching(/^0,".*type mismatch: amount/),
      expect.stringMatching(/^4,"/),
    ]);
    const [, json] = await saved(page, 'Both as JSON');
    const { held: rows, good, complete } = JSON.parse(json);
    expect([rows.length, good.length, complete]).toEqual([10, 30, true]);
    expect(good.slice(0, 4)).toEqual([1, 2, 3, 5]);
    expect((await saved(page, 'Good row numbers as CSV'))[1]).toStartWith('row\r\n1\r\n2\r\n3\r\n5\r\n');
    expect(recorded.complaints).toEqual([]);
  });

  test('is shared as a link for people of the account, and as a document for others', async () => {
    await using recorded = await dashboard.open(`#/jobs/${broken}`);
    const { page } = recorded;
    await page.getByText('Share', { exact: true }).click();
    const link = `${dashboard.server.url}/#/jobs/${broken}`;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await copyBy(page, 'Copy the link');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    await using stranger = await dashboard.openSignedOut();
    await stranger.page.goto(link);
    await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(stranger.requests.filter(each => each.includes('/v1/jobs'))).toEqual([]);
    await using other = await dashboard.open(
      `#/jobs/${broken}`,
      {},
      await dashboard.newcomer('eve@corp.com'),
    );
    await other.page.getByText('no job with this id').waitFor();
    const [name, html] = await saved(page, 'HTML');
    expect(name).toBe(`report-${broken}.html`);
    expect(html).toContain("default-src 'none'");
    await using reader = await dashboard.openSignedOut();
    await reader.page.setContent(html);
    expect(await faults(reader.page)).toEqual([]);
    expect(await reader.page.getByText('BLOCK').first().isVisible()).toBe(true);
    expect((await saved(page, 'Markdown'))[1]).toStartWith('### BLOCK: orders');
    expect(recorded.complaints).toEqual([]);
  });

  test('of a BLOCK says since when and what to press above what differs, and then what was done', async () => {
    const halfEmpty = (day: number) =>
      orders(day).map((row, i) => ({ ...row, amount: i % 2 ? row.amount : null }));
    const shop = (rows: object[]) => JSON.stringify({ source: 'shop', rows });
    for (let day = 0; day < 5; day++) await dashboard.screen(shop(orders(day)));
    const first = await dashboard.screen(shop(halfEmpty(5).map(row => ({ ...row, id: 'x' }))));
    await dashboard.put('/v1/schema/shop/settings', { settle_after: 'never' });
    await using recorded = await dashboard.open(`#/jobs/${first}`, { viewport: NARROW });
    const { page } = recorded;
    await page.getByText('Since this batch: the one before').waitFor();
    const heads = (await page.locator('main h2').allTextContents()).slice(0, 2);
    expect(heads).toEqual(['What to do', 'What differs']);
    await page.getByText('there is nothing to undo').waitFor();
    await page.getByText('Only the first rows of each finding.').waitFor();
    await page.getByRole('button', { name: 'Accept as the new normal' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The baseline of shop').waitFor();
    await dialog.getByRole('button', { name: 'Accept', exact: true }).press('Enter');
    await page.getByText(/^Accepted as the new normal by ann@corp.com on /).waitFor();
    expect(await page.getByText('should not be written').count()).toBe(0);
    await page.getByText('The same batch, posted again, is judged by the new baseline').waitFor();
    expect(await page.getByText('there is nothing to undo').count()).toBe(0);
    await page.getByText('Fixed thresholds apply whatever is normal.').waitFor();
    await page.getByRole('button', { name: 'Set these thresholds' }).press('Enter');
    await page.getByText('Saved. It applies to the next batch.').waitFor();
    const settings = (await (await dashboard.get('/v1/schema/shop/settings')).json()) as Settings;
    expect(settings).toMatchObject({ settle_after: 'never', thresholds: { null_rate_warn: 0.55 } });
    await page.getByRole('link', { name: 'Set thresholds' }).press('Enter');
    await page.getByRole('heading', { name: 'How it is judged' }).waitFor();
    expect(recorded.complaints).toEqual([]);
  });

  test('of a proposed new normal has dates as people read them, and what was usual before it', async () => {
    const till = (rows: object[]) => JSON.stringify({ source: 'till', rows });
    for (let day = 0; day < 6; day++) await dashboard.screen(till(orders(day)));
    const dear = (day: number) => till(orders(day).map(row => ({ ...row, amount: row.amount * 100 })));
    let last = '';
    for (let day = 6; day < 10; day++) last = await dashboard.screen(dear(day));
    await using recorded = await dashboard.open(`#/jobs/${last}`);
    const { page } = recorded;
    await page.getByText(/A new normal since \d+ \w+ \d{4}, \d\d:\d\d, 4 batches/).waitFor();
    await page.getByText(/^The same field has differed since .*: 4 batches with this one/).waitFor();
    await page.getByText('of 6 earlier batches that passed').waitFor();
    const amount = page.getByRole('table', { name: 'Fields' }).locator('.row').filter({ hasText: 'amount' });
    expect(await amount.first().textContent()).toContain('above');
    // Alerts take batches up after their answers, and the page does not ask again.
    await eventually(async () => {
      const { incidents } = (await (await dashboard.get('/v1/incidents?status=open')).json()) as {
        incidents: { source: string; batches: number }[];
      };
      expect(incidents).toContainEqual(expect.objectContaining({ source: 'till', batches: 4 }));
    });
    await page.goto(`${dashboard.server.url}/#/`);
    await page.getByText(/A new normal since \d+ \w+ \d{4}/).waitFor();
    await page.getByText(/4 batches, the first/).waitFor();
    expect(recorded.complaints).toEqual([]);
  });

  test('says who accepted it and what holds now, on the overview too, until the next batch', async () => {
    const shelf = (rows: object[]) => JSON.stringify({ source: 'shelf', rows });
    for (let day = 0; day < 5; day++) await dashboard.screen(shelf(orders(day)));
    const gone = (day: number) =>
      shelf(
        orders(day).map((row, i) => ({ ...row, amount: row.amount * 900, city: i % 2 ? row.city : null })),
      );
    await dashboard.screen(gone(5));
    await using recorded = await dashboard.open('#/', { viewport: NARROW, colorScheme: 'dark' });
    const { page } = recorded;
    const entry = page.locator('.entries li').filter({ hasText: 'shelf' });
    await eventually(async () => {
      await page.reload();
      await settled(page);
      if ((await entry.count()) === 0) throw new Error('not taken up yet');
    });
    await entry.getByRole('button', { name: 'Accept as normal of shelf' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).press('Enter');
    await entry.getByText(/^Accepted by ann@corp.com, .*; waits for the next batch\.$/).waitFor();
    expect(await entry.getByText('BLOCK', { exact: true }).count()).toBe(0);
    expect(await entry.getByRole('button', { name: /Accept|Acknowledge/ }).count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'overview-accepted');
    await entry.getByRole('link', { name: 'Open the last batch' }).press('Enter');
    await page.getByText(/^Accepted as the new normal by ann@corp.com on /).waitFor();
    await page.getByText('before is what was usual until then').waitFor();
    const amount = page.getByRole('table', { name: 'Fields' }).locator('.row').filter({ hasText: 'amount' });
    expect(await amount.locator('.c-middle').textContent()).toMatch(/abovebefore /);
    const groups = page.locator('.finding-group h3');
    const fields = await groups.allTextContents();
    expect(fields).toEqual([...new Set(fields)]);
    expect(fields).toContain('amount');
    const ofAmount = page
      .locator('.finding-group')
      .filter({ has: page.getByRole('heading', { name: 'amount' }) });
    expect(await ofAmount.locator('li').count()).toBeGreaterThan(1);
    expect(await faults(page)).toEqual([]);
    expect(await overhang(page)).toBe(0);
    await screenshot(page, 'report-narrow-dark');
    await page.setViewportSize(WIDE);
    expect(await overhang(page)).toBe(0);
    await page.getByText('Share', { exact: true }).click();
    expect((await saved(page, 'Markdown'))[1]).toContain('Accepted as the new normal by ann');

    const next = await dashboard.screen(gone(6));
    await page.goto(`${dashboard.server.url}/#/jobs/${next}`);
    await page.getByText('Where the batch that ann@corp.com accepted on').waitFor();
    expect(await amount.locator('.c-middle').textContent()).toMatch(/usual .*before /);
    await page.getByRole('button', { name: 'amount' }).press('Enter');
    await page.getByRole('columnheader', { name: 'Before: lowest to highest' }).waitFor();
    expect(recorded.complaints).toEqual([]);
  });

  test('of 2 MiB shows with little work, and every finding can be reached', async () => {
    const row = (value: unknown) =>
      Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${'wide '.repeat(20)}${i}`, value]));
    const wide = (value: unknown) => JSON.stringify({ source: 'wide', rows: [row(value), row(value)] });
    for (let i = 0; i < 3; i++) await dashboard.screen(wide(i));
    const id = await dashboard.screen(wide(null));
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    const work = await workOf(page, dashboard.server);
    const before = await work();
    await page.evaluate(`location.hash = '#/jobs/${id}'`);
    await page.getByText('earlier batches that passed').waitFor();
    await settled(page);
    const took = (await work()) - before;
    console.info(`the report: ${Math.round(took)} ms of work, of the server too`);
    expect(took).toBeLessThan(3000);
    const text = await page
      .getByRole('region', { name: 'What differs' })
      .locator('.panel-aside')
      .textContent();
    const many = Number(text!.replace(/\D/g, ''));
    expect(many).toBeGreaterThan(1000);
    for (;;) {
      const more = page.getByRole('button', { name: /^Show .* more of/ });
      if ((await more.count()) === 0) break;
      await more.press('Enter');
    }
    expect(await page.locator('.findings li').count()).toBe(many);
  });
});
