/** The application over the real engine and baselines, with accounts and usage that a test can see into. */
import { Windows } from '../../src/batches/windows.ts';
import { SqlWindows } from '../../src/stores/sql/windows.ts';
import { Uploads } from '../../src/batches/uploads.ts';
import { RecordScanner } from '../../src/engine/record-starts.ts';
import { SqlBatches } from '../../src/stores/sql/batches.ts';
import { Assembler } from '../../src/threads/assembler.ts';
import { ColumnCutter } from '../../src/threads/column-cutter.ts';
import { join } from 'node:path';
import pino from 'pino';
import { KeyUses } from '../../src/account/key-uses.ts';
import { SignIn } from '../../src/account/sign-in.ts';
import { alertIds } from '../../src/alerts/ids.ts';
import { type AppDependencies, createApp } from '../../src/http/app.ts';
import { BaselineEditor } from '../../src/sources/editor.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import { Authentication } from '../../src/http/authentication.ts';
import { readDashboard } from '../../src/http/dashboard.ts';
import { UnsentBytes } from '../../src/http/unsent-bytes.ts';
import { Baselines } from '../../src/sources/baselines.ts';
import type {
  AllowanceStore,
  BaselineStore,
  Identity,
  RateStore,
  WindowStore,
} from '../../src/stores/ports.ts';
import { SqlAlerts } from '../../src/stores/sql/alerts.ts';
import { SqlBilling } from '../../src/stores/sql/billing.ts';
import { SqlChanges } from '../../src/stores/sql/changes.ts';
import type { TaskSettings } from '../../src/threads/source-tasks.ts';
import { Tasks } from '../../src/threads/tasks.ts';
import { InlineThread } from '../../src/threads/thread.ts';
import { Threads } from '../../src/threads/threads.ts';
import type { SqlDatabase } from '../../src/stores/sql/database.ts';
import { SqlIdempotency } from '../../src/stores/sql/idempotency.ts';
import { SqlIdentities } from '../../src/stores/sql/identities.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { SqlKeys } from '../../src/stores/sql/keys.ts';
import { SqlLedger } from '../../src/stores/sql/ledger.ts';
import { SqlSignIn } from '../../src/stores/sql/sign-in.ts';
import { newStores, SCALE_KEY, type TestStores } from './stores.ts';

export { KEY, newDatabase, newStores, SCALE_KEY } from './stores.ts';

/** 2026-11-21T12:00:00.000Z, and it stands still. */
export const NOW = Date.UTC(2026, 10, 21, 12);

const MONTH = Date.UTC(2026, 10);

const wasm = join(import.meta.dir, '../../build/engine.wasm');
const module = await compileEngine(await Bun.file(wasm).bytes());

const dashboard = await readDashboard(join(import.meta.dir, '../../build/dashboard'));

export const MAX_BODY_BYTES = 1024 * 1024;
const newEngines = (maxBodyBytes: number): Engine[] => [0, 1].map(() => new Engine(module, maxBodyBytes));

const shared = newEngines(MAX_BODY_BYTES);

/** A thread of the test's own. */
export class TestThread extends InlineThread {
  constructor(
    readonly tasks: Tasks,
    onEnd: () => void,
  ) {
    super(tasks, onEnd);
  }
}

/** For a thread that only puts batches together. */
const noEngine = (): Engine => {
  throw new Error('it is asked for no batch');
};

const scanner = new RecordScanner(module);

/** Two of them. The services of a process share their engines: each memory after the eighth is slow. */
function newThreads(maxBodyBytes: number, settings: TaskSettings): Threads {
  const engines = maxBodyBytes === MAX_BODY_BYTES ? shared : newEngines(maxBodyBytes);
  const free = [...engines];
  return new Threads(onEnd => {
    const engine = free.pop() ?? new Engine(module, maxBodyBytes);
    return new TestThread(new Tasks(() => engine, settings), onEnd);
  }, engines.length);
}

/** Records the calls of a store and passes them on. */
export class AskedIdentities extends SqlIdentities {
  readonly asked: string[] = [];

  override ownerOfKey(sha256: string): Promise<Identity | null> {
    this.asked.push(sha256);
    return super.ownerOfKey(sha256);
  }
}

