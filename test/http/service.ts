/** The application over the real engine and baselines, with accounts and usage that a test can see into. */
import { join } from 'node:path';
import pino from 'pino';
import { keySha256 } from '../../src/account/keys.ts';
import { RateLimiter } from '../../src/account/rate.ts';
import { type AppDependencies, createApp } from '../../src/app.ts';
import { BaselineKeeper } from '../../src/baseline/keeper.ts';
import { compileEngine } from '../../src/engine/engine.ts';
import { EnginePool } from '../../src/engine/pool.ts';
import { KeyCheck } from '../../src/http/key-check.ts';
import { EmbeddedBaselines } from '../../src/stores/embedded.ts';
import type { Account, AccountStore, UsageStore } from '../../src/stores/ports.ts';

export const KEY = `sluice_live_${'k1'.repeat(16)}`;
/** A key of an account on the plan `scale`, whose rate no test reaches. */
export const SCALE_KEY = `sluice_live_${'k2'.repeat(16)}`;
/** 2026-11-21T12:00:00.000Z, and it stands still. */
export const NOW = Date.UTC(2026, 10, 21, 12);

const wasm = join(import.meta.dir, '../../build/engine.wasm');
const module = await compileEngine(await Bun.file(wasm).bytes());

const account = (id: string, plan: Account['plan']): Account => ({
  id,
  name: id,
  plan,
  salt: new Uint8Array(32).fill(7),
});

export class ListedAccounts implements AccountStore {
  readonly asked: string[] = [];
  readonly byHash = new Map([
    [keySha256(KEY), account('owner', 'developer')],
    [keySha256(SCALE_KEY), account('scaler', 'scale')],
  ]);

  async accountOfKey(hash: string): Promise<Account | null> {
    this.asked.push(hash);
    return this.byHash.get(hash) ?? null;
  }
}

export class CountedUsage implements UsageStore {
  readonly used = new Map<string, number>();

  async reserve(id: string, _period: number, rows: number, allowance: number): Promise<number | null> {
    const used = (this.used.get(id) ?? 0) + rows;
    if (used > allowance) return null;
    this.used.set(id, used);
    return allowance - used;
  }

  async release(id: string, _period: number, rows: number): Promise<void> {
    this.used.set(id, (this.used.get(id) ?? 0) - rows);
  }
}

export class Service {
  readonly accounts = new ListedAccounts();
  readonly usage = new CountedUsage();
  readonly engines: EnginePool;
  readonly deps: AppDependencies;
  readonly app: ReturnType<typeof createApp>;

  constructor(change: Partial<AppDependencies> = {}) {
    const maxBodyBytes = change.maxBodyBytes ?? 1024 * 1024;
    this.engines = new EnginePool(module, maxBodyBytes, 2);
    this.deps = {
      engines: this.engines,
      baselines: new BaselineKeeper(new EmbeddedBaselines(':memory:')),
      usage: this.usage,
      keys: new KeyCheck(this.accounts, () => NOW),
      rates: new RateLimiter(),
      maxBodyBytes,
      sampleRows: 1000,
      bodyStallSeconds: 10,
      bodySeconds: 120,
      now: () => NOW,
      random: bytes => crypto.getRandomValues(new Uint8Array(bytes)),
      log: pino({ level: 'silent' }),
      ...change,
    };
    this.app = createApp(this.deps);
  }

  /** Posts a body to /v1/screen; JSON unless the headers say otherwise. */
  async post(body: BodyContent, headers: Record<string, string> = {}): Promise<Answer> {
    const request = new Request('http://localhost/v1/screen', {
      method: 'POST',
      body,
      headers: { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/json', ...headers },
    });
    return answerOf(await this.app.handle(request));
  }

  csv(body: BodyContent, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post(body, { 'Content-Type': 'text/csv', 'X-Source': 'orders', ...headers });
  }

  lines(body: BodyContent, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post(body, { 'Content-Type': 'application/x-ndjson', 'X-Source': 'orders', ...headers });
  }
}

export type BodyContent = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what the body holds is what the tests ask
  body: any;
}

export async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A batch of JSON rows as a request body. */
export const batch = (rows: unknown[], more: Record<string, unknown> = {}): string =>
  JSON.stringify({ source: 'orders', rows, ...more });
