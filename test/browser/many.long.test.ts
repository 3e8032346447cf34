/** Pages of an account with 1,000 sources and 100,000 jobs, in a real browser. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from './browser.ts';
import { Dashboard, NARROW, overhang, screenshot, settled, WIDE } from './dashboard.ts';
import { folderOfMany } from './many.ts';

const [SOURCES, JOBS] = [1_000, 100_000];
/** Of processor time: a busy machine does not lengthen it. */
const MAX_PAUSE_MS = 200;

/** The longest task of the page's main thread while `act` runs, in ms of processor time. */
async function longestPause(page: Page, act: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, {
    categories: ['toplevel', '__metadata', 'disabled-by-default-devtools.timeline'],
  });
  const trace = await act().then(
    () => browser.stopTracing(),
    async error => {
      await browser.stopTracing();
      throw error;
    },
  );
  const { traceEvents } = JSON.parse(trace.toString()) as {
    traceEvents: TraceEvent[];
  };
  const threads = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === 'thread_name' && args?.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = traceEvents.filter(
    ({ pid, tid, name }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`),
  );
  expect(tasks.length).toBeGreaterThan(10);
  return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** In microseconds of the thread's processor time. */
  tdur?: number;
  args?: { name?: string };
}

describeWithBrowser('1,000 sources and 100,000 jobs', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await Dashboard.start(await folderOfMany(SOURCES, JOBS, Date.now()));
  }, 600_000);
  afterAll(() => dashboard[Symbol.asyncDispose]());

  const opened = async (page: Page, hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await settled(page);
  };

  test.each([WIDE, NARROW])('no page pauses for 200 ms, %j', async viewport => {
    await using recorded = await dashboard.open('#/keys', { viewport });
    const { page } = recorded;
    const pauses: Record<string, number> = {};
    const measure = async (name: string, act: () => Promise<unknown>) => {
      pauses[name] = await longestPause(page, act);
    };
    await measure('overview', () => opened(page, '#/'));
    await measure('jobs', () => opened(page, '#/jobs'));
    await measure('sources', async () => {
      await opened(page, '#/sources');
      await page.locator('.sparkline').first().waitFor();
    });
    await page.getByRole('heading', { name: `${(SOURCES + 1).toLocaleString('en')} sources` }).waitFor();
    await measure('scrolling', async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.locator(`.row[aria-rowindex="${SOURCES + 2}"]`).waitFor();
    });
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    await measure('searching', async () => {
      await page.getByLabel('Search').pressSequentially('0123');
      await page.getByRole('heading', { name: '1 of 1,001 sources' }).waitFor();
    });
    await measure('filtering', async () => {
      await page.getByLabel('Search').fill('');
      await page.getByLabel('Open incident').check();
      await page.getByRole('heading', { name: '101 of 1,001 sources' }).waitFor();
    });
    await measure('sorting', async () => {
      await page.getByLabel('Open incident').uncheck();
      await page.getByLabel('Sort by').selectOption('name');
      await page.locator('.row[aria-rowindex="2"]').getByText('copied').waitFor();
    });
    await screenshot(page, `many-sources-${viewport.width}`);
    expect(await overhang(page)).toBe(0);
    await measure('source', () => opened(page, '#/sources/team-3%2Ftable-0003'));
    console.info(
      viewport.width,
      Object.fromEntries(Object.entries(pauses).map(([name, ms]) => [name, Math.round(ms)])),
    );
    expect(Object.entries(pauses).filter(([, ms]) => !(ms < MAX_PAUSE_MS))).toEqual([]);
    expect(recorded.complaints).toEqual([]);
  });

  test('the list is searched, filtered and reset from the keyboard, and the address keeps the choice', async () => {
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    await opened(page, '#/sources');
    await page.getByLabel('Search').focus();
    await page.keyboard.type('team-7 table-0007'.slice(0, 6));
    await page.keyboard.press('Tab');
    await page.keyboard.type('name');
    await page.reload();
    await settled(page);
    expect(await page.getByLabel('Search').inputValue()).toBe('team-7');
    expect(await page.getByLabel('Sort by').inputValue()).toBe('name');
    const row = page.locator('.row[aria-rowindex="2"]');
    expect(await row.textContent()).toContain('team-7/table-0007');
    await row.getByRole('button', { name: 'Actions for team-7/table-0007' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.menu :focus').filter({ hasText: 'Jobs' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Reset the baseline of team-7/table-0007?' }).waitFor();
    await page.getByRole('button', { name: 'Reset baseline', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: 'The baseline of team-7/table-0007 is reset' })
      .waitFor();
    expect((await dashboard.get('/v1/schema/team-7%2Ftable-0007')).status).toBe(404);
    expect(recorded.complaints).toEqual([]);
  });
});
