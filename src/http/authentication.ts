/**
 * Identifies the caller by API key (`X-API-Key`) or session token (`Authorization: Bearer`). The key takes precedence.
 * Both are looked up by their SHA-256, so the response time reveals nothing about existing ones.
 */
import { LRUCache } from 'lru-cache';
import { isWellFormedKey, isWellFormedToken, secretSha256 } from '../account/keys.ts';
import { Rejection } from '../terms/errors.ts';
import type { Identity, IdentityStore } from '../stores/ports.ts';

/** How long this replica may still accept a key or session after another one has deleted it or changed its plan. */
const FRESH_MS = 4_000;
const MAX_CACHED = 10_000;

const ACCOUNT = 'account:';

/** The message that invalidates all cached identities of an account. */
export const ofAccount = (id: string): string => `${ACCOUNT}${id}`;

const BEARER = /^bearer +([^ ]+) *$/i;

/** The value of `Authorization: Bearer`, even if it is not a session token. */
export const bearerToken = (headers: Headers): string | undefined =>
  BEARER.exec(headers.get('authorization') ?? '')?.[1];

interface Cached {
  identity: Identity;
  since: number;
  until: number;
}

export class Authentication {
  readonly #store: IdentityStore;
  readonly #now: () => number;
  readonly #publish: (message: string) => void | Promise<void>;
  readonly #poll: () => void;
  /** By SHA-256. Unknown keys are not cached, because they would evict known ones. */
  readonly #cached = new LRUCache<string, Cached>({ max: MAX_CACHED });
  /** Number of invalidations. A lookup that was running during one may be outdated. */
  #forgotten = 0;

  /** `publish` sends an invalidation to all replicas, which pass it to `receive`. `poll` delivers messages that are not pushed. */
  constructor(
    store: IdentityStore,
    now: () => number,
    publish: (message: string) => void | Promise<void> = () => {},
    poll: () => void = () => {},
  ) {
    this.#store = store;
    this.#now = now;
    this.#publish = publish;
    this.#poll = poll;
  }

  /** Throws `Rejection` AUTH_INVALID, SERVICE_UNAVAILABLE. */
  async identityOf(headers: Headers): Promise<Identity> {
    this.#poll();
    const key = headers.get('x-api-key');
    if (key !== null) {
      if (!isWellFormedKey(key)) throw invalid('This is not an API key');
      return this.#known(
        secretSha256(key),
        sha256 => this.#store.ownerOfKey(sha256),
        'No account has this API key',
      );
    }
    const token = bearerToken(headers);
    if (token === undefined)
      throw invalid('Send an API key in the header X-API-Key, or a session token as Authorization: Bearer');
    if (!isWellFormedToken(token)) throw invalid('This is not a session token');
    return this.#known(
      secretSha256(token),
      sha256 => this.#store.ownerOfSession(sha256, this.#now()),
      'This session has ended: sign in again',
    );
  }

  /** Call it when an account's plan or payment has changed. Resolves when the message to other replicas is sent. */
  async forgetAccount(id: string): Promise<void> {
    this.receive(ofAccount(id));
    await this.#publish(ofAccount(id));
  }

  /** Call it with the SHA-256 of a deleted key or token. It stops working here at once, and elsewhere soon. */
  forget(sha256: string): void {
    this.receive(sha256);
    void this.#publish(sha256);
  }

  /** Handles a message of any replica: the SHA-256 of a key or token, or a message of `ofAccount`. */
  receive(message: string): void {
    this.#forgotten++;
    if (message.startsWith(ACCOUNT)) this.#forgetAll(message.slice(ACCOUNT.length));
    else this.#cached.delete(message);
  }

  #forgetAll(account: string): void {
    for (const [sha256, { identity }] of this.#cached)
      if (identity.account.id === account) this.#cached.delete(sha256);
  }

  async #known(
    sha256: string,
    lookUp: (sha256: string) => Promise<(Identity & { expiresAt?: number }) | null>,
    unknown: string,
  ): Promise<Identity> {
    const cached = this.#cached.get(sha256);
    if (cached && isFresh(cached, this.#now())) return cached.identity;
    const forgotten = this.#forgotten;
    const found = await lookUp(sha256);
    this.#cached.delete(sha256);
    if (found === null) throw invalid(unknown);
    const { expiresAt = Number.POSITIVE_INFINITY, ...identity } = found;
    const since = this.#now();
    if (forgotten === this.#forgotten)
      this.#cached.set(sha256, { identity, since, until: Math.min(expiresAt, since + FRESH_MS) });
    return identity;
  }
}

/** An entry from the future counts as old: the clock was set back. */
const isFresh = ({ since, until }: Cached, now: number): boolean => since <= now && now < until;

const invalid = (message: string) => new Rejection('AUTH_INVALID', message);