export class Service {
  readonly rows: TestStores['rows'];
  readonly database: SqlDatabase;
  readonly baselineStore: BaselineStore;
  readonly identities: AskedIdentities;
  readonly allowance: AllowanceStore;
  readonly threads: Threads;
  /** One-time codes by address, as they were mailed. */
  readonly mailed = new Map<string, string[]>();
  readonly deps: AppDependencies;
  readonly app: ReturnType<typeof createApp>;
  readonly windows: Windows;
  readonly windowStore: WindowStore;

  constructor(
    change: Partial<
      AppDependencies & TaskSettings & { baselineStore: BaselineStore; windowStore: WindowStore }
    > = {},
  ) {
    const { database, allowance, rates, rows, ...stores } = newStores();
    const { baselineStore = stores.baselineStore } = change;
    this.rows = rows;
    this.database = database;
    this.baselineStore = baselineStore;
    this.identities = new AskedIdentities(database);
    this.allowance = allowance;
    this.windowStore = change.windowStore ?? new SqlWindows(database);
    const [windows, accounts] = [this.windowStore, this.identities];
    this.windows = new Windows(() => ({ ...this.deps, windows, accounts }));
    const keys = new SqlKeys(database);
    const maxBodyBytes = change.maxBodyBytes ?? MAX_BODY_BYTES;
    const { sampleRows = 1000, storeValues = true, defaultMode = 'contract' } = change;
    const log = pino({ level: 'silent' });
    const settings = { sampleRows, storeValues, defaultMode };
    this.threads = newThreads(maxBodyBytes, settings);
    const baselines = new Baselines(baselineStore, this.threads, log);
    this.deps = {
      threads: this.threads,
      baselines,
      editor: new BaselineEditor(baselineStore, (change.baselines as Baselines | undefined) ?? baselines),
      allowance: this.allowance,
      jobs: new SqlJobs(database),
      keys,
      keyUses: new KeyUses(keys),
      unsent: new UnsentBytes(),
      idempotency: new SqlIdempotency(database),
      authentication: new Authentication(this.identities, change.now ?? (() => NOW)),
      rates,
      maxBodyBytes,
      maxSources: null,
      maxBaselineBytes: null,
      maxReportBytes: null,
      defaultMode,
      bodyStallSeconds: 10,
      bodySeconds: 120,
      now: () => NOW,
      sleep: Bun.sleep,
      random: bytes => crypto.getRandomValues(new Uint8Array(bytes)),
      log,
      meter: null,
      metricsEndpoint: null,
      signIn: this.#signIn(database, rates),
      trustedProxies: [],
      billing: new SqlBilling(database),
      ledger: new SqlLedger(database),
      payments: null,
      alerts: new SqlAlerts(database),
      batches: new SqlBatches(database),
      openWindows: this.windows,
      windowEnds: this.windows.ends,
      batchTtlHours: 24,
      assembler: new Assembler(onEnd => new InlineThread(new Tasks(noEngine, settings), onEnd)),
      cutter: new ColumnCutter(() => new InlineThread(new Tasks(noEngine, settings)), 1),
      scanner,
      uploads: new Uploads(),
      changes: new SqlChanges(database),
      publicUrl: () => 'https://sluice.test',
      allowPrivate: false,
      canMail: true,
      newAlertId: alertIds(
        () => NOW,
        bytes => this.deps.random(bytes),
      ),
      dependencies: [],
      dashboard,
      draining: () => false,
      ...change,
    };
    this.app = createApp(this.deps);
  }

  #signIn(database: SqlDatabase, rates: RateStore): SignIn {
    const sendCode = async (email: string, code: string) => {
      this.mailed.set(email, [...(this.mailed.get(email) ?? []), code]);
    };
    return new SignIn({
      store: new SqlSignIn(database),
      baselines: this.baselineStore,
      mailer: { sendCode },
      rates,
      signups: 'open',
      signupPlan: 'developer',
      codesAreLogged: false,
      now: () => NOW,
      random: bytes => crypto.getRandomValues(new Uint8Array(bytes)),
      log: pino({ level: 'silent' }),
    });
  }

  /** Rows counted in the month of NOW. */
  counted(account: string): Promise<number> {
    return this.allowance.counted(account, MONTH);
  }

  async count(account: string, rows: number): Promise<void> {
    await this.allowance.reserve(account, MONTH, rows, rows);
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

/** An object whose methods are another's, but for some. */
export function changed<T extends object>(original: T, changes: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const value = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
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
