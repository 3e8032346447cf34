/**
 * Signs users in with a one-time code that is sent to their e-mail address.
 *
 * The answer reveals nothing about an address. It is the same, after the same work, whether the address has an account,
 * may create one, or has reached its limit of codes. The mail is sent after the answer, within the bounds of
 * `code-bounds.ts`. Every rejected code gets the same message.
 *
 * Six digits can be guessed, so attempts are limited: five for each code and five codes per hour. An attacker has a
 * chance of 25 in a million per hour for one address.
 */
import type { Logger } from 'pino';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';
import { Moved, Rejection } from '../terms/errors.ts';
import type { Account, BaselineStore, CodeLimits, RateStore, SignInStore } from '../stores/ports.ts';
import { claimAccount } from './claim.ts';
import { type CodeBound, takeAsk, takeCode } from './code-bounds.ts';
import { SECRET_BYTES, secretSha256, tokenFrom } from './keys.ts';
import { codeFrom, codeSha256, isCode } from './one-time-code.ts';
import { retryAfter } from './retry-after.ts';

export const CODE_MINUTES = 10;
/** Attempts for each code. */
export const MAX_TRIES = 5;
/** Codes per hour for one address, and requests per hour of one client. */
export const CODES_PER_EMAIL = 5;
export const ASKS_PER_CLIENT = 20;
export const SESSION_DAYS = 7;

const ID_BYTES = 16;

/** Sends codes. Rejects if a code could not be sent. */
export interface Mailer {
  sendCode(email: string, code: string): Promise<void>;
}

export interface SignInDependencies {
  store: SignInStore;
  baselines: Pick<BaselineStore, 'kept'>;
  mailer: Mailer;
  rates: RateStore;
  /** Whether an address without an account may create one. */
  signups: 'open' | 'closed';
  /** Plan of an account that an address creates. */
  signupPlan: Account['plan'];
  /** Whether codes go to the log, which only the operator can read: then the first address gets the first account. */
  codesAreLogged: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
  log: Logger;
}

export interface OpenedSession {
  /** Shown only once. */
  token: string;
  /** In ms. */
  expiresAt: number;
}

export interface ListedSession {
  id: string;
  sha256: string;
  createdAt: number;
  expiresAt: number;
}

const ID_CHARACTERS = 24;

/** Identifies a session and grants no access: the token cannot be found from its SHA-256. */
const sessionId = (sha256: string): string => `session_${sha256.slice(0, ID_CHARACTERS)}`;

