/** Port: one-time codes and sessions. Times in ms. */
import type { Account } from './identities.ts';

/** A requested one-time code. */
export interface Code {
  id: string;
  email: string;
  /** The client address of the request. */
  client: string;
  /** SHA-256 of id and code; null if no code was made. The request counts toward the limits all the same. */
  sha256: string | null;
  createdAt: number;
  expiresAt: number;
}

export interface Session {
  sha256: string;
  account: string;
  createdAt: number;
  expiresAt: number;
}

/** Maximum number of requests for codes after `since` (ms). */
export interface CodeLimits {
  since: number;
  perEmail: number;
  perClient: number;
}

/** An account that another one asks to sign in to, by one of its keys. */
export interface Claim {
  account: string;
  hasAddress: boolean;
  /** The address of the account that asks; null: it has none. */
  email: string | null;
  /** What the account that asks would lose; null: nothing. */
  holds: 'jobs' | 'keys' | 'channels' | 'batches' | 'payments' | null;
}

export interface SignInStore {
  /** Times of this client's requests after `since`, oldest first. */
  asksOf(client: string, since: number): Promise<number[]>;
  /**
   * Stores a requested code. The limits hold for concurrent requests too.
   * True: stored. False: the address has reached `perEmail`; the code is not stored, and the request counts only for the
   * client. Null: the client has reached `perClient`; nothing is stored or counted.
   */
  addCode(code: Code, limits: CodeLimits): Promise<boolean | null>;
  /**
   * Counts one attempt for every live code of the address (unused, not expired, fewer than `maxTries` attempts) and
   * returns these codes. Concurrent callers get no more attempts. Writes nothing if there is no live code.
   */
  tryCodes(email: string, now: number, maxTries: number): Promise<Pick<Code, 'id' | 'sha256'>[]>;
  /** Marks a code and all other codes of its address as used. False if the code was used already. */
  takeCode(id: string, now: number): Promise<boolean>;
  /** Id of the address's account; null without one. */
  accountOfEmail(email: string): Promise<string | null>;
  /** Id of the address's account. Creates one on the plan if there is none. */
  ensureAccount(email: string, now: number, plan?: Account['plan']): Promise<string>;
  /** Whether the first account exists and no account has an address. */
  isFirstFree(): Promise<boolean>;
  /** Gives the first account to the address and returns its id, if it is free; else null. */
  takeFirst(email: string): Promise<string | null>;
  /** Null if no account has the key. */
  claim(asking: string, keySha256: string): Promise<Claim | null>;
  /**
   * Moves address and sessions of the account `asking` to the key's account, which has no address. False, and nothing
   * changes, if the key was deleted, the account has an address, or `asking` holds something. Afterwards nothing can be added
   * to `asking`: every store throws `Moved`.
   */
  moveAddress(asking: string, email: string, account: string, keySha256: string): Promise<boolean>;
  /** Throws `Moved` if the account has just been left. */
  openSession(session: Session): Promise<void>;
  /** The account's sessions that have not expired at `now` (ms), newest first. */
  sessions(account: string, now: number): Promise<Omit<Session, 'account'>[]>;
  /** Returns whether the session existed. */
  closeSession(sha256: string): Promise<boolean>;
  /** Deletes codes requested before `askedBefore` and sessions that expired by `now`, at most `limit` of each; returns how many. */
  sweep(askedBefore: number, now: number, limit: number): Promise<number>;
}
