/** The dashboard in a real browser, with the real program and its content security policy. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { escaped } from '../../src/terms/wording.ts';
import { foldersOfATest } from '../folders.ts';
import { eventually } from '../servers/process.ts';
import { describeWithBrowser, type RecordedPage } from './browser.ts';
import {
  ANN,
  codeOf,
  copyBy,
  Dashboard,
  exampleFile,
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
/** A job with findings of every kind. */
let brokenJob: string;

/** No errors in the console, and no requests to other servers. */
function expectClean(recorded: RecordedPage): void {
  expect(recorded.complaints).toEqual([]);
  expect(recorded.requests.length).toBeGreaterThan(3);
  expect(recorded.outside(dashboard.server.url)).toEqual([]);
}

interface Jobs {
  jobs: { id: string }[];
}

/** How many of the 1,000 jobs are wide: the newest. `WIDE_JOBS=60` fills the first view of a source's page. */
const WIDE_JOBS = Number(process.env.WIDE_JOBS ?? 20);

/** Jobs of one field, then those of 2,000. */
async function makeLarge(source: string): Promise<void> {
  const small = JSON.stringify({ source, rows: [{ field_0: 1 }] });
  const row = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`field_${i}`, i % 3 ? i : null]));
  const wide = JSON.stringify({ source, rows: Array.from({ length: 10 }, () => row) });
  for (let i = 0; i < 1000 - WIDE_JOBS; i++) await dashboard.screen(small);
  for (let i = 0; i < WIDE_JOBS; i++) await dashboard.screen(wide);
}

/** Widths at which the layout changes. */
const BETWEEN = [
  { width: 1161, height: 800 },
  { width: 1160, height: 800 },
  { width: 521, height: 800 },
];
/** Both widths in both colour schemes; any other value takes those that a run comes by. */
const EVERY_SCREENSHOT = process.env.SCREENSHOTS === 'all';

const PAGES = {
  overview: '#/',
  sources: '#/sources',
  source: '#/sources/orders',
  jobs: '#/jobs',
  job: '#/jobs/{job}',
  try: '#/try',
  alerts: '#/alerts',
  keys: '#/keys',
  billing: '#/billing',
  unknown: '#/nowhere',
};

