/** Port: baselines, with the settings, pin and versions of each source. */

/** The state of a source's baseline that a replica already has. */
export interface Known {
  generation: string;
  version: number;
  sequence: number;
}

export interface StoredState {
  /** The request's id. A state is stored once, even if it is appended again. */
  id: string;
  state: Uint8Array;
}

export interface StoredBaseline extends Known {
  /** True: `folded` and `tail` are everything. False: the folded record is unchanged, and `tail` holds only states after `known.sequence`. */
  complete: boolean;
  folded: Uint8Array | null;
  tail: StoredState[];
  notes: SourceNotes;
}

/** Data about a source besides its baseline. Every read of the baseline returns it. */
export interface SourceNotes {
  /** Null: none. */
  settings: string | null;
  /** Null: none. */
  rules: string | null;
  /** The baseline must not learn. */
  pinned: boolean;
  /** The current run of BLOCKed batches; null: none since the last reset or restore. */
  run: BlockedRun | null;
}

/** Consecutive BLOCKed batches with a common cause. */
export interface BlockedRun {
  /** Id of the first batch. */
  since: string;
  /** Id of the newest batch. */
  last: string;
  /** Number of batches. */
  batches: number;
  /** Causes of the newest batch, as text of the caller. */
  causes: string;
}

/** A stored copy of an earlier baseline. */
export interface StoredVersion {
  /** From 1, ascending. A source never gets the same number twice. */
  number: number;
  /** When and why the copy was made, as text of the caller. */
  note: string;
}

/** Texts about a source that survive a reset; null: none. */
export interface SourceTexts {
  settings: string | null;
  rules: string | null;
  /** What is kept of earlier rules. */
  rulesPast: string | null;
}

export interface SourceAnnotations {
  /** Replaces texts if they still are `before`. Otherwise returns false and changes nothing. */
  setTexts(
    account: string,
    source: string,
    before: Partial<SourceTexts>,
    after: Partial<SourceTexts>,
    bounds?: Bounds,
  ): Promise<boolean>;
  rulesPast(account: string, source: string): Promise<string | null>;
  /** Lasts until the next reset. False if the source has no baseline: nothing changes. */
  setPinned(account: string, source: string, pinned: boolean): Promise<boolean>;
  /** Records a BLOCKed batch: adds it to the run that started with `since`, or starts a new run that replaces the old one. Null ends the run. */
  noteRun(account: string, source: string, run: Omit<BlockedRun, 'batches'> | null): Promise<void>;
}

/**
 * Copies survive a reset. The oldest copies are deleted beyond MAX_VERSIONS, or if all together exceed
 * MAX_VERSION_BYTES. The newest copy always stays.
 */
export interface VersionHistory {
  /** Keeps nothing if there is no room for the copy. */
  keepVersion(
    account: string,
    source: string,
    note: string,
    copy: Uint8Array,
    bounds?: Bounds,
  ): Promise<void>;
  /** Newest first. */
  versions(account: string, source: string): Promise<StoredVersion[]>;
  /** The copy; null if it does not exist. */
  version(account: string, source: string, number: number): Promise<Uint8Array | null>;
}

export const MAX_VERSIONS = 8;
export const MAX_VERSION_BYTES = 4 * 1024 * 1024;

/** What an account keeps. */
export interface Kept {
  /** Sources with a baseline. */
  sources: number;
  /** Bytes of baselines, versions, settings and rules, with what a store needs to keep them. */
  bytes: number;
}

/** What an account may keep. */
export interface Bounds extends Kept {
  /** Makes the error for a change that would pass a bound. */
  refusal(bound: keyof Kept, kept: Kept): Error;
}

export const UNBOUNDED: Bounds = {
  sources: Number.MAX_SAFE_INTEGER,
  bytes: Number.MAX_SAFE_INTEGER,
  refusal: bound => new Error(`more ${bound} than a store can count`),
};

/** Ids of states without a state, folded or called off, that a store remembers of each source. */
export const REMEMBERED_IDS = 1000;

/** A store may charge a source in steps of this size, and for the most that it has needed since its last reset. */
export const ROOM_STEP = 64 * 1024;
/** Charged on top of what a caller stores: for a source, for the id of each remembered state, for a version, for settings and for rules. */
export const SOURCE_BYTES = 1024;
export const STATE_BYTES = 128;
export const NOTE_BYTES = 512;

/**
 * What accounts keep, counted with every change. A change that would pass a bound first deletes the account's oldest
 * versions, if that makes enough room. Otherwise it throws the bound's `refusal` and changes nothing. Folds are never
 * refused.
 */
export interface AccountStorage {
  kept(account: string): Promise<Kept>;
  /** When a batch was last learned, in ms; 0 for a source without a baseline. */
  lastLearned(account: string, source: string): Promise<number>;
  /** Deletes everything that is kept of a source. */
  forget(account: string, source: string): Promise<void>;
}

/**
 * For each account and source a folded record and a tail of batch states. Both are opaque bytes to the store.
 * `generation` changes with every reset, `version` with every fold and withdrawal, `sequence` grows with every append.
 * If the store is unavailable, methods throw SERVICE_UNAVAILABLE and never return an empty result.
 */
export interface BaselineStore extends SourceAnnotations, VersionHistory, AccountStorage {
  /**
   * Returns everything, or with `known` only what is newer. A source without a baseline has generation '', version 0, no
   * folded record and an empty tail.
   */
  read(account: string, source: string, known?: Known): Promise<StoredBaseline>;
  /** Adds a batch's state. Returns false and changes nothing if the id is in the tail, or among the remembered ids of states that were folded or called off. */
  append(account: string, source: string, entry: StoredState, bounds?: Bounds): Promise<boolean>;
  /**
   * If generation and version are as expected, replaces the folded record. Deletes the states `taken`, which the record includes, and
   * remembers their ids, even of states that the tail never had. Deletes the states `dropped` without remembering them. Otherwise returns
   * false and changes nothing.
   */
  fold(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    taken: string[],
    dropped?: string[],
  ): Promise<boolean>;
  /**
   * Makes this folded record the whole baseline, with a new generation and an empty tail, if generation and version are as
   * expected (generation '': no baseline). Remembers the ids `taken`, which the record includes, as those of folded states. Ends the run; keeps pin and settings. Otherwise returns false and changes
   * nothing.
   */
  restore(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    bounds?: Bounds,
    taken?: string[],
  ): Promise<boolean>;
  /** Deletes a state from the tail; with `expected` only if generation and version are as expected. Otherwise, as for a folded state, returns false and changes nothing. */
  withdraw(account: string, source: string, id: string, expected?: Known): Promise<boolean>;
  /**
   * Deletes a state from the tail for good: an append of it that is in progress or comes later does nothing. Returns false and changes
   * nothing if the state is already folded. Remembers as many ids as `fold`; in SQLite none for a source without a baseline.
   */
  callOff(account: string, source: string, id: string): Promise<boolean>;
  /** The account's sources after `after`, in a fixed order, at most `limit`. */
  sources(account: string, after: string | null, limit: number): Promise<string[]>;
  /** Deletes the baseline, pin and run of one source, or of all sources of the account. */
  reset(account: string, source?: string): Promise<void>;
}
