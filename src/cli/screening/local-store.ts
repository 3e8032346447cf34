/** The stores of the command line: baselines of one account, without a limit on rows. Of jobs only the last BLOCKed one of each source is kept. */
import { closeSync, existsSync, mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import type {
  Account,
  AllowanceStore,
  BaselineStore,
  Completion,
  JobStore,
  StoredBaseline,
} from '../../stores/ports.ts';
import { keyOf, type Threads } from '../../threads/threads.ts';
import type { ScreenDependencies } from '../../screen/dependencies.ts';
import { SqliteBaselines } from '../../stores/sqlite/baselines.ts';
import { openSqlite } from '../../stores/sqlite/file.ts';
import { Failure } from '../failure.ts';
import { removedAtExit } from '../parts/leftovers.ts';

const SALT_BYTES = 32;
/** How long to wait for another run on the same file. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_PAUSE_MS = 20;
/** "slui" in SQLite's field for the owner of a file. Files of other programs are left alone. */
const APPLICATION_ID = 0x736c7569;

/** What `sluice accept` needs of a batch. Its report holds no values. */
export type BlockedBatch = Pick<Completion, 'job' | 'document' | 'state'>;

/** The last BLOCKed batch of each source. */
export interface BlockedBatches {
  /** Replaces that of the source. */
  keep(batch: BlockedBatch): void;
  find(source: string): BlockedBatch | null;
  forget(source: string): void;
  sources(): string[];
}

export interface Memory {
  /** Null: they are not kept. */
  baselines: BaselineStore | null;
  /** Null: they are not kept. */
  blocked: BlockedBatches | null;
  /** 32 secret bytes. Stored hashes compare only with hashes of the same salt. */
  salt: Uint8Array;
  close(): void;
}

export interface StoredMemory extends Memory {
  baselines: BaselineStore;
}

/** Stores nothing: every batch is the first of its source. */
export const noMemory = (): Memory => ({
  baselines: null,
  blocked: null,
  salt: new Uint8Array(randomBytes(SALT_BYTES)),
  close: () => {},
});

/** Known to all, so that what was measured in one place can be compared with what was measured in another. */
export const PUBLIC_SALT = new Uint8Array(SALT_BYTES);

export const NOTHING_STORED: StoredBaseline = {
  ...{ generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [] },
  notes: { settings: null, rules: null, pinned: false, run: null },
};

/** Of sources whose every batch is the first. */
export const forgetfulBaselines = (threads: Threads): ScreenDependencies['baselines'] => ({
  readEarly: (_, source) => ({
    ...{ source, since: null, stored: NOTHING_STORED },
    read: Promise.resolve(NOTHING_STORED),
  }),
  judgeAtOnce: () => null,
  judgedAtOnce: () => null,
  judge: (thread, account, source, order) =>
    threads.askAt(thread, 'judge', { ...order, key: keyOf(account, source) }, async () => NOTHING_STORED),
  learn: async () => false,
  unlearn: async () => {},
  callOff: async () => true,
  written: async (thread, account, source, { id }) => {
    const order = { key: keyOf(account, source), id, isLearned: false, isBusy: false };
    // A thread that has ended has forgotten it.
    await thread.ask('written', order).catch(() => {});
  },
  noteRun: async () => {},
  isKnown: async () => false,
});

/** Stores baselines until it is closed. */
export function temporaryMemory(fill: (file: string) => void = () => {}): StoredMemory {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'));
  const remove = removedAtExit(folder, true);
  const file = join(folder, 'baselines.sqlite');
  try {
    fill(file);
    const memory = memoryIn(file);
    const close = () => {
      memory.close();
      remove();
    };
    return { ...memory, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A copy of the baselines in a file, which is only read: it may be on a disk that takes no writes. Throws `Failure`. */
export function copiedMemory(file: string): StoredMemory {
  if (!existsSync(file))
    throw new Failure(
      'There is no such file of baselines. sluice screen --baseline makes one: with --dry-run it stores nothing else',
      file,
    );
  try {
    checkOwner(file);
    return temporaryMemory(copy => {
      const database = new Database(file, { readonly: true });
      try {
        database.run('VACUUM INTO ?', [copy]);
      } finally {
        database.close();
      }
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The baselines cannot be read: ${(error as Error).message}`, file);
  }
}

/** Stores baselines and the salt of their hashes in a file, created if absent. Throws `Failure`. */
export function memoryIn(file: string): StoredMemory {
  const until = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return openMemory(file);
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { code, message } = error as { code?: string; message: string };
      // SQLite does not wait while another run makes a database of a new file.
      const isBusy = code?.startsWith('SQLITE_BUSY') && performance.now() < until;
      if (!isBusy) throw new Failure(`The baseline cannot be stored here: ${message}`, file);
      Bun.sleepSync(BUSY_PAUSE_MS);
    }
  }
}

function openMemory(file: string): StoredMemory {
  // The file holds a secret: create it here, with its permissions.
  closeSync(openSync(file, 'a', 0o600));
  const salt = saltIn(file);
  const baselines = new SqliteBaselines(file, BUSY_TIMEOUT_MS);
  const database = openSqlite(file, BUSY_TIMEOUT_MS);
  const close = () => {
    database.close();
    baselines.close();
  };
  return { baselines, blocked: blockedIn(database), salt, close };
}

function blockedIn(database: Database): BlockedBatches {
  database.exec(
    'CREATE TABLE IF NOT EXISTS blocked (source TEXT PRIMARY KEY, job TEXT NOT NULL, report TEXT NOT NULL, state BLOB NOT NULL) STRICT',
  );
  const find = database.prepare<{ job: string; report: string; state: Uint8Array }, { source: string }>(
    'SELECT job, report, state FROM blocked WHERE source = $source',
  );
  return {
    keep: ({ job, document: { report }, state }) =>
      void database
        .prepare('INSERT OR REPLACE INTO blocked VALUES ($source, $job, $report, $state)')
        .run({ source: job.source, job: JSON.stringify(job), report, state: state! }),
    find: source => {
      const found = find.get({ source });
      if (found === null) return null;
      const { job, report, state } = found;
      return { job: JSON.parse(job), document: { report, profile: '{}' }, state: new Uint8Array(state) };
    },
    forget: source => void database.prepare('DELETE FROM blocked WHERE source = $source').run({ source }),
    sources: () =>
      database
        .prepare<{ source: string }, []>('SELECT source FROM blocked ORDER BY source')
        .all()
        .map(({ source }) => source),
  };
}

function saltIn(file: string): Uint8Array {
  checkOwner(file);
  const database = openSqlite(file, BUSY_TIMEOUT_MS);
  try {
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(
      'CREATE TABLE IF NOT EXISTS salt (one INTEGER PRIMARY KEY CHECK (one = 1), bytes BLOB NOT NULL) STRICT',
    );
    database
      .prepare('INSERT INTO salt VALUES (1, $bytes) ON CONFLICT DO NOTHING')
      .run({ bytes: randomBytes(SALT_BYTES) });
    const { bytes } = database.prepare<{ bytes: Uint8Array }, []>('SELECT bytes FROM salt').get()!;
    return new Uint8Array(bytes);
  } finally {
    database.close();
  }
}

/** Reads the file without changing it. */
function checkOwner(file: string): void {
  const database = new Database(file, { readonly: true });
  try {
    const { application_id: owner } = database
      .prepare<{ application_id: number }, []>('PRAGMA application_id')
      .get()!;
    const { tables } = database
      .prepare<{ tables: number }, []>('SELECT count(*) AS tables FROM sqlite_master')
      .get()!;
    if (owner !== APPLICATION_ID && tables > 0)
      throw new Failure('This is a database of another program; use another file for --baseline', file);
  } finally {
    database.close();
  }
}

export const localAccount = ({ salt }: Memory): Account => ({
  id: 'local',
  name: 'local',
  plan: 'scale',
  paidPeriod: null,
  paidUntil: null,
  salt,
});

/** The command line has no limit on rows. */
export const unlimited: AllowanceStore = {
  reserve: async () => ({ left: Number.MAX_SAFE_INTEGER, count: '' }),
  release: async () => {},
  counted: async () => 0,
};

/** Calls `complete` with what the service would store of each batch. */
export const jobStore = (complete: JobStore['complete']): Pick<JobStore, 'complete'> => ({ complete });
