/** Port: API keys of an account. */

export interface KeyEntry {
  id: string;
  name: string;
  /** The first characters, which may be shown. */
  prefix: string;
  /** In ms. */
  createdAt: number;
  /** In ms; null if it was never used. */
  lastUsed: number | null;
}

export interface KeyStore {
  /** The account's keys, oldest first. */
  list(account: string): Promise<KeyEntry[]>;
  /** False if the account already has `limit` keys: nothing is added. */
  add(account: string, key: Omit<KeyEntry, 'lastUsed'> & { sha256: string }, limit: number): Promise<boolean>;
  /** Deletes a key and returns its SHA-256; null if the account does not have it. */
  remove(account: string, id: string): Promise<string | null>;
  /** Records last uses, in ms by key id. Ignores times older than the stored one. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}
