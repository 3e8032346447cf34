/** The real program with a signed-in user and data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { KEY, Server } from '../e2e/server.ts';
import { openPage, type RecordedPage } from './browser.ts';

export const ANN = 'ann@corp.com';
const EXAMPLES = join(import.meta.dir, '../../examples');
/** For people to look at, who ask for them with the variable of the same name; not committed. */
const SCREENSHOTS = join(import.meta.dir, '../.artifacts/dashboard');

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

export const exampleFile = (name: string): string => join(EXAMPLES, name);

export class Dashboard implements AsyncDisposable {
  private constructor(
    readonly server: Server,
    readonly session: string,
  ) {}

  /** Ann can sign in to the account of the key, which has a large plan. `folder`: of data that is there; by default an empty one. */
  static async start(folder?: string): Promise<Dashboard> {
    const server = await Server.start({ BOOTSTRAP_EMAIL: ANN, ALERT_ALLOW_PRIVATE: 'true' }, folder);
    return new Dashboard(server, await sessionOf(server, ANN));
  }

  /** The session of a new user on the developer plan who has screened three rows. */
  async newcomer(email: string): Promise<string> {
    const session = await sessionOf(this.server, email);
    const body = JSON.stringify({ source: 'orders', rows: [{ id: 1 }, { id: 2 }, { id: 3 }] });
    const { token } = JSON.parse(session);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const { status } = await fetch(`${this.server.url}/v1/screen`, { method: 'POST', headers, body });
    if (status !== 200) throw new Error(`${status} instead of 200`);
    return session;
  }

  /** Opens `hash` with Ann's session or the given one, and waits until it is loaded. */
  async open(
    hash: string,
    options: BrowserContextOptions = {},
    session = this.session,
  ): Promise<RecordedPage> {
    const recorded = await this.openSignedOut(options);
    await recorded.page.addInitScript(`localStorage.setItem('sluice.session', ${JSON.stringify(session)})`);
    await recorded.page.goto(`${this.server.url}/${hash}`);
    await settled(recorded.page);
    return recorded;
  }

  /** An empty page without a session. */
  async openSignedOut(options: BrowserContextOptions = {}): Promise<RecordedPage> {
    const recorded = await openPage({ viewport: WIDE, ...options });
    return recorded;
  }

  /** Screens an example's CSV as a batch of `source`. */
  async screenExample(name: string, source: string): Promise<void> {
    const headers = { 'Content-Type': 'text/csv', 'X-Source': encodeURIComponent(source) };
    await this.screen(await Bun.file(exampleFile(name)).text(), headers);
  }

  /** Screens a batch; returns the id of the job. */
  async screen(body: string, headers: Record<string, string> = {}): Promise<string> {
    const response = await this.server.post(body, headers);
    if (response.status !== 200) throw new Error(await response.text());
    return ((await response.json()) as { request_id: string }).request_id;
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.server.url}${path}`, { headers: { 'X-API-Key': KEY } });
  }

  put(path: string, body: object): Promise<Response> {
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };
    return fetch(`${this.server.url}${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}

/** The one-time code in the log for an address. */
export async function codeOf(server: Server, email: string): Promise<string> {
  const [, code] = await server.prints(new RegExp(`for ${email} is (\\d{6})\\b[^\\n]*\\n`));
  return code!;
}

/** A session in the form that the page stores. */
async function sessionOf(server: Server, email: string): Promise<string> {
  const post = (path: string, body: object) =>
    fetch(`${server.url}/v1/auth/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  await post('otp', { email });
  const opened = await post('session', { email, code: await codeOf(server, email) });
  return JSON.stringify({ ...((await opened.json()) as object), email });
}

/** Waits until everything on the page is loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('.bone, .loading').first().waitFor({ state: 'detached' });
}

export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** By how many pixels the page is wider than the window. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Waits until an element of the main part has the focus and contains this text. */
export const focusOn = (page: Page, text: string): Promise<void> =>
  page.locator('main :focus').filter({ hasText: text }).waitFor();

/** The processor time of a page and its server in milliseconds, which a busy machine does not lengthen. */
export async function workOf(page: Page, server: Server): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const { value } = metrics.find(({ name }) => name === 'TaskDuration')!;
    return value * 1000 + processorMsOf(server.child.pid);
  };
}

/** In user and system mode; Linux counts both in hundredths of a second. */
function processorMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) * 10;
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const SERIOUS = ['serious', 'critical'];

interface Fault {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Serious accessibility faults. The debugger runs axe in spite of the page's security policy. */
export async function faults(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: Fault[];
  };
  return violations
    .filter(({ impact }) => SERIOUS.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`));
}

const SAYS_COPIED = `new Promise(resolve => {
  const look = () => document.body.textContent.includes('Copied') && resolve();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
})`;

/** Presses a button that copies. It says so for two seconds, which a machine may sleep through: so the page itself looks, at each change. */
export async function copyBy(page: Page, button: string): Promise<void> {
  await Promise.all([page.evaluate(SAYS_COPIED), page.getByRole('button', { name: button }).click()]);
}
