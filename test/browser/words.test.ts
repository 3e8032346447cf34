/** What a screen reader reads is what a person sees: words, and no names of the API. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from './browser.ts';
import { Dashboard } from './dashboard.ts';

let dashboard: Dashboard;
let broken: string;

const rowsOf = (day: number) =>
  Array.from({ length: 40 }, (_, i) => ({ id: day * 100 + i, city: i % 2 ? 'Oslo' : 'Bergen' }));

/** As `null_rate_block`. No field, source or value of this test has such a name. */
const NAME = /\b[a-z]+_[a-z]\w*/g;

/** A rule is called as it is written in a document of rules. */
const RULE = /fields\.\S+/g;
const namesOf = (text: string): string[] => text.replaceAll(RULE, '').match(NAME) ?? [];

/** The names that are anywhere in the page, also in what is closed, and those that are read once all is open. */
async function namesIn(page: Page): Promise<{ written: string[]; read: string[] }> {
  // Ids and rules are written in code, and what was said of a source is quoted.
  const written = await page.evaluate<string[]>(`{
    const page = document.body.cloneNode(true);
    for (const quoted of page.querySelectorAll('script, style, code, bdi, textarea')) quoted.remove();
    const attributes = ['aria-label', 'alt', 'title'];
    [page.textContent, ...[...page.querySelectorAll('*')].flatMap(each =>
      attributes.map(name => each.getAttribute(name) ?? ''))];
  }`);
  await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
  const read = await page.locator('body').ariaSnapshot();
  const quoted = /- (code|textbox|\/placeholder).*/g;
  return { written: written.flatMap(namesOf), read: namesOf(read.replaceAll(quoted, '')) };
}

describeWithBrowser('the words of a page', () => {
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    for (let day = 0; day < 5; day++)
      await dashboard.screen(JSON.stringify({ source: 'orders', rows: rowsOf(day) }));
    const rows = rowsOf(5).map(({ city, ...row }, i) => ({ ...row, city: i % 4 ? city : null, more: 1 }));
    const options = { row_verdicts: true };
    broken = await dashboard.screen(JSON.stringify({ source: 'orders', rows, options }));
  });
  afterAll(() => dashboard[Symbol.asyncDispose]());

  test.each([
    ['a report', () => `#/jobs/${broken}`, 'What differs'],
    ['a source', () => '#/sources/orders', 'How it is judged'],
    ['the form of a batch', () => '#/try', 'More settings'],
  ])('of %s have no name of the API, hidden or read', async (_, address, part) => {
    await using recorded = await dashboard.open(address());
    const { page } = recorded;
    await page.getByText(part).first().waitFor();
    expect(await namesIn(page)).toEqual({ written: [], read: [] });
  });

  test('of a verdict and the form beside it have none either, and the fields have the words that are seen', async () => {
    await using recorded = await dashboard.open('#/try?source=tried');
    const { page } = recorded;
    await page.getByRole('button', { name: 'Use an example' }).click();
    await page.getByRole('button', { name: 'Screen', exact: true }).click();
    await page.getByRole('region', { name: 'Verdict' }).waitFor();
    expect((await namesIn(page)).read.filter(name => /_(rate|warn|block|mismatch)/.test(name))).toEqual([]);
    const field = page.getByRole('spinbutton', { name: 'BLOCK above this share of nulls', exact: true });
    expect(await field.isVisible()).toBe(true);
    expect(await page.getByText('BLOCK above this share of nulls', { exact: true }).isVisible()).toBe(true);
  });
});