describeWithBrowser('the dashboard', () => {
  beforeAll(async () => {
    dashboard = await Dashboard.start();
    for (const source of ['orders', 'customers', 'sensors']) {
      for (let i = 0; i < 3; i++) await dashboard.screenExample(`${source}-clean.csv`, source);
      await dashboard.screenExample(`${source}-broken.csv`, source);
    }
    brokenJob = await dashboard.screen(readFileSync(exampleFile('orders-broken.json'), 'utf8'));
  });

  afterAll(() => dashboard[Symbol.asyncDispose]());

  describe('a newcomer', () => {
    test('signs in with the keyboard, chooses a file and reads its report', async () => {
      await using recorded = await dashboard.openSignedOut();
      const { page } = recorded;
      await page.goto(dashboard.server.url);
      await page.locator('input[type=email]:focus').waitFor();
      await page.keyboard.type('new@corp.com');
      await page.keyboard.press('Enter');
      await page.locator('input[autocomplete=one-time-code]:focus').waitFor();
      await screenshot(page, 'sign-in');
      await page.keyboard.type(await codeOf(dashboard.server, 'new@corp.com'));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await settled(page);
      const command = await page.locator('pre').textContent();
      expect(command).toContain(`curl -sS '${dashboard.server.url}/v1/screen'`);
      await screenshot(page, 'overview-empty');

      await page.getByRole('link', { name: 'drop a CSV or JSON file' }).click();
      await page.locator('input[type=file]').setInputFiles(exampleFile('orders-broken.csv'));
      await page.getByText('orders-broken.csv').waitFor();
      expect(await page.locator('#source').inputValue()).toBe('orders-broken');
      await page.locator('#source').press('Enter');
      await page.getByText('This batch should not be written.').waitFor();
      expect(await page.locator('[aria-live]').first().textContent()).toMatch(/^BLOCK: /);
      await page.locator('.fields .histogram').first().waitFor();
      await screenshot(page, 'try-report');

      const id = await page.locator('.banner code').first().textContent();
      await page.goto(`${dashboard.server.url}/#/jobs/${id}`);
      await page.getByText('This batch should not be written.').waitFor();
      expect(await page.getByText(/of the values are not number: found string/).count()).toBeGreaterThan(0);
      expectClean(recorded);
    });

    test('sees an error after a wrong code', async () => {
      await using recorded = await dashboard.openSignedOut();
      const { page } = recorded;
      await page.goto(dashboard.server.url);
      await page.getByLabel('E-mail address').fill('wrong@corp.com');
      await page.getByRole('button', { name: 'Send the code' }).click();
      // The sixth request gets the same answer, and no code.
      await page.getByText('at most five codes an hour, each valid for ten minutes').waitFor();
      await page.getByLabel('Six digits').fill('00 00 00');
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(
        /The code is wrong, used or expired(?!.*AUTH_INVALID)/,
      );
      expect(await page.evaluate('localStorage.length')).toBe(0);
    });
  });

  describe('Try it', () => {
    const newFolder = foldersOfATest();

    test('screens dropped files and pasted rows', async () => {
      await using recorded = await dashboard.open('#/try?source=pasted');
      const { page } = recorded;
      const dropped = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['[{"id":1},{"id":2}]'], 'dropped.json'));
        return transfer;
      })()`);
      await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
      await page.getByText('dropped.json').waitFor();
      await page.getByRole('button', { name: 'Screen' }).click();
      await page.getByText('This batch can be written.').waitFor();
      await focusOn(page, 'PASS');

      await page.getByRole('button', { name: 'Remove' }).click();
      await page.dispatchEvent('h1', 'drop', { dataTransfer: dropped });
      await page.getByText('dropped.json').waitFor();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.locator('#rows').fill('id,name\n1,"never closed\n2,x\n');
      await page.getByRole('button', { name: 'Screen' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/never closed|quote(?!.*INVALID_ROWS)/);
      await page.locator('#rows').fill(' ');
      await page.getByRole('button', { name: 'Screen' }).click();
      await page.getByText('There are no rows').waitFor();
    });

    test('judges a compressed file by rules and thresholds of its own, and leads to the job', async () => {
      await using recorded = await dashboard.open('#/try?source=tried', { viewport: NARROW });
      const { page } = recorded;
      const buffer = Buffer.from(Bun.gzipSync('id,amount\n1,5\n2,-1\n3,\n'));
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'tried.csv.gz', mimeType: 'application/gzip', buffer });
      await page.getByText('CSV in gzip').waitFor();
      await page.getByText('More settings').click();
      await page.getByLabel('Judged').selectOption('contract');
      await page.getByLabel('WARN above this share of nulls').fill('0.9');
      await page.getByLabel(/^Rules for this batch/).fill('{"fields": {"amount": {"minimum": 0}}}');
      await page.getByRole('button', { name: 'Screen' }).click();
      await page
        .getByText(/fields.amount.minimum is violated in 1 row/)
        .first()
        .waitFor();
      expect(await page.getByRole('table', { name: 'Rows to hold back' }).textContent()).toContain(
        'fields.amount.minimum',
      );
      expect(await faults(page)).toEqual([]);
      await page.locator('.banner a code').click();
      await page.getByRole('heading', { name: 'Report' }).waitFor();
      expectClean(recorded);
    });

    test('takes suggested rules from a file of orders, and a broken file is blocked with the rows that fail', async () => {
      const order = (i: number) => `ORD-${i},${1 + (i % 9)},${['new', 'paid', 'sent'][i % 3]}`;
      const csv = (lines: string[]) => Buffer.from(`order_id,quantity,status\n${lines.join('\n')}\n`);
      const clean = Array.from({ length: 90 }, (_, i) => order(i));
      const broken = clean.with(4, 'ORD-4,-1,paid').with(40, 'ORD-39,2,new');
      await using recorded = await dashboard.open('#/try?source=shop');
      const { page } = recorded;
      const screenFile = async (name: string, lines: string[]) => {
        await page
          .locator('input[type=file]')
          .setInputFiles({ name, mimeType: 'text/csv', buffer: csv(lines) });
        await page.getByRole('button', { name: 'Screen' }).click();
      };
      await screenFile('orders.csv', clean);
      await page.getByText('This batch can be written.').waitFor();

      await page.goto(`${dashboard.server.url}/#/sources/shop`);
      for (const rule of ['fields.order_id.unique', 'fields.quantity.minimum']) {
        const accept = page.getByRole('button', { name: `Accept ${rule}` });
        if (!(await accept.isVisible())) await page.getByText(/suggested rules$/).click();
        await accept.click();
        await page
          .getByRole('status')
          .filter({ hasText: `${rule} holds` })
          .waitFor();
      }

      await page.goto(`${dashboard.server.url}/#/try?source=shop`);
      await screenFile('broken.csv', broken);
      await focusOn(page, 'BLOCK');
      await page
        .getByText(/fields.quantity.minimum is violated in 1 row/)
        .first()
        .waitFor();
      const held = await page.getByRole('table', { name: 'Rows to hold back' }).textContent();
      expect(held).toContain('fields.quantity.minimum');
      expect(held).toContain('fields.order_id.unique');
      expect(await faults(page)).toEqual([]);
      expectClean(recorded);
    });

    test('reads a CSV whose header is on a later line, with backslashes before quotes, for some signs', async () => {
      await using recorded = await dashboard.open('#/try?source=titled');
      const { page } = recorded;
      const days = Array.from({ length: 20 }, (_, i) => `"say \\"hi\\"",2026-02-${String(11 + i)}`);
      await page.getByLabel(/^Or paste rows/).fill(['Orders of May', 'text,day', ...days].join('\n'));
      await page.getByText('More settings').click();
      await page.getByLabel('Line of the CSV header').fill('2');
      await page.getByLabel('CSV escape').selectOption('Backslash');
      await page.getByLabel(/^Signs of damage/).fill('mojibake');
      await page.getByRole('button', { name: 'Screen', exact: true }).click();
      await page.getByText('This batch can be written.').waitFor();
      await page.getByLabel(/^Signs of damage/).fill('all');
      await page.getByRole('button', { name: 'Screen', exact: true }).click();
      await page
        .getByText(/2 values \(10%\) are dates that do not exist/)
        .first()
        .waitFor();
      expect(await faults(page)).toEqual([]);
      expectClean(recorded);
    });

    test('opens closed settings to show one that is invalid', async () => {
      await using recorded = await dashboard.open('#/try?source=orders');
      const { page } = recorded;
      await page.getByRole('button', { name: 'Use an example' }).click();
      await page.getByText('More settings').click();
      await page.getByLabel('WARN above this share of nulls').fill('2');
      await page.getByText('More settings').click();
      await page.getByRole('button', { name: 'Screen', exact: true }).click();
      await page.locator('input:focus:invalid').waitFor();
      expectClean(recorded);
    });

    test('says that a chosen file has changed since, or cannot be read', async () => {
      const file = join(newFolder(), 'orders.csv');
      copyFileSync(exampleFile('orders-broken.csv'), file);
      await using recorded = await dashboard.open('#/try');
      const { page } = recorded;
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('button', { name: 'Remove' }).waitFor();
      copyFileSync(exampleFile('orders-clean.csv'), file);
      utimesSync(file, 0, 0);
      await page.getByRole('button', { name: 'Screen', exact: true }).click();
      const said = /cannot read this: it is a folder, or a file that has changed since you chose it/;
      await page.getByRole('alert').filter({ hasText: said }).waitFor();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('button', { name: 'Screen', exact: true }).click();
      await page.getByRole('region', { name: 'Verdict' }).waitFor();

      await page.evaluate('Blob.prototype.arrayBuffer = async () => { throw new DOMException("no") }');
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('alert').filter({ hasText: said }).waitFor();
      expectClean(recorded);
    });

    test('stores nothing after a dry run', async () => {
      await using recorded = await dashboard.open('#/try?source=dry');
      const { page } = recorded;
      await page.getByRole('button', { name: 'Use an example' }).click();
      await page.getByText('More settings').click();
      await page.getByLabel(/Dry run/).check();
      await page.getByRole('button', { name: 'Screen' }).click();
      await page.getByText('nothing was stored').waitFor();
      expect(await (await dashboard.get('/v1/jobs?source=dry')).json()).toEqual({ jobs: [] });
      expectClean(recorded);
    });

    test('shows the progress of an upload, and stops it', async () => {
      await using recorded = await dashboard.open('#/try?source=large');
      const { page } = recorded;
      const slow = await page.context().newCDPSession(page);
      await slow.send('Network.enable');
      const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 };
      await slow.send('Network.emulateNetworkConditions', conditions);
      const rows = `id,text\n${`1,${'x'.repeat(1000)}\n`.repeat(4000)}`;
      const buffer = Buffer.from(rows);
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'large.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: 'Screen' }).click();
      await page.getByText(/Uploading, [1-9]/).waitFor();
      expect(Number(await page.locator('progress').getAttribute('value'))).toBeWithin(0.001, 1);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('progress').waitFor({ state: 'detached' });
      expect(await (await dashboard.get('/v1/jobs?source=large')).json()).toEqual({ jobs: [] });
    });
  });

  test('a webhook is added, tried and deleted with the keyboard', async () => {
    const got = Promise.withResolvers<[body: string, headers: Headers]>();
    using receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => {
        got.resolve([await request.text(), request.headers]);
        return new Response();
      },
    });
    await using recorded = await dashboard.open('#/alerts');
    const { page } = recorded;
    await page.getByText('No channels yet').waitFor();
    await page.getByLabel('URL').fill('http://');
    await page.getByLabel('URL').press('Enter');
    await page.getByRole('alert').filter({ hasText: 'url must be an address' }).waitFor();
    await page.getByLabel('URL').fill(receiver.url.href);
    await page.getByLabel('Name').fill('<b>on call</b>');
    await page.getByLabel('Sources').fill('none-of-these/*');
    await page.getByLabel('Name').press('Enter');
    const secret = (await page.locator('output').textContent())!;
    await screenshot(page, 'webhook-added');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send a test <b>on call</b>' }).press('Enter');
    const [body, headers] = await got.promise;
    expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toMatchObject({
      type: 'channel.test',
    });
    const delivered = async () => {
      const answer = await dashboard.get('/v1/alerts/deliveries');
      const { deliveries } = (await answer.json()) as { deliveries: { status: string }[] };
      if (deliveries[0]!.status !== 'delivered') throw new Error('still under way');
    };
    await eventually(delivered);
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await page.getByText(/, delivered/).waitFor();
    await page.getByRole('button', { name: /^Send again/ }).press('Enter');
    await page.getByRole('status').filter({ hasText: 'sent again' }).waitFor();
    await page.getByRole('button', { name: 'Replace the secret' }).press('Enter');
    expect(await page.locator('output').textContent()).not.toBe(secret);
    await page.keyboard.press('Escape');
    await screenshot(page, 'alerts-one');
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete <b>on call</b>' }).press('Enter');
    await page.locator('dialog').getByRole('button', { name: 'Delete channel' }).press('Enter');
    await page.getByText('No channels yet').waitFor();
    // The browser notes the refused URL.
    expect(recorded.complaints).toEqual([expect.stringContaining('400')]);
  });

  test('the overview says what needs attention, and takes the first step', async () => {
    const open = async () => {
      const { incidents } = (await (await dashboard.get('/v1/incidents?status=open')).json()) as {
        incidents: { source: string; last_job: string; acknowledged_at: string; snoozed_until: string }[];
      };
      if (incidents.length < 3) throw new Error('not taken up yet');
      return incidents.find(({ source }) => source === 'customers')!;
    };
    const { last_job } = await eventually(open);
    await using recorded = await dashboard.open('#/');
    const { page } = recorded;
    const entry = page.locator('.entries li').filter({ hasText: 'customers' });
    await entry.getByText(/^1 batch, /).waitFor();
    await screenshot(page, 'attention');
    await entry.getByRole('button', { name: 'Acknowledge of customers' }).click();
    await entry.getByText(/, acknowledged/).waitFor();
    expect((await open()).acknowledged_at).not.toBeNull();
    await entry.getByLabel('Snooze of customers').selectOption('7');
    await entry.getByText(/snoozed until/).waitFor();
    await entry.getByRole('button', { name: 'End the snooze of customers' }).click();
    await entry.getByLabel('Snooze of customers').waitFor();
    expect((await open()).snoozed_until).toBeNull();
    expect(await faults(page)).toEqual([]);
    await entry.getByRole('link', { name: 'Open the last batch' }).click();
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    expect(page.url()).toEndWith(last_job);
    expectClean(recorded);
  });

  test('the overview shows open incidents, also where the chosen days have no batch', async () => {
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    await page.route('**/v1/stats?*', async route => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...((await response.json()) as object), totalJobs: 0, sources: [] } });
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('No batches in the last 30 days').waitFor();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await page.getByRole('link', { name: 'Open the last batch' }).count()).toBeGreaterThan(0);
  });

  test('a key is shown once, and works until it is deleted', async () => {
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    await page.getByLabel('Name').fill('<b>nightly</b>');
    await page.getByLabel('Name').press('Enter');
    const key = (await page.locator('output').textContent())!;
    const status = async () =>
      (await fetch(`${dashboard.server.url}/v1/jobs`, { headers: { 'X-API-Key': key } })).status;
    expect(await status()).toBe(200);
    expect(await page.locator('dialog pre').textContent()).toContain(key);
    await copyBy(page, 'Copy the key');
    await screenshot(page, 'key-created');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);

    const remove = page.getByRole('button', { name: 'Delete <b>nightly</b>' });
    await remove.click();
    await page.keyboard.press('Escape');
    await focusOn(page, 'Delete <b>nightly</b>');
    await remove.click();
    await page.getByRole('button', { name: 'Delete key' }).click();
    await remove.waitFor({ state: 'detached' });
    expect(await status()).toBe(401);
    expectClean(recorded);
  });

  test('the error of a key that could not be deleted is seen, even after Escape', async () => {
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    const answer = Promise.withResolvers<void>();
    await page.route('**/v1/keys/*', async route => {
      await answer.promise;
      await route.fulfill({ status: 503, json: { message: 'Not now', code: 'SERVICE_UNAVAILABLE' } });
    });
    await page.getByRole('button', { name: 'Delete bootstrap' }).click();
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('button', { name: 'One moment…' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    answer.resolve();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'Not now' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('a read is repeated after an error of a proxy, a write is not, and the page says what to do', async () => {
    await using recorded = await dashboard.open('#/jobs');
    const { page } = recorded;
    const asked: string[] = [];
    await page.route('**/v1/keys', async route => {
      asked.push(route.request().method());
      if (asked.length === 2) await route.continue();
      else await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
    });
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'Delete bootstrap' }).waitFor();
    await page.getByLabel('Name').fill('daily');
    await page.getByLabel('Name').press('Enter');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'The server cannot answer right now. Try again soon.' }).waitFor();
    expect(asked).toEqual(['GET', 'GET', 'POST']);
    await page.unroute('**/v1/keys');
    await page.route('**/v1/keys', route => route.abort());
    await page.getByLabel('Name').press('Enter');
    await alert.filter({ hasText: 'The server does not answer. Check that it runs' }).waitFor();
  });

  test('resets a baseline after a confirmation', async () => {
    await using recorded = await dashboard.open('#/sources');
    const { page } = recorded;
    const row = page.getByRole('row').filter({ hasText: 'customers' });
    await row.getByRole('img', { name: /Health of the last 4 jobs/ }).waitFor();
    const ask = async () => {
      await row.getByRole('button', { name: 'Actions for customers' }).click();
      await page.getByRole('button', { name: 'Reset baseline…' }).click();
    };
    await ask();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await dashboard.get('/v1/schema/customers')).status).toBe(200);
    await ask();
    await page.getByRole('heading', { name: 'Reset the baseline of customers?' }).waitFor();
    await screenshot(page, 'reset');
    await page.locator('dialog').getByRole('button', { name: 'Reset baseline' }).click();
    await row.locator('.c-baseline').getByText('none').waitFor();
    expect((await dashboard.get('/v1/schema/customers')).status).toBe(404);
    expectClean(recorded);
  });

  describe('feedback', () => {
    const rows = (change: (i: number) => object): object[] =>
      Array.from({ length: 40 }, (_, i) => ({ id: i, amount: i / 2, ...change(i) }));
    const screen = (source: string, sent: object[]) =>
      dashboard.screen(JSON.stringify({ source, rows: sent }));
    const of = async (path: string) => (await dashboard.get(`/v1/schema/${path}`)).json() as Promise<never>;

    test('accepts a lasting change on its report, and goes back to a version on the source', async () => {
      for (let i = 0; i < 3; i++)
        await screen(
          'changing',
          rows(() => ({})),
        );
      const first = await screen(
        'changing',
        rows(() => ({ amount: 'x' })),
      );
      const second = await screen(
        'changing',
        rows(() => ({ amount: 'x' })),
      );
      await using recorded = await dashboard.open(`#/sources/changing`);
      const { page } = recorded;
      await page.getByText('The same field differs in 2 batches').waitFor();
      await screenshot(page, 'source-blocked');
      await page.getByRole('link', { name: 'the newest of them' }).click();
      await page.getByText('The same field has differed since').waitFor();
      expect(page.url()).toEndWith(second);
      await page.getByRole('button', { name: 'Accept as the new normal' }).click();
      await screenshot(page, 'accept');
      await page.locator('dialog').getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('status').filter({ hasText: 'is the normal of' }).waitFor();
      expect(await of('changing')).toMatchObject({ batches: 4, fields: { amount: { type: 'string' } } });

      await page.goto(`${dashboard.server.url}/#/jobs/${first}`);
      await page.getByRole('button', { name: 'It was expected' }).click();
      await page.getByRole('status').filter({ hasText: 'part of the history now' }).waitFor();
      await page.getByText('Marked as expected: its rows can be written.').waitFor();
      expect(await of('changing')).toMatchObject({ batches: 5 });

      await page.goto(`${dashboard.server.url}/#/sources/changing`);
      await page.getByText('2 versions to go back to').click();
      const accepted = page.getByRole('listitem').filter({ hasText: `${ANN} accepted a batch` });
      await accepted.getByRole('button', { name: 'Go back to before' }).click();
      await page.locator('dialog').getByRole('button', { name: 'Go back' }).click();
      await page.getByText('back at version 1').waitFor();
      expect(await of('changing')).toMatchObject({ batches: 3, fields: { amount: { type: 'number' } } });
      expect(await faults(page)).toEqual([]);
      expectClean(recorded);
    });

    test('a batch that is marked as bad no longer says that it can be written', async () => {
      const id = await screen(
        'marked',
        rows(i => ({ id: i })),
      );
      await using recorded = await dashboard.open(`#/jobs/${id}`);
      const { page } = recorded;
      const verdict = page.getByRole('region', { name: 'Verdict' });
      await verdict.getByText('This batch can be written').waitFor();
      await page.getByRole('button', { name: 'It was bad' }).click();
      await verdict.getByText('Marked as bad: its rows should not be written.').waitFor();
    });

    test('suggestions that are accepted before the page has loaded again all hold', async () => {
      for (let i = 0; i < 3; i++) await dashboard.screenExample('orders-clean.csv', 'quick');
      await using recorded = await dashboard.open('#/sources/quick');
      const { page } = recorded;
      await page.getByText(/suggested rules$/).click();
      // Holds back the new suggestions until both are accepted.
      const bothAccepted = Promise.withResolvers<void>();
      await page.route('**/rules/suggested', async route => {
        await bothAccepted.promise;
        await route.continue();
      });
      const accepts = page.getByRole('button', { name: /^Accept / });
      const rules = (await accepts.allTextContents()).slice(0, 2).map(text => text.replace('Accept ', ''));
      expect(rules).toHaveLength(2);
      for (const [i, rule] of rules.entries()) {
        await accepts.nth(i).click();
        await page
          .getByRole('status')
          .filter({ hasText: `${rule} holds` })
          .waitFor();
      }
      bothAccepted.resolve();
      const held = page.getByRole('list', { name: 'Rules that hold' });
      for (const rule of rules) await held.getByText(rule).first().waitFor();
      expectClean(recorded);
    });

    test('accepts a suggested rule, edits the rules, and shows who changed them', async () => {
      await screen(
        'ruled',
        Array.from({ length: 60 }, (_, i) => ({ id: i, amount: i / 2 })),
      );
      await using recorded = await dashboard.open('#/sources/ruled');
      const { page } = recorded;
      await page.getByText('This source has no rules').waitFor();
      await page.getByText('7 suggested rules').click();
      await page.getByText('None of 60 rows is without a value').first().waitFor();
      await page.getByRole('button', { name: 'Accept fields.id.unique' }).click();
      await page.getByRole('status').filter({ hasText: 'fields.id.unique holds' }).waitFor();
      expect(await of('ruled/rules')).toMatchObject({
        version: 1,
        rules: { fields: { id: { unique: true } } },
      });
      await page.getByText('6 suggested rules').waitFor();

      await page.getByText('Edit the rules').click();
      await page.getByLabel('Rules as JSON').fill('{"rows": {"min": 1,}}');
      await page.getByRole('button', { name: 'Save rules' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('This is no JSON');
      await page.getByLabel('Rules as JSON').fill('{"rows": {"min": "1"}}');
      await page.getByRole('button', { name: 'Save rules' }).click();
      await page.getByRole('alert').filter({ hasText: 'rows.min: must be a whole number' }).waitFor();
      await page.getByLabel('Rules as JSON').fill('{"rows": {"min": 1}}');
      await page.getByRole('button', { name: 'Save rules' }).click();
      await page.getByText('The rules are saved').waitFor();
      expect(await of('ruled/rules')).toMatchObject({ version: 2, rules: { rows: { min: 1 } } });
      await page.getByText('2 changes of the rules').click();
      await page.getByText('version 2 changed by a person who was signed in').waitFor();
      await screenshot(page, 'rules');

      await page.getByText('Edit the rules').click();
      // Somebody else changes them meanwhile.
      await dashboard.put('/v1/schema/ruled/rules', { rows: { min: 2 } });
      await page.getByLabel('Rules as JSON').fill('{"rows": {"min": 3}}');
      await page.getByRole('button', { name: 'Save rules' }).click();
      await page.getByRole('alert').filter({ hasText: 'have version 3, not 2' }).waitFor();
      expect(await of('ruled/rules')).toMatchObject({ version: 3, rules: { rows: { min: 2 } } });
      await page.reload();
      await page.getByText('Edit the rules').click();
      await page.getByRole('button', { name: 'Delete all rules' }).click();
      await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('This source has no rules').waitFor();
      expect(await faults(page)).toEqual([]);
      // The browser notes the refused document and the refused change.
      expect(recorded.complaints).toEqual([expect.stringContaining('400'), expect.stringContaining('409')]);
    });

    test('applies advice, saves settings and pins a baseline', async () => {
      for (let i = 0; i < 3; i++)
        await screen(
          'gaps',
          rows(id => ({ name: id % 4 ? null : 'Ann' })),
        );
      await using recorded = await dashboard.open('#/sources/gaps', { viewport: NARROW });
      const { page } = recorded;
      const button = page.getByRole('button', { name: 'Set these thresholds' });
      await button.waitFor();
      await dashboard.put('/v1/schema/gaps/settings', { settle_after: 'never' });
      await button.click();
      await page.getByText('It applies to the next batch').waitFor();
      const thresholds = { null_rate_warn: 0.8, null_rate_block: 0.9 };
      expect(await of('gaps/settings')).toMatchObject({ settle_after: 'never' });
      expect(await of('gaps/settings')).toMatchObject({ mode: null, thresholds });
      await page.getByLabel('Advice').waitFor({ state: 'detached' });

      await page.getByText('Thresholds, false alarms and signs of damage').click();
      await page.getByLabel(/^Signs of damage/).fill('mojibake, impossible_date');
      expect(await page.getByLabel('WARN above this share of nulls').inputValue()).toBe('0.8');
      await page.getByLabel('BLOCK above this share of nulls').fill('');
      await page.getByLabel('Share of false alarms').fill('2');
      await page.getByRole('combobox', { name: 'Judged' }).selectOption('adaptive');
      await page.getByRole('button', { name: 'Save settings' }).click();
      expect(await page.getByRole('alert').textContent()).toContain('0.0001 to 0.2');
      await page.getByLabel('Share of false alarms').fill('0.05');
      await page.getByText('Many small posts').click();
      await page.getByLabel('Rows of a window').fill('5000');
      await page.getByLabel('Seconds of a window').fill('60');
      await page.getByRole('button', { name: 'Save settings' }).click();
      await page.getByText('The settings are saved').waitFor();
      expect(await of('gaps/settings')).toMatchObject({
        mode: 'adaptive',
        thresholds: { null_rate_warn: 0.8 },
        false_alarm_rate: 0.05,
        signs: ['mojibake', 'impossible_date'],
        window: { rows: 5000, ms: 60_000 },
      });

      await page.getByRole('button', { name: 'Pin', exact: true }).click();
      await page.getByRole('button', { name: 'Unpin' }).waitFor();
      expect(await of('gaps')).toMatchObject({ pinned: true });
      expect(await overhang(page)).toBe(0);
      expect(await faults(page)).toEqual([]);
      await screenshot(page, 'source-judging');
    });
  });

  describe('billing', () => {
    const PAY = 'https://pay.example/session';
    let ben: string;
    beforeAll(async () => {
      ben = await dashboard.newcomer('ben@corp.com');
    });

    /** As if the operator had set up payments. */
    const sell = async (page: Page, plan = 'developer') => {
      const { token } = JSON.parse(ben);
      const headers = { Authorization: `Bearer ${token}` };
      const usage = (await (await fetch(`${dashboard.server.url}/v1/billing`, { headers })).json()) as object;
      await page.route('**/v1/billing', route =>
        route.fulfill({ json: { ...usage, plan, plansForSale: true } }),
      );
      await page.reload();
      await settled(page);
    };

    test('shows usage, and links to the payment provider and back', async () => {
      await using recorded = await dashboard.open('#/billing', {}, ben);
      const { page } = recorded;
      expect(await page.locator('.meter').textContent()).toContain('3 of 500,000');
      await sell(page);
      const asked: unknown[] = [];
      await page.route('**/v1/billing/checkout', route => {
        asked.push(route.request().postDataJSON());
        return route.fulfill({ json: { url: PAY } });
      });
      await page.route(`${PAY}*`, route => route.fulfill({ contentType: 'text/html', body: '<h1>Pay</h1>' }));
      await page.getByRole('button', { name: 'Upgrade to Growth' }).click();
      await page.waitForURL(PAY);
      expect(asked).toEqual([{ tier: 'growth' }]);
      await page.goto(`${dashboard.server.url}/?checkout=canceled`);
      await page.getByText('You canceled the payment').waitFor();
      expect(page.url()).toBe(`${dashboard.server.url}/#/billing`);
      // The message is shown once.
      await page.getByRole('link', { name: 'Keys' }).click();
      await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Plan Developer' }).waitFor();
      expect(await page.getByText('You canceled the payment').count()).toBe(0);
    });

    test('can be used again after the browser went back to it', async () => {
      await using recorded = await dashboard.open('#/billing', {}, ben);
      const { page } = recorded;
      await sell(page);
      await page.route('**/v1/billing/checkout', route => route.fulfill({ json: { url: PAY } }));
      // The page stays as it is, as it does in the cache of a browser.
      await page.route(PAY, route => route.fulfill({ status: 204 }));
      await page.getByRole('button', { name: 'Upgrade to Growth' }).click();
      await page.getByRole('button', { name: 'Opening…' }).waitFor();
      await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
      await page.getByRole('button', { name: 'Upgrade to Growth' }).click({ trial: true });
    });

    test('sells to an account whose paid plan the operator gave', async () => {
      await using recorded = await dashboard.open('#/billing', {}, ben);
      const { page } = recorded;
      await sell(page, 'starter');
      await page.route('**/v1/billing/portal', route =>
        route.fulfill({ json: { url: 'https://pay.example/no-subscription' } }),
      );
      await page.route('**/v1/billing/checkout', route => route.fulfill({ json: { url: PAY } }));
      await page.route('https://pay.example/*', route =>
        route.fulfill({ contentType: 'text/html', body: '<h1>Pay</h1>' }),
      );
      await page.getByRole('button', { name: 'Upgrade to Growth' }).click();
      await page.getByRole('heading', { name: 'Pay' }).waitFor();
      expect(page.url()).toBe(PAY);
    });

    test('follows only http and https addresses', async () => {
      await using recorded = await dashboard.open('#/billing', {}, ben);
      const { page } = recorded;
      await sell(page);
      await page.route('**/v1/billing/checkout', route =>
        route.fulfill({ json: { url: 'javascript:alert(1)' } }),
      );
      await page.getByRole('button', { name: 'Upgrade to Starter' }).click();
      await page.getByRole('alert').waitFor();
      expect(page.url()).toBe(`${dashboard.server.url}/#/billing`);
    });

    test('has no page to go to and no button where payments are not set up', async () => {
      await using recorded = await dashboard.open('#/billing', {}, ben);
      const { page } = recorded;
      await page.getByText('The operator of this service decides').waitFor();
      expect(await page.getByRole('button', { name: /Upgrade|subscription/ }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Billing' }).count()).toBe(0);
    });
  });

  describe('jobs', () => {
    test('open a field with all facts about it', async () => {
      await using recorded = await dashboard.open(`#/jobs/${brokenJob}`);
      const { page } = recorded;
      await page.getByRole('button', { name: 'amount' }).click();
      expect(await page.locator('dialog').textContent()).toMatch(/Median/);
      await screenshot(page, 'field');
      await page.keyboard.press('Escape');
      await focusOn(page, 'amount');
    });
  });

  test('reads the heat map with the arrow keys', async () => {
    await using recorded = await dashboard.open('#/sources/orders');
    const { page } = recorded;
    await page.getByRole('application').focus();
    await page.keyboard.press('ArrowDown');
    const said = page.locator('.heat [aria-live]');
    await said.filter({ hasText: 'null on' }).waitFor();
    const first = (await said.textContent())!;
    await page.keyboard.press('ArrowLeft');
    await said.filter({ hasNotText: first }).waitFor();
    expect(await said.textContent()).toContain('null on');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    expectClean(recorded);
  });

  describe('a session', () => {
    test('that has ended leads to the sign-in page', async () => {
      await using recorded = await dashboard.open('#/jobs');
      const { page } = recorded;
      await page.route('**/v1/stats*', route =>
        route.fulfill({ status: 401, json: { message: 'This session has ended', code: 'AUTH_INVALID' } }),
      );
      await page.getByRole('link', { name: 'Sources' }).click();
      await page.getByText('You are signed out.').waitFor();
      expect(await page.evaluate('localStorage.length')).toBe(0);
    });

    test('of another account that begins in another tab leaves nothing of the first account on the page', async () => {
      const ben = await dashboard.newcomer('ben-too@corp.com');
      await using recorded = await dashboard.open('#/keys');
      const { page } = recorded;
      await page.getByRole('button', { name: 'Delete bootstrap' }).waitFor();
      // A tab in the background learns of signing out and in again at once.
      await page.evaluate(`localStorage.setItem('sluice.session', ${JSON.stringify(ben)})`);
      await page.evaluate("dispatchEvent(new StorageEvent('storage', { key: 'sluice.session' }))");
      await page.getByText('ben-too@corp.com').waitFor();
      await page.getByText('No keys yet').waitFor();
      expect(await page.getByText('bootstrap').count()).toBe(0);
    });

    test('ends on the server when the user signs out', async () => {
      await using recorded = await dashboard.openSignedOut();
      const { page } = recorded;
      await page.goto(dashboard.server.url);
      await page.getByLabel('E-mail address').fill('leaving@corp.com');
      await page.keyboard.press('Enter');
      await page.getByLabel('Six digits').fill(await codeOf(dashboard.server, 'leaving@corp.com'));
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      const { token } = JSON.parse(await page.evaluate("localStorage.getItem('sluice.session')"));
      const ended = page.waitForResponse(answer => answer.request().method() === 'DELETE');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await ended;
      await page.getByText('You are signed out.').waitFor();
      const headers = { Authorization: `Bearer ${token}` };
      expect((await fetch(`${dashboard.server.url}/v1/jobs`, { headers })).status).toBe(401);
    });
  });

  test('2,000 fields and 1,000 jobs show within a second of work, and scroll', async () => {
    await makeLarge('large');
    await using recorded = await dashboard.open('#/keys');
    const { page } = recorded;
    const [job] = ((await (await dashboard.get('/v1/jobs?source=large&limit=1')).json()) as Jobs).jobs;
    const ready: [hash: string, selector: string][] = [
      ['#/sources/large', '.heat-name'],
      [`#/jobs/${job!.id}`, '.fields .c-field button'],
      ['#/jobs?source=large', '.jobs .row a'],
      ['#/', '.source-list'],
      ['#/sources', '.sources .row a'],
    ];
    const work = await workOf(page, dashboard.server);
    for (const [hash, selector] of ready) {
      await page.goto(`${dashboard.server.url}/#/keys`);
      await settled(page);
      const before = await work();
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.locator(selector).first().waitFor();
      const took = (await work()) - before;
      console.info(`${hash}: ${Math.round(took)} ms of work`);
      expect(took, hash).toBeWithin(1, 1000);
    }

    await page.goto(`${dashboard.server.url}/#/jobs/${job!.id}`);
    await page.locator('.fields .c-field button').first().waitFor();
    const fields = page.getByRole('table', { name: 'Fields' });
    expect(await fields.getAttribute('aria-rowcount')).toBe('2001');
    expect(await fields.getByRole('row').count()).toBeLessThan(100);
    await page.mouse.move(700, 600);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('button', { name: 'field_1999', exact: true }).waitFor();
    expect(await fields.getByRole('row').count()).toBeLessThan(100);

    await page.goto(`${dashboard.server.url}/#/jobs?source=large`);
    for (let older = 0; older < 4; older++) {
      await page.getByRole('button', { name: 'Show older jobs' }).click();
      await settled(page);
    }
    await page.getByRole('heading', { name: '1,000 jobs' }).waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('.row[aria-rowindex="1001"]').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    expectClean(recorded);
  });

  // Colours depend on the scheme and structure on the width: each is checked once.
  describe.each([
    ['light', WIDE, NARROW],
    ['dark', NARROW, WIDE],
  ] as const)('in %s colours', (colorScheme, viewport, other) => {
    test('no page has a serious accessibility fault, and none is too wide', async () => {
      await using recorded = await dashboard.openSignedOut({ colorScheme, viewport });
      const { page } = recorded;
      await page.goto(dashboard.server.url);
      await settled(page);
      expect(await faults(page)).toEqual([]);
      await page.evaluate(`localStorage.setItem('sluice.session', ${JSON.stringify(dashboard.session)})`);
      await page.reload();
      for (const [name, hash] of Object.entries(PAGES)) {
        await page.goto(`${dashboard.server.url}/${hash.replace('{job}', brokenJob)}`);
        await settled(page);
        expect({ name, faults: await faults(page) }).toEqual({ name, faults: [] });
        await screenshot(page, `${name}-${viewport.width}-${colorScheme}`);
        for (const size of [...BETWEEN, other]) {
          await page.setViewportSize(size);
          expect({ name, size, overhang: await overhang(page) }).toEqual({ name, size, overhang: 0 });
        }
        if (EVERY_SCREENSHOT) await screenshot(page, `${name}-${other.width}-${colorScheme}`);
        await page.setViewportSize(viewport);
      }
      await page.goto(`${dashboard.server.url}/#/jobs/${brokenJob}`);
      await page.getByRole('button', { name: 'amount' }).click();
      expect(await faults(page)).toEqual([]);
      expectClean(recorded);
      // Proves that axe finds faults.
      await page.evaluate("document.querySelector('dialog').append(document.createElement('input'))");
      expect((await faults(page)).join()).toContain('label');
    });
  });

  describe('hostile names', () => {
    const NAMES = [
      '<img src=x onerror="document.title=\'hit\'">',
      '__proto__',
      'constructor',
      'a/b%2Fc?d#e',
      '\u202eright to left\u202e',
      'עברית',
      '👩‍👩‍👧‍👦'.repeat(20),
      `${'long'.repeat(50)}`,
      '"; DROP TABLE jobs',
    ];
    const FIELDS = [...NAMES, '', ' ', 'x'.repeat(1024), '<script>alert(1)</script>', 'ẗ̸̢'.repeat(100)];
    const ids = new Map<string, string>();

    beforeAll(async () => {
      const values = NAMES.map((value, i) => [FIELDS[i % FIELDS.length]!, value] as const);
      const row = Object.fromEntries([...FIELDS.map((name, i) => [name, i] as const), ...values]);
      const rows = `[${Array.from({ length: 3 }, () => JSON.stringify(row)).join()}]`;
      for (const source of NAMES)
        ids.set(source, await dashboard.screen(`{"source":${JSON.stringify(source)},"rows":${rows}}`));
      const fields = Object.fromEntries(FIELDS.map(name => [name, { enum: NAMES, description: name }]));
      for (const source of NAMES.slice(0, 5))
        await dashboard.put(`/v1/schema/${encodeURIComponent(source)}/rules`, {
          description: source,
          fields,
        });
    });

    /** Texts with characters that change the direction of what follows. */
    const TURNED = `[document.title, document.body.innerText].filter(text => /[\\u202a-\\u202e]/.test(text))`;

    test.each([NARROW, WIDE])('are shown as text and do not break the layout, %j', async viewport => {
      await using recorded = await dashboard.open('', { viewport });
      const { page } = recorded;
      const visit = async (hash: string) => {
        await page.goto(`${dashboard.server.url}/${hash}`);
        await settled(page);
        expect({ hash, overhang: await overhang(page) }).toEqual({ hash, overhang: 0 });
        expect(await page.title()).not.toBe('hit');
        expect(await page.locator('main img, main script, main b > b').count()).toBe(0);
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
        expect(await page.evaluate(TURNED)).toEqual([]);
      };
      for (const hash of ['#/', '#/sources', '#/jobs']) await visit(hash);
      // The last of these changes the direction of text, and is escaped.
      for (const source of NAMES.slice(0, 5)) {
        await visit(`#/sources/${encodeURIComponent(source)}`);
        expect(await page.locator('h1').textContent()).toBe(escaped(source));
        expect(await page.locator('.heat-name').count()).toBeGreaterThan(5);
      }
      for (const source of NAMES.slice(0, 4)) await visit(`#/jobs/${ids.get(source)}`);
      await screenshot(page, `hostile-job-${viewport.width}`);
      expectClean(recorded);
    });

    test('cannot run even if they get into the page as markup', async () => {
      await using recorded = await dashboard.open('#/nowhere');
      const { page } = recorded;
      const tried = await page.evaluate(`(() => {
        const ran = [];
        for (const attempt of [
          () => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="document.title = 1">'),
          () => document.body.append(Object.assign(document.createElement('script'), { text: 'document.title = 1' })),
        ]) try { attempt(); ran.push(String(attempt)); } catch {}
        return ran;
      })()`);
      expect(tried).toEqual([]);
      expect(await page.title()).toBe('Page not found · Sluice');
    });

    test('in an unknown address give a message', async () => {
      await using recorded = await dashboard.open('#/constructor', { viewport: NARROW });
      const { page } = recorded;
      const wordsAt = async (hash: string): Promise<string> => {
        await page.goto(`${dashboard.server.url}/${hash}`);
        await settled(page);
        expect(await overhang(page)).toBe(0);
        return (await page.locator('main').textContent()) ?? '';
      };
      expect(await wordsAt('#/constructor')).toContain('no page at this address');
      expect(await wordsAt('#/sources/%')).toContain('no page at this address');
      expect(await wordsAt('#/sources/')).toContain('no page at this address');
      expect(await wordsAt('#/jobs/.')).toContain('no page at this address');
      expect(await wordsAt('#/sources/toString')).toContain('No batch of this source is stored');
      expect(await wordsAt(`#/sources/${'n'.repeat(10_000)}`)).toContain('at most 200');
      expect(await wordsAt('#/jobs/__proto__')).toContain('no job with this id');
    });
  });
});
