/**
 * Chromium for tests of what people see: the machine's own, or Debian's package where it is missing and we may install
 * it. Elsewhere the suites that need it are named as skipped. The headless shell opens a page in a third of the time of the whole browser.
 */
import { afterAll, describe } from 'bun:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { install } from '../servers/install.ts';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const binary = (): string | null => NAMES.map(name => Bun.which(name)).find(path => path !== null) ?? null;

for (const name of ['chromium-headless-shell', 'chromium']) if (binary() === null) install(name);

/** `describe` for suites that use `openPage`; closes their pages at the end. */
export function describeWithBrowser(name: string, suite: () => void): void {
  const describeOrSkip = binary() === null ? describe.skip : describe;
  describeOrSkip(name, () => {
    afterAll(closeBrowser);
    suite();
  });
}

let running: Promise<Browser> | null = null;

/** One browser for all suites of a file, started with the first page. */
const browser = (): Promise<Browser> => {
  // No process is kept ready for a next page: each test opens one, and closes it.
  running ??= chromium.launch({ executablePath: binary()!, args: ['--renderer-process-limit=1'] });
  return running;
};

async function closeBrowser(): Promise<void> {
  const closing = await running;
  running = null;
  await closing?.close();
}

/** For each step on a loaded machine: less than a test may take, so that a failure says which step it was. */
const STEP_MS = 120_000;

/** A page with cookies and storage of its own. */
export interface RecordedPage extends AsyncDisposable {
  page: Page;
  /** Errors and warnings of the console, and uncaught exceptions. */
  complaints: string[];
  /** Requested addresses in order, without `data:` and `blob:`, which send no request. */
  requests: string[];
  /** Requests that did not go to the server at `url`. */
  outside(url: string): string[];
}

/** Opens an empty page and records from its first request. */
export async function openPage(options: BrowserContextOptions = {}): Promise<RecordedPage> {
  const context = await (await browser()).newContext(options);
  context.setDefaultTimeout(STEP_MS);
  const [complaints, requests]: [string[], string[]] = [[], []];
  context.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', thrown => {
    complaints.push(String(thrown.error()));
  });
  context.on('request', request => {
    if (!/^(data|blob):/.test(request.url())) requests.push(request.url());
  });
  const page = await context.newPage();
  return {
    page,
    complaints,
    requests,
    outside: url => requests.filter(each => new URL(each).origin !== new URL(url).origin),
    async [Symbol.asyncDispose]() {
      // A request that a test answers may be on its way when the page goes.
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}