export class SignIn {
  readonly #deps: SignInDependencies;
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: SignInDependencies) {
    this.#deps = deps;
  }

  /**
   * Sends a code to the address if it may sign in and is below its limit. `client` identifies the caller.
   * Throws `Rejection` RATE_LIMITED, SERVICE_UNAVAILABLE.
   */
  async ask(email: string, client: string): Promise<void> {
    const { store, random, now } = this.#deps;
    const createdAt = now();
    const limits = { since: createdAt - HOUR_MS, perEmail: CODES_PER_EMAIL, perClient: ASKS_PER_CLIENT };
    // Check before any write: this stops nearly all of a flood.
    const asks = await store.asksOf(client, limits.since);
    if (asks.length >= ASKS_PER_CLIENT) throw tooMany(asks, limits);
    await takeAsk(client, this.#deps.rates, createdAt);
    const maySignIn = await this.#maySignIn(email);
    const id = `code_${Buffer.from(random(ID_BYTES)).toString('hex')}`;
    const code = codeFrom(random);
    const sha256 = codeSha256(id, code);
    const expiresAt = createdAt + CODE_MINUTES * MINUTE_MS;
    const newCode = { id, email, client, sha256: maySignIn ? sha256 : null, createdAt, expiresAt };
    const added = await store.addCode(newCode, limits);
    if (added === null) throw tooMany(await store.asksOf(client, limits.since), limits);
    if (added && maySignIn) this.#send(email, code);
  }

  /** Uses up the code and opens a session. Throws `Rejection` AUTH_INVALID, SERVICE_UNAVAILABLE. */
  async open(email: string, code: string): Promise<OpenedSession> {
    const { store, now, random } = this.#deps;
    const createdAt = now();
    const codes = await store.tryCodes(email, createdAt, MAX_TRIES);
    const [right] = codes.filter(({ id, sha256 }) => isCode(id, sha256, code));
    if (!right || !(await store.takeCode(right.id, createdAt))) throw wrongCode();
    const token = tokenFrom(random(SECRET_BYTES));
    const expiresAt = createdAt + SESSION_DAYS * DAY_MS;
    const openFor = async () => {
      const account = await this.#accountOf(email, createdAt);
      if (account === null) throw wrongCode();
      await store.openSession({ sha256: secretSha256(token), account, createdAt, expiresAt });
    };
    // The code is used up: whose address has just moved signs in to where it is now.
    await openFor().catch(error => {
      if (!(error instanceof Moved)) throw error;
      return openFor();
    });
    return { token, expiresAt };
  }

  /** Lets the people of the account `asking` sign in to the account of the key instead: see `claim.ts`. */
  claim(asking: string, key: unknown): Promise<void> {
    return claimAccount(asking, key, this.#deps);
  }

  /** The account's sessions, newest first. */
  async sessions(account: string): Promise<ListedSession[]> {
    const { store, now } = this.#deps;
    const found = await store.sessions(account, now());
    return found.map(session => ({ ...session, id: sessionId(session.sha256) }));
  }

  /** Ends the session with this SHA-256 of its token, if it exists. */
  async end(sha256: string): Promise<void> {
    await this.#deps.store.closeSession(sha256);
  }

  /** Deletes at most `limit` expired codes and sessions of each kind; returns how many. */
  async deleteSome(limit: number): Promise<number> {
    const { store, now } = this.#deps;
    const at = now();
    // A code is valid for minutes, but counts toward the limits for an hour.
    return store.sweep(at - HOUR_MS, at, limit);
  }

  /** Resolves when no mail is being sent and no limit is being checked for one. */
  async sent(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** With open sign-ups this never queries the store, with closed ones always: the timing reveals nothing of an address. */
  async #maySignIn(email: string): Promise<boolean> {
    const { store, signups, codesAreLogged } = this.#deps;
    if (signups === 'open' || (await store.accountOfEmail(email)) !== null) return true;
    return codesAreLogged && store.isFirstFree();
  }

  /** The limit that is reached; null if the code may be sent, as always for an address with an account. */
  async #boundOf(email: string): Promise<CodeBound | null> {
    const { store, rates, now } = this.#deps;
    return (await store.accountOfEmail(email)) === null ? takeCode(email, rates, now()) : null;
  }

  async #accountOf(email: string, now: number): Promise<string | null> {
    const { store, signups, signupPlan, codesAreLogged } = this.#deps;
    const first = codesAreLogged ? await store.takeFirst(email) : null;
    if (first !== null) return first;
    return signups === 'open' ? store.ensureAccount(email, now, signupPlan) : store.accountOfEmail(email);
  }

  /** Runs in the background, after the answer. */
  #send(email: string, code: string): void {
    const { mailer, log } = this.#deps;
    const sending = new Promise(resolve => setImmediate(resolve))
      .then(async () => {
        const bound = await this.#boundOf(email);
        if (bound === null) return mailer.sendCode(email, code);
        log.warn({ bound }, 'a one-time code was not sent: too many new addresses have asked for one');
      })
      .catch(error => log.error({ reason: reasonOf(error, code) }, 'a one-time code could not be sent'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}

/** `asks`: times of the client's requests, in ms, oldest first. */
function tooMany(asks: readonly number[], { since, perClient }: CodeLimits): Rejection {
  const oldest = asks[asks.length - perClient] ?? since;
  const waitSeconds = Math.max(1, Math.ceil((oldest - since) / 1000));
  return new Rejection(
    'RATE_LIMITED',
    `A client may request ${perClient} codes per hour: try again in ${waitSeconds} seconds`,
    { 'Retry-After': retryAfter(waitSeconds) },
  );
}

/** A mail server's error may quote the mail: mask the code. */
const reasonOf = (error: unknown, code: string): string =>
  String(error instanceof Error ? error.message : error).replaceAll(code, '******');

const wrongCode = () =>
  new Rejection('AUTH_INVALID', 'The code is wrong, used or expired: request a new one');
