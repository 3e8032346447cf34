/**
 * Baselines in one SQLite file, for a single machine. Any number of processes may share the file.
 *
 * Every method is one synchronous transaction: it either happens completely, or throws SERVICE_UNAVAILABLE and changes
 * nothing. `LastReads` answers reads that need no transaction.
 */
import type { Database } from 'bun:sqlite';
import {
  type BaselineStore,
  type BlockedRun,
  type Bounds,
  type Kept,
  type Known,
  MAX_VERSION_BYTES,
  MAX_VERSIONS,
  NOTE_BYTES,
  REMEMBERED_IDS,
  SOURCE_BYTES,
  type SourceNotes,
  type SourceTexts,
  STATE_BYTES,
  type StoredBaseline,
  type StoredState,
  type StoredVersion,
  UNBOUNDED,
} from '../ports.ts';
import { ifRoom, inRoom, type Passed, type Roomy } from '../room.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import { available } from '../unavailable.ts';
import { openBaselines } from './baseline-tables.ts';
import { type Prepare, preparing, type Transaction, transactions } from './file.ts';
import { LastReads } from './last-reads.ts';
import { SharedCommit } from './shared-commit.ts';
import * as sql from './baseline-statements.ts';

interface Appended {
  account: string;
  source: string;
  entry: StoredState;
  bounds: Bounds;
}

/** `next`: added behind the states that were read last. `added`: the baseline has to be read again. `there`: it had the state already. */
type Outcome = 'next' | 'added' | 'there' | Passed;

export class SqliteBaselines implements BaselineStore, Roomy {
  readonly #database: Database;
  readonly #prepared: Prepare;
  readonly #transaction: Transaction;
  readonly #lastReads: LastReads;
  readonly #appends: SharedCommit<Appended, Outcome>;

