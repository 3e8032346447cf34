/** The real program with somebody signed in to it, and data to look at. */
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { Server } from '../e2e/server.ts';
import { openPage, type RecordedPage } from './browser.ts';

export const ANN = 'ann@corp.com';

/** People look at these; they are not kept. */
const SCREENSHOTS = join(import.meta.dir, '../.artifacts/dashboard');

const MONTH = { periodStart: '2026-11-01T00:00:00.000Z', periodEnd: '2026-12-01T00:00:00.000Z' };
export const USAGE = { plan: 'developer', rowsProcessed: 123_456, requestCount: 789, ...MONTH };

export class Dashboard {
  readonly #token: Promise<{ token: string; expires_at: string }>;

  private constructor(readonly server: Server) {
    this.#token = this.#signIn();
  }

  /** Ann may sign in to the account of the key, which has room for whatever a test sends. */
  static async start(): Promise<Dashboard> {
    return new Dashboard(await Server.start({ BOOTSTRAP_EMAIL: ANN }));
  }

  /** Opens `hash` as somebody who is signed in, and waits until everything has been loaded. */
  async open(hash: string, options: BrowserContextOptions = {}): Promise<RecordedPage> {
    const recorded = await this.openSignedOut(options);
    const session = JSON.stringify({ ...(await this.#token), email: ANN });
    await recorded.page.addInitScript(`localStorage.setItem('sluice.session', ${JSON.stringify(session)})`);
    await recorded.page.goto(`${this.server.url}/${hash}`);
    await settled(recorded.page);
    return recorded;
  }

  /** A page of somebody who has never been here. The payment provider is not asked: its answers are the contract's. */
  async openSignedOut(options: BrowserContextOptions = {}): Promise<RecordedPage> {
    const recorded = await openPage({ viewport: { width: 1440, height: 900 }, ...options });
    await recorded.page.route('**/v1/billing', route => route.fulfill({ json: USAGE }));
    return recorded;
  }

  /** Calls the API as the page would. */
  async call(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = { ...init.headers, Authorization: `Bearer ${(await this.#token).token}` };
    return (await fetch(`${this.server.url}${path}`, { ...init, headers })).json();
  }

  async #signIn(): Promise<{ token: string; expires_at: string }> {
    await this.#post('otp', { email: ANN });
    const code = await this.code();
    return (await this.#post('session', { email: ANN, code })) as { token: string; expires_at: string };
  }

  /** The code that was logged last. */
  async code(): Promise<string> {
    await this.server.prints(/ann@corp\.com is \d{6}\b[^\n]*\n/);
    return [...this.server.output.matchAll(/ann@corp\.com is (\d{6})\b/g)].at(-1)![1]!;
  }

  async #post(path: string, body: object): Promise<unknown> {
    const response = await fetch(`${this.server.url}/v1/auth/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
    return response.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

/** Nothing on the page waits for anything any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  await page.locator('.bone, .loading').first().waitFor({ state: 'detached' });
}

export const screenshot = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
