/**
 * Signing in with a one-time code that is sent to an e-mail address.
 *
 * Whoever asks learns nothing about an address: whether it has an account, may make one, or has had its codes of this
 * hour, the answer is the same and so is the work behind it. What differs, the mail, is sent after the answer. A wrong
 * code is refused in the same words whatever was wrong with it.
 *
 * Six digits can be guessed, so tries are few: five for each code, five codes an hour. With both used up by somebody who
 * guesses, that is 25 in a million an hour for one address.
 */
import type { Logger } from 'pino';
import { Rejection } from '../errors.ts';
import type { CodeLimits, SignInStore } from '../stores/ports.ts';
import { SECRET_BYTES, secretSha256, tokenFrom } from './keys.ts';
import { codeFrom, codeSha256, isCode } from './one-time-code.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const CODE_MINUTES = 10;
/** Tries that each code allows. */
export const MAX_TRIES = 5;
/** Codes an hour for one address; and how often one client may ask, whatever becomes of it. */
export const CODES_PER_EMAIL = 5;
export const ASKS_PER_CLIENT = 20;
export const SESSION_DAYS = 7;

const ID_BYTES = 16;

/** How a code reaches its reader. Rejects when it could not be sent. */
export interface Mailer {
  sendCode(email: string, code: string): Promise<void>;
}

export interface SignInDependencies {
  store: SignInStore;
  mailer: Mailer;
  /** Whether an address without an account may make one. */
  signups: 'open' | 'closed';
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
  log: Logger;
}

export interface OpenedSession {
  /** To be shown this once. */
  token: string;
  /** In ms. */
  expiresAt: number;
}

export class SignIn {
  readonly #deps: SignInDependencies;
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: SignInDependencies) {
    this.#deps = deps;
  }

  /**
   * Sends a code to the address, if it can sign in and has had fewer than its codes of this hour. `client` is who asks.
   * Throws `Rejection` RATE_LIMITED, SERVICE_UNAVAILABLE.
   */
  async ask(email: string, client: string): Promise<void> {
    const { store, random, now } = this.#deps;
    const createdAt = now();
    const limits = { since: createdAt - HOUR_MS, perEmail: CODES_PER_EMAIL, perClient: ASKS_PER_CLIENT };
    // Before anything is written: nearly all of a flood ends here.
    const asks = await store.asksOf(client, limits.since);
    if (asks.length >= ASKS_PER_CLIENT) throw tooMany(asks, limits);
    const welcome = await this.#isWelcome(email);
    const id = `code_${Buffer.from(random(ID_BYTES)).toString('hex')}`;
    const code = codeFrom(random);
    const sha256 = codeSha256(id, code);
    const expiresAt = createdAt + CODE_MINUTES * MINUTE_MS;
    const asked = { id, email, client, sha256: welcome ? sha256 : null, createdAt, expiresAt };
    const kept = await store.addCode(asked, limits);
    if (kept === null) throw tooMany(await store.asksOf(client, limits.since), limits);
    if (kept && welcome) this.#send(email, code);
  }

  /** Takes the code and opens a session. Throws `Rejection` AUTH_INVALID, SERVICE_UNAVAILABLE. */
  async open(email: string, code: string): Promise<OpenedSession> {
    const { store, now, random } = this.#deps;
    const createdAt = now();
    const codes = await store.tryCodes(email, createdAt, MAX_TRIES);
    const [right] = codes.filter(({ id, sha256 }) => isCode(id, sha256, code));
    if (!right || !(await store.takeCode(right.id, createdAt))) throw wrongCode();
    const account = await this.#accountOf(email, createdAt);
    if (account === null) throw wrongCode();
    const token = tokenFrom(random(SECRET_BYTES));
    const expiresAt = createdAt + SESSION_DAYS * DAY_MS;
    await store.openSession({ sha256: secretSha256(token), account, createdAt, expiresAt });
    return { token, expiresAt };
  }

  /** Ends the session, if there is one, by the SHA-256 of its token. */
  async end(sha256: string): Promise<void> {
    await this.#deps.store.closeSession(sha256);
  }

  /** Forgets at most `limit` of the codes and sessions that are over; how many they were. */
  async forgetSome(limit: number): Promise<number> {
    const { store, now } = this.#deps;
    const at = now();
    // A code is of use for minutes, but it counts for an hour.
    return store.sweep(at - HOUR_MS, at, limit);
  }

  /** Resolves when no mail is under way. */
  async sent(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  /** Open to all, nothing is looked up for anybody; closed, for everybody. */
  async #isWelcome(email: string): Promise<boolean> {
    const { store, signups } = this.#deps;
    return signups === 'open' || (await store.accountOfEmail(email)) !== null;
  }

  #accountOf(email: string, now: number): Promise<string | null> {
    const { store, signups } = this.#deps;
    return signups === 'open' ? store.ensureAccount(email, now) : store.accountOfEmail(email);
  }

  /** Nobody waits for it: the answer is out before it begins. */
  #send(email: string, code: string): void {
    const { mailer, log } = this.#deps;
    const sending = new Promise(resolve => setImmediate(resolve))
      .then(() => mailer.sendCode(email, code))
      .catch(error => log.error({ reason: reasonOf(error, code) }, 'a one-time code could not be sent'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}

/** `asks`: when the client has asked, in ms, oldest first. */
function tooMany(asks: readonly number[], { since, perClient }: CodeLimits): Rejection {
  const oldest = asks[asks.length - perClient] ?? since;
  const waitSeconds = Math.max(1, Math.ceil((oldest - since) / 1000));
  return new Rejection(
    'RATE_LIMITED',
    `A client may ask for ${perClient} codes an hour: ask again in ${waitSeconds} seconds`,
    { 'Retry-After': String(waitSeconds) },
  );
}

/** A mail server may say anything, what it was sent included. */
const reasonOf = (error: unknown, code: string): string =>
  String(error instanceof Error ? error.message : error).replaceAll(code, '******');

const wrongCode = () =>
  new Rejection('AUTH_INVALID', 'This code is wrong, used up or expired: ask for a new one');
