/** Port: claims and answers of requests with an Idempotency-Key. */

/** The stored answer to a claimed request. Its body is the report of the job that is written with it, and is stored only there. */
export interface Answer {
  key: string;
  claim: string;
  /** When it expires, in ms. */
  expiresAt: number;
  /** Headers to replay. */
  headers: Record<string, string>;
}

/** An answer to be replayed. */
export interface Replay {
  headers: Record<string, string>;
  body: string;
}

/** The request was answered, and its job is deleted. */
export const DELETED = Symbol('deleted');

export interface AskedClaim {
  requestSha256: string;
  /** A new id. */
  claim: string;
  /** In ms. */
  now: number;
  expiresAt: number;
}

export type Claimed = 'claimed' | { unfinished: string };

/** What holds a key. */
export interface HeldKey {
  requestSha256: string;
  answer: Replay | typeof DELETED | null;
}

export interface IdempotencyStore {
  /**
   * Claims a key for one request if it is free: never used, expired, or held by an expired claim. Otherwise returns the
   * other request; its `answer` is null while it runs. A claim that expires long after the new one would is older than a
   * change of the clock, and counts as expired. `unfinished`: the key is claimed, and an earlier claim with this id was for the
   * same request and ended without an answer and without a release.
   */
  claim(account: string, key: string, claim: AskedClaim): Promise<Claimed | HeldKey>;
  /** Forgets the `unfinished` claim. If the holder of `claim` ends without an answer, `claim` is the unfinished one. False if another request holds the key. */
  forgetUnfinished(account: string, key: string, claim: string): Promise<boolean>;
  /** Extends a running claim to `expiresAt` (ms). Does nothing if another request holds the key, or the answer is stored. */
  renew(account: string, key: string, claim: string, expiresAt: number): Promise<void>;
  /**
   * Releases the claim of a request that leaves nothing behind. Does nothing if the claim has an `unfinished` one: its lease ends. If
   * the store is unavailable, throws and retries in the background.
   */
  unclaim(account: string, key: string, claim: string): Promise<void>;
  /** Deletes at most `limit` entries that have expired at `now` (ms), claims a day after their end; returns how many. */
  prune(now: number, limit: number): Promise<number>;
}
