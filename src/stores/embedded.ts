/**
 * Baselines in one SQLite file, for a single machine. Any number of processes may share the file.
 *
 * A source's row has its generation and version, and its sequence at the last fold or withdrawal. `state` holds the tail.
 * `folded_state` holds ids without states, see `embedded-remembered.ts`.
 * Every method is one synchronous transaction: it either happens completely, or throws SERVICE_UNAVAILABLE and changes
 * nothing. `LastReads` answers reads that need no transaction.
 */
import type { Database, Statement } from 'bun:sqlite';
import { EmbeddedKept, HAS_ROOM } from './embedded-kept.ts';
import { EmbeddedNotes } from './embedded-notes.ts';
import { LastReads } from './embedded-last-reads.ts';
import { EmbeddedRemembered } from './embedded-remembered.ts';
import { EmbeddedRules } from './embedded-rules.ts';
import { openBaselines } from './embedded-schema.ts';
import { EmbeddedVersions } from './embedded-versions.ts';
import {
  type BaselineStore,
  type BlockedRun,
  type Bounds,
  type Kept,
  type Known,
  NOTE_BYTES,
  SOURCE_BYTES,
  STATE_BYTES,
  type StoredBaseline,
  type StoredState,
  type StoredVersion,
  UNBOUNDED,
} from './ports.ts';
import { SharedCommit, type Writes } from './shared-commit.ts';
import { sourceKey, sourceOf } from './source-key.ts';
import type { Transaction } from './sqlite-file.ts';
import { available } from './unavailable.ts';

/** The sequence of a baseline: that of its newest state, or the one before the last fold or withdrawal. */
const SEQUENCE = 'max(sequence, ifnull((SELECT max(sequence) FROM state WHERE baseline = key), 0))';

const RESET = 'DELETE FROM baseline WHERE account = $account AND ($source IS NULL OR source = $source)';

interface BaselineRow extends Known {
  key: number;
}

interface Appended {
  account: string;
  source: string;
  entry: StoredState;
  bounds: Bounds;
}

/** `next`: added behind the states that were read last. `added`: the baseline has to be read again. `there`: it had the state already. */
type Outcome = 'next' | 'added' | 'there';

type SourceBinding = { account: string; source: string };
type IdBinding = { key: number; id: string };

export class EmbeddedBaselines implements BaselineStore {
  readonly #database: Database;
  readonly #find: Statement<BaselineRow, [SourceBinding]>;
  readonly #folded: Statement<{ folded: Uint8Array | null }, [{ key: number }]>;
  readonly #tail: Statement<{ id: string; state: Uint8Array }, [{ key: number; after: number }]>;
  readonly #create: Statement<unknown, [SourceBinding & { generation: string }]>;
  readonly #add: Statement<unknown, [SourceBinding & { id: string; bytes: Uint8Array; mostBytes: number }]>;
  readonly #replace: Statement<unknown, [{ key: number; sequence: number; folded: Uint8Array }]>;
  readonly #drop: Statement<unknown, [IdBinding]>;
  readonly #reset: Statement<unknown, [{ account: string; source: string | null }]>;
  readonly #rewrite: Statement<unknown, [{ key: number; sequence: number }]>;
  readonly #sources: Statement<{ source: string }, [{ account: string; after: string; limit: number }]>;
  readonly #renew: Statement<
    unknown,
    [{ key: number; generation: string; folded: Uint8Array | null; sequence: number }]
  >;
  readonly #dropAll: Statement<unknown, [{ key: number }]>;
  readonly #remembered: EmbeddedRemembered;
  readonly #kept: EmbeddedKept;
  readonly #notes: EmbeddedNotes;
  readonly #rules: EmbeddedRules;
  readonly #versions: EmbeddedVersions;
  readonly #lastReads: LastReads;
  readonly #appends: SharedCommit<Appended, Outcome>;
  readonly #readAtomically: Transaction<EmbeddedBaselines['read'], StoredBaseline>;
  readonly #appendAtomically: Transaction<(appended: Appended) => unknown, boolean>;
  readonly #foldAtomically: Transaction<EmbeddedBaselines['fold'], boolean>;

