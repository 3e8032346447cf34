/** /docs in a browser: a user enters a key and tries requests; the page sends requests only to its server. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { KEY, Server } from '../e2e/server.ts';
import { describeWithBrowser, openPage } from './browser.ts';

const PASTED = 'id,amount\n1,10\n2,20\n3,30\n';

async function authorize(page: Page, field: string, secret: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const form = page.locator('.auth-container form').filter({ has: page.locator(field) });
  await form.locator(field).fill(secret);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.close-modal').click();
}

/** Opens an operation by its id, ready for input. */
async function tryOut(page: Page, tag: string, id: string): Promise<Locator> {
  const operation = page.locator(`#operations-${tag}-${id}`);
  // The address then names the operation. Without this Playwright waits for a navigation, which a loaded machine may end before it looks.
  await operation.locator('.opblock-summary-control').click({ noWaitAfter: true });
  await operation.getByRole('button', { name: 'Try it out' }).click();
  return operation;
}

/** The answer on the page. */
async function execute(page: Page, operation: Locator) {
  const arrives = page.waitForResponse(response => /\/v1\//.test(response.url()));
  await operation.getByRole('button', { name: 'Execute' }).click();
  const response = await arrives;
  const shown = operation.locator('.live-responses-table .response').first();
  const body = await response.json();
  await shown
    .getByText(body.request_id ?? body.code ?? 'jobs')
    .first()
    .waitFor();
  const status = Number(await shown.locator('.response-col_status').textContent());
  return { status, body, request: response.request(), text: await shown.textContent() };
}

describeWithBrowser('/docs', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('screens JSON and CSV with the key that the user enters', async () => {
    await using recorded = await openPage();
    const { page } = recorded;
    await page.goto(`${server.url}/docs`);
    await authorize(page, '#api_key_value', KEY);
    const screen = await tryOut(page, 'Screening', 'screen');
    const json = await execute(page, screen);
    expect([json.status, json.body.status]).toEqual([200, 'BLOCK']);
    expect(json.text).toContain('x-service-status: BLOCK');
    expect(json.request.headers()).toMatchObject({ 'x-api-key': KEY, 'content-type': 'application/json' });

    await screen.locator('.body-param-content-type select').selectOption('text/csv');
    await screen.getByPlaceholder('X-Source').fill('pasted');
    await screen.locator('.body-param__text').fill(PASTED);
    const csv = await execute(page, screen);
    expect([csv.status, csv.body.status]).toEqual([200, 'PASS']);
    expect(csv.body.stats).toMatchObject({ rows_received: 3, source: 'pasted' });
    expect(csv.request.headers()).toMatchObject({ 'content-type': 'text/csv', 'x-source': 'pasted' });
    expect(recorded.complaints).toEqual([]);
    expect(recorded.outside(server.url)).toEqual([]);
  });

  test('accepts the token of a session instead of a key', async () => {
    await using recorded = await openPage({ colorScheme: 'dark' });
    const { page } = recorded;
    await page.goto(`${server.url}/docs/`);
    await authorize(page, '#auth-bearer-value', 'sluice_session_of_nobody');
    const refused = await execute(page, await tryOut(page, 'Jobs', 'listJobs'));
    expect([refused.status, refused.body.message]).toEqual([401, 'This is not a session token']);
    expect(refused.request.headers().authorization).toBe('Bearer sluice_session_of_nobody');
    expect(recorded.outside(server.url)).toEqual([]);
    // Only the browser's own message about the rejected request.
    expect(recorded.complaints.filter(each => !/status of 401/.test(each))).toEqual([]);
  });

  test('gets an error from the browser for anything that its policy forbids', async () => {
    await using recorded = await openPage();
    const { page } = recorded;
    // The page is what matters, not what it shows.
    await page.route('**/*.js', route => route.abort());
    await page.goto(`${server.url}/docs`);
    const tried = page.waitForEvent('console', message => /Content Security Policy/.test(message.text()));
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { text: 'bad = 1' }))",
    );
    await tried;
    expect(await page.evaluate('typeof bad')).toBe('undefined');
    expect(recorded.complaints.join()).toContain('Content Security Policy');
  });
});