  /** Opens or creates the file. Throws SQLite's error if it cannot. */
  constructor(path: string, busyTimeoutMs?: number) {
    this.#database = openBaselines(path, busyTimeoutMs);
    this.#prepared = preparing(this.#database);
    this.#transaction = transactions(this.#database);
    this.#lastReads = new LastReads(this.#database);
    this.#appends = new SharedCommit(this.#database, {
      write: appended => this.#append(appended),
      committed: ({ account, source, entry }, outcome) => {
        if (outcome === 'next') this.#lastReads.appended(account, source, entry);
      },
    });
  }

  close(): void {
    this.#database.close();
  }

  // ---- The baseline ----

  read(account: string, source: string, known?: Known): Promise<StoredBaseline> {
    return available(() => {
      const read = known && this.#lastReads.after(account, source, known);
      return read ?? this.#transaction.deferred(() => this.#readNow(account, source, known));
    });
  }

  append(account: string, source: string, entry: StoredState, bounds = UNBOUNDED): Promise<boolean> {
    return inRoom(this, account, bounds, async () => {
      const outcome = await available(() => this.#appends.add({ account, source, entry, bounds }));
      return typeof outcome === 'string' ? outcome !== 'there' : outcome;
    });
  }

  fold(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    taken: string[],
    dropped: string[] = [],
  ): Promise<boolean> {
    return this.#write(account, source, () => {
      const row = this.#find(account, source);
      if (row?.generation !== expected.generation || row.version !== expected.version) return false;
      const { key } = row;
      const sequence = this.#remember(key, taken, row.sequence);
      this.#prepared(sql.FOLD).run({ key, sequence, folded });
      for (const id of [...taken, ...dropped]) this.#prepared(sql.DROP_STATE).run({ key, id });
      this.#forgetOldest(key);
      return true;
    });
  }

  /** The new generation makes all replicas reload the baseline. */
  restore(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    bounds = UNBOUNDED,
    taken: string[] = [],
  ): Promise<boolean> {
    const restore = () => {
      const row = this.#find(account, source);
      const { generation = '', version = 0 } = row ?? {};
      if (generation !== expected.generation || version !== expected.version) return false;
      const bytes = SOURCE_BYTES + folded.length + taken.length * STATE_BYTES;
      const before = row ? this.#prepared<{ bytes: number }>(sql.SIZE).get({ key: row.key })!.bytes : 0;
      const passed = this.#passed(account, bounds, row ? 0 : 1, bytes - before);
      if (passed) return passed;
      const key = row?.key ?? this.#create(account, source);
      for (const text of [sql.DROP_STATES, sql.FORGET_IDS]) this.#prepared(text).run({ key });
      const sequence = this.#remember(key, taken, 0);
      this.#prepared(sql.RENEW).run({ key, generation: crypto.randomUUID(), folded, sequence });
      this.#prepared(sql.END_RUN).run(named(account, source));
      return true;
    };
    return inRoom(this, account, bounds, () => this.#write(account, source, restore));
  }

  /** The new version makes all replicas reload the tail. */
  withdraw(account: string, source: string, id: string, expected?: Known): Promise<boolean> {
    return this.#write(account, source, () => {
      const row = this.#find(account, source);
      if (!row) return false;
      const { key, generation, version, sequence } = row;
      if (expected && (generation !== expected.generation || version !== expected.version)) return false;
      const { changes } = this.#prepared(sql.DROP_STATE).run({ key, id });
      if (changes > 0) this.#prepared(sql.CHANGED).run({ key, sequence });
      return changes > 0;
    });
  }

  /** A source without a baseline remembers nothing: a state that comes late is withdrawn by its own request. */
  callOff(account: string, source: string, id: string): Promise<boolean> {
    return this.#write(account, source, () => {
      const row = this.#find(account, source);
      if (!row) return true;
      const { key } = row;
      const remembered = this.#prepared<{ calledOff: number }>(sql.REMEMBERED).get({ key, id });
      if (remembered) return remembered.calledOff === 1;
      const sequence = row.sequence + 1;
      this.#prepared(sql.DROP_STATE).run({ key, id });
      this.#prepared(sql.REMEMBER_CALLED_OFF).run({ key, id, sequence });
      this.#forgetOldest(key);
      this.#prepared(sql.CHANGED).run({ key, sequence });
      return true;
    });
  }

  async sources(account: string, after: string | null, limit: number): Promise<string[]> {
    const from = after === null ? '' : sourceKey(after);
    const sources = this.#prepared<{ source: string }>(sql.SOURCES);
    const found = await available(() => sources.all({ account, after: from, limit }));
    return found.map(({ source }) => sourceOf(source));
  }

  async reset(account: string, source?: string): Promise<void> {
    const key = source === undefined ? null : sourceKey(source);
    await this.#write(account, source, () => this.#prepared(sql.RESET).run({ account, source: key }));
  }

  async forget(account: string, source: string): Promise<void> {
    await this.#write(account, source, () => {
      for (const text of [sql.RESET, sql.FORGET_NOTE]) this.#prepared(text).run(named(account, source));
    });
  }

  // ---- What is noted of a source ----

  setTexts(
    account: string,
    source: string,
    before: Partial<SourceTexts>,
    after: Partial<SourceTexts>,
    bounds = UNBOUNDED,
  ): Promise<boolean> {
    const set = () => {
      const found = this.#texts(account, source);
      const now: SourceTexts = found ?? { settings: null, rules: null, rulesPast: null };
      for (const [name, text] of Object.entries(before))
        if (now[name as keyof SourceTexts] !== text) return false;
      const next = { ...now, ...after };
      const growth = bytesOf(next) - bytesOf(now) + (found ? 0 : NOTE_BYTES);
      const passed = this.#passed(account, bounds, 0, growth);
      if (passed) return passed;
      const { settings, rules, rulesPast } = next;
      this.#prepared(sql.SET_SETTINGS).run({ ...named(account, source), settings });
      if (rules !== null) this.#prepared(sql.SET_RULES).run({ ...named(account, source), rules, rulesPast });
      return true;
    };
    return inRoom(this, account, bounds, () => this.#write(account, source, set));
  }

  rulesPast(account: string, source: string): Promise<string | null> {
    return available(() => this.#texts(account, source)?.rulesPast ?? null);
  }

  setPinned(account: string, source: string, pinned: boolean): Promise<boolean> {
    const values = { ...named(account, source), pinned };
    return this.#write(account, source, () => this.#prepared(sql.PIN).run(values).changes > 0);
  }

  async noteRun(account: string, source: string, run: Omit<BlockedRun, 'batches'> | null): Promise<void> {
    const note = this.#prepared(run ? sql.BLOCKED : sql.END_RUN);
    await this.#write(account, source, () => note.run({ ...named(account, source), ...run }));
  }

  // ---- Versions ----

  async keepVersion(
    account: string,
    source: string,
    note: string,
    copy: Uint8Array,
    bounds = UNBOUNDED,
  ): Promise<void> {
    const keep = () => {
      const passed = this.#passed(account, bounds, 0, copy.length + 2 * NOTE_BYTES);
      if (passed) return passed;
      const { key: owner, copies: number } = this.#prepared<{ key: number; copies: number }>(
        sql.COUNT_VERSION,
      ).get(named(account, source))!;
      this.#prepared(sql.ADD_VERSION).run({ owner, number, note, copy });
      this.#prepared(sql.TRIM_VERSIONS).run({ owner, most: MAX_VERSIONS, mostBytes: MAX_VERSION_BYTES });
      return true;
    };
    await ifRoom(this, account, () => this.#write(account, source, keep));
  }

  versions(account: string, source: string): Promise<StoredVersion[]> {
    return available(() => this.#prepared<StoredVersion>(sql.VERSIONS).all(named(account, source)));
  }

  version(account: string, source: string, number: number): Promise<Uint8Array | null> {
    const copy = this.#prepared<{ copy: Uint8Array }>(sql.VERSION);
    return available(() => copy.get({ ...named(account, source), number })?.copy ?? null);
  }

  // ---- What an account keeps ----

  kept(account: string): Promise<Kept> {
    return available(() => this.#kept(account));
  }

  async lastLearned(account: string, source: string): Promise<number> {
    const learned = this.#prepared<{ learned: number }>(sql.LEARNED);
    return 1000 * ((await available(() => learned.get(named(account, source))))?.learned ?? 0);
  }

  dropOldest(account: string, bytes: number): Promise<boolean> {
    const drop = () => {
      if (this.#prepared(sql.DROP_EMPTY_NOTES).run({ account }).changes > 0) return true;
      const versions = this.#prepared<{ bytes: number }>(sql.VERSION_BYTES).get({ account })!;
      return versions.bytes >= bytes && this.#prepared(sql.DROP_OLDEST).run({ account }).changes > 0;
    };
    return available(() => this.#transaction.immediate(drop));
  }

  // ---- Inside a transaction ----

  /** Runs a write, of one source or of all. Only appended states are known without another read. */
  #write<T>(account: string, source: string | undefined, run: () => T): Promise<T> {
    return available(() => {
      this.#lastReads.forget(account, source);
      return this.#transaction.immediate(run) as T;
    });
  }

  #find(account: string, source: string): (Known & { key: number }) | null {
    return this.#prepared<Known & { key: number }>(sql.FIND).get(named(account, source));
  }

  #texts(account: string, source: string): SourceTexts | null {
    return this.#prepared<SourceTexts>(sql.TEXTS).get(named(account, source));
  }

  #kept(account: string): Kept {
    return this.#prepared<Kept>(sql.KEPT).get({ account }) ?? { sources: 0, bytes: 0 };
  }

  #readNow(account: string, source: string, known?: Known): StoredBaseline {
    const row = this.#find(account, source);
    const notes = this.#notes(account, source);
    if (!row)
      return { generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [], notes };
    const { key, generation, version, sequence } = row;
    const complete = generation !== known?.generation || version !== known.version;
    const { folded } = complete
      ? this.#prepared<{ folded: Uint8Array | null }>(sql.FOLDED).get({ key })!
      : { folded: null };
    const tail = this.#prepared<StoredState>(sql.TAIL).all({ key, after: complete ? 0 : known.sequence });
    const read = { generation, version, sequence, complete, folded, tail, notes };
    this.#lastReads.keep(account, source, read);
    return read;
  }

  #notes(account: string, source: string): SourceNotes {
    const row = this.#prepared<NoteRow>(sql.NOTES).get(named(account, source));
    if (!row) return { settings: null, rules: null, pinned: false, run: null };
    const { settings, rules, pinned, since, last, batches, causes } = row;
    const run = since === null ? null : { since, last, batches, causes };
    return { settings, rules, pinned: pinned === 1, run };
  }

  #append({ account, source, entry: { id, state }, bounds }: Appended): Outcome {
    const values = { ...named(account, source), id, bytes: state, mostBytes: bounds.bytes };
    if (this.#prepared(sql.ADD_STATE).run(values).changes > 0) return 'next';
    // Either the state exists already, or the source has no baseline yet, or there is no room.
    this.#lastReads.forget(account, source);
    return this.#transaction.immediate(() => {
      const row = this.#find(account, source);
      if (row && this.#prepared(sql.HAS_STATE).get({ key: row.key, id })) return 'there';
      const passed = this.#passed(
        account,
        bounds,
        row ? 0 : 1,
        state.length + STATE_BYTES + (row ? 0 : SOURCE_BYTES),
      );
      if (passed) return passed;
      if (!row) this.#create(account, source);
      this.#prepared(sql.ADD_STATE).run(values);
      return 'added';
    }) as Outcome;
  }

  /** Returns the key of the new baseline. */
  #create(account: string, source: string): number {
    const values = { ...named(account, source), generation: crypto.randomUUID() };
    return this.#prepared<{ key: number }>(sql.CREATE).get(values)!.key;
  }

  /** The bound that so many more sources and bytes would pass. */
  #passed(account: string, bounds: Bounds, sources: 0 | 1, bytes: number): Passed | null {
    const kept = this.#kept(account);
    const excess = kept.bytes + bytes - bounds.bytes;
    if (sources > 0 && kept.sources >= bounds.sources) return { bound: 'sources', kept, excess };
    return bytes > 0 && excess > 0 ? { bound: 'bytes', kept, excess } : null;
  }

  /** Remembers the ids of folded states. Ids that the tail does not have get new sequences after `sequence`. Returns the last sequence. */
  #remember(key: number, ids: readonly string[], sequence: number): number {
    let last = sequence;
    for (const id of ids)
      if (this.#prepared(sql.REMEMBER_STATE).run({ key, id }).changes === 0)
        this.#prepared(sql.REMEMBER_ID).run({ key, id, sequence: ++last });
    return last;
  }

  #forgetOldest(key: number): void {
    this.#prepared(sql.FORGET_OLDEST).run({ key, kept: REMEMBERED_IDS });
  }
}

interface NoteRow extends Pick<SourceNotes, 'settings' | 'rules'> {
  pinned: number;
  since: string | null;
  last: string;
  batches: number;
  causes: string;
}

const named = (account: string, source: string) => ({ account, source: sourceKey(source) });

/** Besides those of the row of the source. */
const bytesOf = ({ settings, rules, rulesPast }: SourceTexts): number =>
  Buffer.byteLength(settings ?? '') +
  (rules === null ? 0 : NOTE_BYTES + Buffer.byteLength(rules) + Buffer.byteLength(rulesPast ?? ''));