  /** Opens or creates the file. Throws SQLite's error if it cannot. */
  constructor(path: string, busyTimeoutMs?: number) {
    const database = openBaselines(path, busyTimeoutMs);
    this.#kept = new EmbeddedKept(database);
    this.#database = database;
    this.#find = database.prepare(
      `SELECT key, generation, version, ${SEQUENCE} AS sequence FROM baseline
       WHERE account = $account AND source = $source`,
    );
    this.#folded = database.prepare('SELECT folded FROM baseline WHERE key = $key');
    this.#tail = database.prepare(
      'SELECT id, bytes AS state FROM state WHERE baseline = $key AND sequence > $after ORDER BY sequence',
    );
    this.#create = database.prepare(
      `INSERT INTO baseline (account, source, generation, version, sequence)
       VALUES ($account, $source, $generation, 0, 0)`,
    );
    this.#add = database.prepare(
      `INSERT INTO state (baseline, sequence, id, bytes)
       SELECT key, ${SEQUENCE} + 1, $id, $bytes FROM baseline
       WHERE account = $account AND source = $source
         AND NOT EXISTS (SELECT 1 FROM folded_state WHERE baseline = key AND id = $id) AND ${HAS_ROOM}
       ON CONFLICT DO NOTHING`,
    );
    this.#replace = database.prepare(
      'UPDATE baseline SET folded = $folded, version = version + 1, sequence = $sequence WHERE key = $key',
    );
    this.#drop = database.prepare('DELETE FROM state WHERE baseline = $key AND id = $id');
    this.#reset = database.prepare(RESET);
    this.#rewrite = database.prepare(
      'UPDATE baseline SET version = version + 1, sequence = $sequence WHERE key = $key',
    );
    this.#renew = database.prepare(
      'UPDATE baseline SET generation = $generation, version = 0, sequence = $sequence, folded = $folded WHERE key = $key',
    );
    this.#dropAll = database.prepare('DELETE FROM state WHERE baseline = $key');
    this.#remembered = new EmbeddedRemembered(database);
    this.#notes = new EmbeddedNotes(database);
    this.#rules = new EmbeddedRules(database, this.#kept);
    this.#versions = new EmbeddedVersions(database);
    this.#lastReads = new LastReads(database);
    this.#sources = database.prepare(
      'SELECT source FROM baseline WHERE account = $account AND source > $after ORDER BY source LIMIT $limit',
    );
    this.#appends = new SharedCommit(database, this.#appending());
    this.#readAtomically = database.transaction((...call) => this.#readNow(...call));
    this.#appendAtomically = database.transaction((...call) => this.#appendNow(...call));
    this.#foldAtomically = database.transaction((...call) => this.#foldNow(...call));
  }

  read(account: string, source: string, known?: Known): Promise<StoredBaseline> {
    return available(() => {
      const read = known && this.#lastReads.after(account, source, known);
      return read ?? this.#readAtomically(account, source, known);
    });
  }

  append(account: string, source: string, entry: StoredState, bounds = UNBOUNDED): Promise<boolean> {
    return available(async () => (await this.#appends.add({ account, source, entry, bounds })) !== 'there');
  }

  fold(...call: Parameters<BaselineStore['fold']>): Promise<boolean> {
    const [account, source] = call;
    return this.#write(account, source, () => this.#foldAtomically.immediate(...call));
  }

  restore(...call: Parameters<BaselineStore['restore']>): Promise<boolean> {
    const [account, source] = call;
    return this.#atomically(account, source, () => this.#restoreNow(...call));
  }

  withdraw(account: string, source: string, id: string, expected?: Known): Promise<boolean> {
    return this.#atomically(account, source, () => this.#withdrawNow(account, source, id, expected));
  }

  callOff(account: string, source: string, id: string): Promise<boolean> {
    return this.#atomically(account, source, () => this.#callOffNow(account, source, id));
  }

  async sources(account: string, after: string | null, limit: number): Promise<string[]> {
    const from = after === null ? '' : sourceKey(after);
    const found = await available(() => this.#sources.all({ account, after: from, limit }));
    return found.map(({ source }) => sourceOf(source));
  }

  async reset(account: string, source?: string): Promise<void> {
    const key = source === undefined ? null : sourceKey(source);
    await this.#write(account, source, () => this.#reset.run({ account, source: key }));
  }

  setSettings(...call: Parameters<BaselineStore['setSettings']>): Promise<boolean> {
    const [account, source] = call;
    return this.#atomically(account, source, () => this.#setSettingsNow(...call));
  }

  setRules(
    account: string,
    source: string,
    before: string | null,
    after: string,
    past: string,
    bounds = UNBOUNDED,
  ): Promise<boolean> {
    return this.#write(account, source, () =>
      this.#rules.set(account, source, { before, after, past }, bounds),
    );
  }

  rulesPast(account: string, source: string): Promise<string | null> {
    return available(() => this.#rules.past(account, source));
  }

  async kept(account: string): Promise<Kept> {
    return available(() => this.#kept.of(account));
  }

  async lastLearned(account: string, source: string): Promise<number> {
    return available(() => this.#kept.lastLearned(account, source));
  }

  forget(account: string, source: string): Promise<void> {
    return this.#atomically(account, source, () => {
      this.#reset.run({ account, source: sourceKey(source) });
      this.#kept.forgetNote(account, source);
    });
  }

  setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    return this.#write(account, source, () => this.#notes.setPinned(account, source, pinned));
  }

  noteBlocked(account: string, source: string, run: Omit<BlockedRun, 'batches'>): Promise<void> {
    return this.#write(account, source, () => this.#notes.noteBlocked(account, source, run));
  }

  endRun(account: string, source: string): Promise<void> {
    return this.#write(account, source, () => this.#notes.endRun(account, source));
  }

  keepVersion(
    account: string,
    source: string,
    note: string,
    copy: Uint8Array,
    bounds = UNBOUNDED,
  ): Promise<void> {
    return this.#atomically(account, source, () => this.#keepNow(account, source, note, copy, bounds));
  }

  versions(account: string, source: string): Promise<StoredVersion[]> {
    return available(() => this.#versions.list(account, source));
  }

  version(account: string, source: string, number: number): Promise<Uint8Array | null> {
    return available(() => this.#versions.copy(account, source, number));
  }

  close(): void {
    this.#database.close();
  }

  #appending(): Writes<Appended, Outcome> {
    return {
      write: appended => this.#append(appended),
      committed: ({ account, source, entry }, outcome) => {
        if (outcome === 'next') this.#lastReads.appended(account, source, entry);
      },
    };
  }

  #append(appended: Appended): Outcome {
    const { account, source, entry, bounds } = appended;
    const { id, state: bytes } = entry;
    const values = { account, source: sourceKey(source), id, bytes, mostBytes: bounds.bytes };
    if (this.#add.run(values).changes > 0) return 'next';
    // Either the state exists already, or the source has no baseline yet, or there is no room.
    this.#lastReads.forget(account, source);
    return this.#appendAtomically.immediate(appended) ? 'added' : 'there';
  }

  /** Runs a write, of one source or of all. Only appended states are known without another read. */
  #write<T>(account: string, source: string | undefined, run: () => T): Promise<T> {
    return available(() => {
      this.#lastReads.forget(account, source);
      return run();
    });
  }

  /** The same as one transaction, for calls that are rare: making it costs as much as a small one. */
  #atomically<T>(account: string, source: string, run: () => T): Promise<T> {
    return this.#write(account, source, () => this.#database.transaction(run).immediate());
  }

  #readNow(account: string, source: string, known?: Known): StoredBaseline {
    const row = this.#find.get({ account, source: sourceKey(source) });
    const notes = this.#notes.read(account, source);
    if (!row)
      return { generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [], notes };
    const { key, generation, version, sequence } = row;
    const complete = generation !== known?.generation || version !== known.version;
    const folded = complete ? this.#folded.get({ key })!.folded : null;
    const tail = this.#tail.all({ key, after: complete ? 0 : known.sequence });
    const read = { generation, version, sequence, complete, folded, tail, notes };
    this.#lastReads.keep(account, source, read);
    return read;
  }

  /** False: it exists already. */
  #appendNow({ account, source, entry: { id, state }, bounds }: Appended): boolean {
    const named = { account, source: sourceKey(source) };
    const row = this.#find.get(named);
    if (row && this.#kept.hasState(row.key, id)) return false;
    const bytes = state.length + STATE_BYTES + (row ? 0 : SOURCE_BYTES);
    this.#kept.makeRoom(account, bounds, row ? 0 : 1, bytes);
    if (!row) this.#create.run({ ...named, generation: crypto.randomUUID() });
    this.#add.run({ ...named, id, bytes: state, mostBytes: bounds.bytes });
    return true;
  }

  #keepNow(account: string, source: string, note: string, copy: Uint8Array, bounds: Bounds): void {
    if (this.#kept.hasRoom(account, bounds, copy.length + 2 * NOTE_BYTES))
      this.#versions.keep(account, source, note, copy);
  }

  #setSettingsNow(
    account: string,
    source: string,
    before: string | null,
    after: string | null,
    bounds: Bounds = UNBOUNDED,
  ): boolean {
    if (this.#notes.read(account, source).settings !== before) return false;
    const bytesBefore = before === null ? 0 : NOTE_BYTES + Buffer.byteLength(before);
    if (after !== null)
      this.#kept.makeRoom(account, bounds, 0, NOTE_BYTES + Buffer.byteLength(after) - bytesBefore);
    this.#notes.setSettings(account, source, after);
    return true;
  }

  /** The new version makes all replicas reload the tail. */
  #withdrawNow(account: string, source: string, id: string, expected?: Known): boolean {
    const row = this.#find.get({ account, source: sourceKey(source) });
    if (!row) return false;
    const { key, generation, version, sequence } = row;
    if (expected && (generation !== expected.generation || version !== expected.version)) return false;
    const { changes } = this.#drop.run({ key, id });
    if (changes > 0) this.#rewrite.run({ key, sequence });
    return changes > 0;
  }

  /** A source without a baseline remembers nothing: a state that comes late is withdrawn by its own request. */
  #callOffNow(account: string, source: string, id: string): boolean {
    const row = this.#find.get({ account, source: sourceKey(source) });
    if (!row) return true;
    const { key, sequence } = row;
    const remembered = this.#remembered.find(key, id);
    if (remembered !== null) return remembered === 'called off';
    this.#drop.run({ key, id });
    this.#remembered.callOff(key, id, sequence + 1);
    this.#rewrite.run({ key, sequence: sequence + 1 });
    return true;
  }

  /** The new generation makes all replicas reload the baseline. */
  #restoreNow(...call: Parameters<BaselineStore['restore']>): boolean {
    const [account, source, expected, folded, bounds = UNBOUNDED, taken = []] = call;
    const named = { account, source: sourceKey(source) };
    const row = this.#find.get(named);
    if ((row?.generation ?? '') !== expected.generation || (row?.version ?? 0) !== expected.version)
      return false;
    const generation = crypto.randomUUID();
    // A baseline may always be replaced by a smaller one.
    const { bytes: before } = this.#kept.of(account);
    if (!row) {
      this.#kept.makeRoom(account, bounds, 1, SOURCE_BYTES);
      this.#create.run({ ...named, generation });
    }
    const { key } = this.#find.get(named)!;
    this.#dropAll.run({ key });
    this.#remembered.forgetAll(key);
    this.#renew.run({ key, generation, folded: null, sequence: 0 });
    const mostBytes = Math.max(bounds.bytes, before);
    this.#kept.makeRoom(
      account,
      { ...bounds, bytes: mostBytes },
      0,
      folded.length + taken.length * STATE_BYTES,
    );
    const sequence = this.#remembered.fold(key, taken, 0);
    this.#renew.run({ key, generation, folded, sequence });
    this.#notes.endRun(account, source);
    return true;
  }

  #foldNow(...call: Parameters<BaselineStore['fold']>): boolean {
    const [account, source, expected, folded, taken, dropped = []] = call;
    const row = this.#find.get({ account, source: sourceKey(source) });
    if (row?.generation !== expected.generation || row.version !== expected.version) return false;
    const { key } = row;
    const sequence = this.#remembered.fold(key, taken, row.sequence);
    this.#replace.run({ key, sequence, folded });
    for (const id of [...taken, ...dropped]) this.#drop.run({ key, id });
    this.#remembered.trim(key);
    return true;
  }
}
