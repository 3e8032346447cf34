/** What the path needs of a store. Every implementation passes the suites in `test/contract/`. */

/** How much of a source's baseline a replica already has. */
export interface Known {
  generation: string;
  version: number;
  sequence: number;
}

export interface StoredState {
  /** The request's id; a state is kept once however often it is appended. */
  id: string;
  state: Uint8Array;
}

export interface StoredBaseline extends Known {
  /** True: `folded` and `tail` are all there is. False: the folded record is as known, `tail` holds only what came after `sequence`. */
  complete: boolean;
  folded: Uint8Array | null;
  tail: StoredState[];
}

/**
 * Baselines: a folded record and a tail of batch states for each account and source, both opaque bytes.
 * `generation` changes with every reset, `version` with every fold, `sequence` grows with every append.
 * Losing the store is a rejection SERVICE_UNAVAILABLE, never an empty answer.
 */
export interface BaselineStore {
  /** Everything, or with `known` only what is new since then. A source without baseline has version 0, no folded record and an empty tail. */
  read(account: string, source: string, known?: Known): Promise<StoredBaseline>;
  /** Adds one batch's state; an id that is there, in the tail or folded while still remembered, is not added twice. */
  append(account: string, source: string, entry: StoredState): Promise<void>;
  /** Replaces the folded record and drops the states it took in, if generation and version still stand. False when they do not: nothing is changed. */
  fold(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    taken: string[],
  ): Promise<boolean>;
  /** Forgets one source, or all of the account. */
  reset(account: string, source?: string): Promise<void>;
}

export interface Account {
  id: string;
  name: string;
  plan: 'developer' | 'starter' | 'growth' | 'scale';
  /** 32 secret bytes that seed every hash of the account's values. */
  salt: Uint8Array;
}

export interface AccountStore {
  /** The account of a key, by the key's SHA-256 (lower-case hex); null when there is none. */
  accountOfKey(keySha256: string): Promise<Account | null>;
}

/** Rows counted against the monthly allowance. */
export interface UsageStore {
  /** Adds `rows` if they fit below `allowance` in the period that begins at `periodStart` (ms); the rows left after it, or null when they do not fit (nothing is added). */
  reserve(account: string, periodStart: number, rows: number, allowance: number): Promise<number | null>;
  /** Gives reserved rows back. */
  release(account: string, periodStart: number, rows: number): Promise<void>;
}
