/** Port: accounts, and the owners of keys and sessions. */

export interface Account {
  id: string;
  name: string;
  plan: 'developer' | 'starter' | 'growth' | 'scale';
  /** The last known period of the subscription that pays for the plan, in ms; null without one. */
  paidPeriod: { start: number; end: number } | null;
  /** When the last paid plan ended, in ms; null: there was none, or a plan is paid now. */
  paidUntil: number | null;
  /** 32 secret bytes that seed every hash of the account's values. */
  salt: Uint8Array;
}

/** The caller of a request. */
export interface Identity {
  account: Account;
  /** Id of the API key of the request; null if it came with a session token. */
  key: string | null;
  /** For people: the address of the session, or name and first letters of the key. */
  who: string;
}

/** Finds owners by the SHA-256 (lower-case hex) of a key or token. Throws SERVICE_UNAVAILABLE if the store is unavailable. */
export interface IdentityStore {
  /** Null if no account has this key. */
  ownerOfKey(sha256: string): Promise<Identity | null>;
  /** Null if the session does not exist, or has expired at `now` (ms). */
  ownerOfSession(sha256: string, now: number): Promise<(Identity & { expiresAt: number }) | null>;
}
