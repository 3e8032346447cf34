/** The page of a source in a real browser: the statistics of a field with their alarms, and how it is judged, in words. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeWithBrowser } from './browser.ts';
import { Dashboard, faults, NARROW, overhang, screenshot, settled, WIDE } from './dashboard.ts';

let dashboard: Dashboard;
let broken: string;

const orders = (day: number) =>
  Array.from({ length: 40 }, (_, i) => ({
    id: day * 100 + i,
    amount: 20 + ((i * 7 + day * 3) % 60),
    city: ['Oslo', 'Bergen', 'Bodø'][(i + day) % 3],
  }));
const batch = (rows: object[]) => JSON.stringify({ source: 'orders', rows });

describeWithBrowser('a source', () => {
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    for (let day = 0; day < 12; day++) await dashboard.screen(batch(orders(day)));
    broken = await dashboard.screen(
      batch(orders(12).map(row => ({ ...row, amount: row.amount * 100, city: row.amount % 2 ? null : 'X' }))),
    );
  });
  afterAll(() => dashboard[Symbol.asyncDispose]());

  test('shows the statistics of a field with what was expected, and leads from an alarm to its report', async () => {
    await using recorded = await dashboard.open('#/sources/orders?field=amount');
    const { page } = recorded;
    const median = page.getByRole('figure').filter({ hasText: /^median/ });
    await median.waitFor();
    expect(await median.textContent()).toMatch(/^median(WARN|BLOCK) [45],\d{3}, usually [\d.]+ to [\d.]+ · /);
    const chart = median.getByRole('img');
    expect(await chart.getAttribute('aria-label')).toMatch(/^median in 13 batches: newest .*; 1 alarm$/);
    const alarms = page.getByText(/^\d+ alarms of this field$/);
    await alarms.focus();
    await page.keyboard.press('Enter');
    const alarm = page.getByRole('listitem').filter({ hasText: /(WARN|BLOCK): median [45],/ });
    await alarm.getByRole('link').press('Enter');
    await page.getByText('This batch should not be written.').waitFor();
    expect(page.url()).toEndWith(broken);
    expect(recorded.complaints).toEqual([]);
  });

  test('shows another field, chosen with the keyboard', async () => {
    await using recorded = await dashboard.open('#/sources/orders?field=amount');
    const { page } = recorded;
    const field = page.locator('select.choose-source');
    await field.focus();
    await page.keyboard.type('city');
    await page.getByRole('figure').filter({ hasText: /null/i }).first().waitFor();
    expect(
      await page
        .getByRole('figure')
        .filter({ hasText: /^median/ })
        .count(),
    ).toBe(0);
  });

  test('says in words how it is judged, and who changed that', async () => {
    await using recorded = await dashboard.open('#/sources/orders?show=settings');
    const { page } = recorded;
    await page.getByText('It is judged by its own history and by fixed thresholds, as the server').waitFor();
    await page.getByText('Above 30% nulls a field is a WARN, above 70% a BLOCK.').waitFor();
    await page.getByRole('combobox', { name: /^Judged/ }).selectOption('adaptive');
    for (const summary of await page.locator('.judging form summary').all()) await summary.press('Enter');
    await page.getByLabel('Owner').fill('team-a');
    await page.getByRole('button', { name: 'Save settings' }).press('Enter');
    await page.getByText('It is judged by its own history.', { exact: true }).waitFor();
    await page.getByText('Its owner is team-a.').waitFor();
    await page.getByText('Who changed what: 1 change, 0 versions to go back to').press('Enter');
    await page.getByText('changed the settings (mode, owner)').waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'ann@corp.com' }).count()).toBe(1);
    await screenshot(page, 'source-history');
    expect(recorded.complaints).toEqual([]);
  });

  test.each([
    ['light', WIDE],
    ['dark', NARROW],
    ['light', NARROW],
    ['dark', WIDE],
  ] as const)('is accessible with all of it open, in %s colours at %j', async (colorScheme, viewport) => {
    await using recorded = await dashboard.open('#/sources/orders?field=amount', { colorScheme, viewport });
    const { page } = recorded;
    await page
      .getByRole('figure')
      .filter({ hasText: /^median/ })
      .waitFor();
    for (const summary of await page.locator('main summary').all()) await summary.press('Enter');
    await settled(page);
    expect(await faults(page)).toEqual([]);
    expect(await overhang(page)).toBe(0);
  });

  test('whose batches are not stored, or not yet, shows its settings and rules', async () => {
    await dashboard.put('/v1/schema/ruled/rules', { fields: { id: { unique: true } } });
    await using recorded = await dashboard.open('#/sources/ruled');
    const { page } = recorded;
    await page.getByRole('heading', { name: 'No batch of this source is stored' }).waitFor();
    await page.getByText('fields.id.unique', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save settings' }).waitFor();
    expect(await faults(page)).toEqual([]);
  });

  test('with a long owner and tag leaves the list as narrow as the window', async () => {
    await dashboard.put('/v1/schema/orders/settings', { owner: 'o'.repeat(200), tags: ['t'.repeat(50)] });
    await using recorded = await dashboard.open('#/sources', { viewport: NARROW });
    const { page } = recorded;
    await page.getByLabel('Tag').waitFor();
    expect(await overhang(page)).toBe(0);
  });

  test('fits into the smallest window', async () => {
    await using recorded = await dashboard.open('#/sources/orders', {
      viewport: { width: 320, height: 568 },
    });
    await recorded.page.locator('select.choose-source').waitFor();
    expect(await overhang(recorded.page)).toBe(0);
  });

  test('keeps settings that somebody else changed meanwhile, and says so', async () => {
    const thresholds = { null_rate_warn: 0.4 };
    await dashboard.put('/v1/schema/shared/settings', {});
    await using recorded = await dashboard.open('#/sources/shared');
    const { page } = recorded;
    await page.getByText('Owner and tags').click();
    await page.getByLabel('Owner').fill('Ann');
    await dashboard.put('/v1/schema/shared/settings', { thresholds });
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Somebody has changed its thresholds since this page was loaded' })
      .waitFor();
    expect(await (await dashboard.get('/v1/schema/shared/settings')).json()).toMatchObject({
      thresholds,
      owner: null,
    });
  });
});
