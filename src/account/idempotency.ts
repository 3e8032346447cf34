/**
 * A request that is repeated under its Idempotency-Key runs once. The first to come claims the key, runs, and leaves
 * its answer in the transaction that writes its job; the others get that answer. One that is refused lets go of its
 * claim, so that the next may run.
 *
 * A claim is a lease: a process that is killed leaves one behind, and when that has run out another request takes it
 * over. A request that was only slow finds its claim lost when it writes its job. Nothing is written then, what it
 * had counted and learnt is taken back, and it waits for the answer of the one that took over.
 */
import { createHash } from 'node:crypto';
import { quoted, Rejection } from '../errors.ts';
import type { Answer, IdempotencyStore } from '../stores/ports.ts';

/** From the answer on. */
export const ANSWER_KEPT_MS = 24 * 60 * 60 * 1000;
/** Many times what a request takes once its body is there. */
const LEASE_MS = 10_000;
/** A request that finds its twin running looks so often, so far apart: for a second. */
const POLLS = 40;
const POLL_MS = 25;
const CLAIM_BYTES = 16;

/** What makes a request what it is, besides its body. */
const HEADERS = ['content-type', 'content-encoding', 'x-source', 'x-options', 'x-csv-delimiter'];

/** A request's SHA-256 in the making: takes the body as it arrives. */
export interface RequestHash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/** Begins with the headers, as a JSON array: no such text is the begin of another, so none can pass for part of a body. */
export function requestHash(headers: Headers): RequestHash {
  return createHash('sha256').update(JSON.stringify(HEADERS.map(name => headers.get(name))));
}

export interface KeyedRequest {
  account: string;
  key: string;
  requestSha256: string;
}

/** The right to run a request and to leave its answer. */
export interface Claim {
  key: string;
  id: string;
}

type KeptAnswer = Pick<Answer, 'headers' | 'body'>;

/** What may become of a request with a key. */
export interface Ways<T> {
  /** It runs; whatever it throws undoes all that it did. */
  run(claim: Claim): Promise<T>;
  /** It gets the answer to an earlier one. */
  replay(answer: KeptAnswer): T;
  /** It is about to wait for another, up to a second. */
  wait(): void;
}

export interface IdempotencyDependencies {
  idempotency: Pick<IdempotencyStore, 'claim' | 'unclaim'>;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
  random(bytes: number): Uint8Array;
}

/** Thrown by `run` when its answer was refused because another request has taken its claim over. */
export class ClaimLost extends Error {}

const LOST = Symbol('lost');

/** Runs the request, or answers as an earlier one was answered. Throws `Rejection` IDEMPOTENCY_CONFLICT, SERVICE_UNAVAILABLE, and what `run` throws. */
export async function once<T>(
  request: KeyedRequest,
  deps: IdempotencyDependencies,
  { run, replay, wait }: Ways<T>,
): Promise<T> {
  const { account, key, requestSha256 } = request;
  const claim = { key, id: Buffer.from(deps.random(CLAIM_BYTES)).toString('hex') };
  for (let polls = 0; polls <= POLLS; polls++) {
    if (polls > 0) await deps.sleep(POLL_MS);
    const now = deps.now();
    const asked = { requestSha256, claim: claim.id, now, expiresAt: now + LEASE_MS };
    const found = await deps.idempotency.claim(account, key, asked);
    if (found === 'claimed') {
      const outcome = await holding(account, claim, deps, run);
      if (outcome !== LOST) return outcome;
    } else if (found.requestSha256 !== requestSha256) throw otherRequest(key);
    else if (found.answer !== null) return replay(found.answer);
    if (polls === 0) wait();
  }
  throw stillRunning(key);
}

/** Runs under the claim, and lets go of it when that fails. */
async function holding<T>(
  account: string,
  claim: Claim,
  { idempotency }: IdempotencyDependencies,
  run: (claim: Claim) => Promise<T>,
): Promise<T | typeof LOST> {
  try {
    return await run(claim);
  } catch (error) {
    if (error instanceof ClaimLost) return LOST;
    // A store that is away now forgets the claim when its lease ends.
    await idempotency.unclaim(account, claim.key, claim.id).catch(() => {});
    throw error;
  }
}

/** What to keep of an answer that was given at `at` (ms). */
export const answerOf = ({ key, id }: Claim, at: number, { headers, body }: KeptAnswer): Answer => ({
  key,
  claim: id,
  expiresAt: at + ANSWER_KEPT_MS,
  headers,
  body,
});

const otherRequest = (key: string) =>
  new Rejection(
    'IDEMPOTENCY_CONFLICT',
    `The Idempotency-Key ${quoted(key)} belongs to a request of the last 24 hours with another body or other headers; ` +
      'a new request needs a new key',
  );

const stillRunning = (key: string) =>
  new Rejection(
    'IDEMPOTENCY_CONFLICT',
    `The first request with the Idempotency-Key ${quoted(key)} is still running; ask again for its answer`,
    { 'Retry-After': '1' },
  );
