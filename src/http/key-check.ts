/** Whose key it is. Keys are looked up by their SHA-256, so the time an answer takes says nothing about a key that exists. */
import { isWellFormedKey, keySha256 } from '../account/keys.ts';
import { Rejection } from '../errors.ts';
import type { Account, AccountStore } from '../stores/ports.ts';

const MAX_KEY_CHARACTERS = 256;
/** How long a key goes on working on this replica after it was deleted or its plan was changed. */
const FRESH_MS = 10_000;
const MAX_CACHED = 10_000;

export class KeyCheck {
  readonly #accounts: AccountStore;
  readonly #now: () => number;
  /** By the key's hash, oldest first. Keys that nobody has are not kept: they would push out those that somebody has. */
  readonly #cached = new Map<string, { account: Account; until: number }>();

  constructor(accounts: AccountStore, now: () => number) {
    this.#accounts = accounts;
    this.#now = now;
  }

  /** The account of a key as it stands in `X-API-Key`. Throws `Rejection` AUTH_INVALID, SERVICE_UNAVAILABLE. */
  async accountOf(key: string | null): Promise<Account> {
    if (key === null) throw invalid('An API key is needed in the header X-API-Key');
    if (key.length > MAX_KEY_CHARACTERS || !isWellFormedKey(key)) throw invalid('This is not an API key');
    const hash = keySha256(key);
    const cached = this.#cached.get(hash);
    if (cached && cached.until > this.#now()) return cached.account;
    const account = await this.#accounts.accountOfKey(hash);
    this.#cached.delete(hash);
    if (account === null) throw invalid('No account has this API key');
    this.#keep(hash, account);
    return account;
  }

  #keep(hash: string, account: Account): void {
    this.#cached.set(hash, { account, until: this.#now() + FRESH_MS });
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest);
  }
}

const invalid = (message: string) => new Rejection('AUTH_INVALID', message);
