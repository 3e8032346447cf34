/**
 * Who makes a request: by API key (`X-API-Key`) or by the token of a session (`Authorization: Bearer`); a key counts first.
 * Both are looked up by their SHA-256, so the time an answer takes says nothing about one that exists.
 */
import { isWellFormedKey, isWellFormedToken, secretSha256 } from '../account/keys.ts';
import { Rejection } from '../errors.ts';
import type { Identity, IdentityStore } from '../stores/ports.ts';

/** How long a key or session goes on working on this replica after it was deleted, or its plan was changed, on another. */
const FRESH_MS = 4_000;
const MAX_CACHED = 10_000;

const ACCOUNT = 'account:';

/** The announcement that an account, by its id, is no longer what it was. */
export const ofAccount = (id: string): string => `${ACCOUNT}${id}`;

const BEARER = /^bearer +([^ ]+) *$/i;

/** What stands in `Authorization: Bearer`, whether or not it is a session's token. */
export const bearerToken = (headers: Headers): string | undefined =>
  BEARER.exec(headers.get('authorization') ?? '')?.[1];

export class Authentication {
  readonly #store: IdentityStore;
  readonly #now: () => number;
  readonly #announce: (message: string) => void | Promise<void>;
  readonly #catchUp: () => void;
  /** By SHA-256, oldest first. What nobody has is not kept: it would push out what somebody has. */
  readonly #cached = new Map<string, { identity: Identity; since: number; until: number }>();
  /** Grows with every `forget`: an answer that was under way meanwhile may be out of date. */
  #forgotten = 0;

  /** `announce` tells other replicas what is to be forgotten; whoever hears it calls `hear`, at the latest when `catchUp` is called. */
  constructor(
    store: IdentityStore,
    now: () => number,
    announce: (message: string) => void | Promise<void> = () => {},
    catchUp: () => void = () => {},
  ) {
    this.#store = store;
    this.#now = now;
    this.#announce = announce;
    this.#catchUp = catchUp;
  }

  /** Throws `Rejection` AUTH_INVALID, SERVICE_UNAVAILABLE. */
  async identityOf(headers: Headers): Promise<Identity> {
    this.#catchUp();
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
      throw invalid(
        'An API key is needed in the header X-API-Key, or a session token as Authorization: Bearer',
      );
    if (!isWellFormedToken(token)) throw invalid('This is not a session token');
    return this.#known(
      secretSha256(token),
      sha256 => this.#store.ownerOfSession(sha256, this.#now()),
      'This session has ended: sign in again',
    );
  }

  /** To be called when an account's plan, or what it pays for, has changed; resolves when the others have been told. */
  async forgetAccount(id: string): Promise<void> {
    this.hear(ofAccount(id));
    await this.#announce(ofAccount(id));
  }

  /** To be called with the SHA-256 of a key or token that was taken away: it works no longer here, and soon nowhere. */
  forget(sha256: string): void {
    this.hear(sha256);
    void this.#announce(sha256);
  }

  /** What another replica, or this one, has announced: the SHA-256 of a key or token, or what `ofAccount` makes of an account. */
  hear(message: string): void {
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
    look: (sha256: string) => Promise<(Identity & { expiresAt?: number }) | null>,
    unknown: string,
  ): Promise<Identity> {
    const cached = this.#cached.get(sha256);
    if (cached && isFresh(cached, this.#now())) return cached.identity;
    const forgotten = this.#forgotten;
    const found = await look(sha256);
    this.#cached.delete(sha256);
    if (found === null) throw invalid(unknown);
    const { account, key, expiresAt = Number.POSITIVE_INFINITY } = found;
    const identity = { account, key };
    const since = this.#now();
    if (forgotten === this.#forgotten)
      this.#keep(sha256, { identity, since, until: Math.min(expiresAt, since + FRESH_MS) });
    return identity;
  }

  #keep(sha256: string, entry: { identity: Identity; since: number; until: number }): void {
    this.#cached.set(sha256, entry);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest);
  }
}

/** An entry from the future counts as old: the clock was set back. */
const isFresh = ({ since, until }: { since: number; until: number }, now: number): boolean =>
  since <= now && now < until;

const invalid = (message: string) => new Rejection('AUTH_INVALID', message);
