/**
 * Runs a request with an Idempotency-Key once and replays its answer to repeats. The first request claims the key, runs,
 * and stores its answer in the transaction that writes its job. A request that fails releases its claim, so that the
 * next one may run.
 *
 * A claim is a short lease that its holder renews. When the holder is killed, another request claims the key a few
 * seconds later. A holder that was stopped for longer than the lease finds that it has lost the claim when it writes its job. Then nothing is written, its reservation and
 * its learning are compensated, and it waits for the answer of the new holder. It never runs again, because its body is gone: if the new
 * holder fails, the client has to send the request again.
 *
 * A killed holder may have learned its batch. It learned it under the id of its claim, which the next holder gets as `unfinished`. The next
 * holder calls that batch off, then forgets the id, and only then learns the batch under its own id. A holder undoes only its own id, so a
 * slow one cannot undo what its successor learned. Until the key is answered, its row keeps the id that must be called off.
 */
import { createHash } from 'node:crypto';
import { retryInBackground } from '../time/background-retry.ts';
import { DAY_MS } from '../time/durations.ts';
import { IdempotencyConflict, quoted } from '../terms/errors.ts';
import { type Answer, DELETED, type IdempotencyStore, type Replay } from '../stores/ports.ts';

/** How long an answer is stored, in ms. */
export const ANSWER_KEPT_MS = DAY_MS;
/** A repeat that comes back once a second meets a killed holder's key three times at most. */
const LEASE_MS = 3000;
/** Two renewals may fail or be late. Most requests end before the first. */
const RENEW_EVERY_MS = 1000;
/** A request that finds another one with its key running polls for one second. */
const POLLS = 40;
const POLL_MS = 25;

/** Headers that identify a request, besides its body. */
const HEADERS = ['content-type', 'content-encoding', 'x-source', 'x-options', 'x-csv-delimiter'];
/** Those that came later. A request without them has the hash that it had before. */
const LATER_HEADERS = ['x-csv-header-line', 'x-csv-escape'];

/** Computes a request's SHA-256 as its body arrives. */
export interface RequestHash {
  update(bytes: Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

/** Starts with the headers as a JSON array. No such array is a prefix of another, so headers cannot be confused with the body. */
export function requestHash(headers: Headers): RequestHash {
  const later = LATER_HEADERS.map(name => headers.get(name));
  const said = later.some(value => value !== null) ? later : [];
  return createHash('sha256').update(JSON.stringify([...HEADERS.map(name => headers.get(name)), ...said]));
}

export interface KeyedRequest {
  account: string;
  key: string;
  requestSha256: string;
}

/** The right to run a request and to store its answer. */
export interface Claim {
  key: string;
  /** Id of the claim and of its request. */
  id: string;
  /** An earlier holder gave no answer, and may have learned the batch under this id; null: there is none. */
  unfinished: string | null;
  /** Set this before the batch is learned: if this holder then fails, the next one calls the batch off. */
  mayHaveLearned: boolean;
}

/** What the caller does for a request with a key. */
export interface IdempotentHandlers<T> {
  /** Makes an id for a claim and its request. */
  newId(): string;
  /** Runs the request; called at most once. If it throws, its changes are undone, but with `mayHaveLearned` the batch may be learned. */
  run(claim: Claim): Promise<T>;
  /** Replays the answer to an earlier request. */
  replay(answer: Replay): T;
  /** Called before it waits for another request, for up to one second. */
  wait(): void;
}

export interface IdempotencyDependencies {
  idempotency: Pick<IdempotencyStore, 'claim' | 'forgetUnfinished' | 'renew' | 'unclaim'>;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}

/** `run` throws it when another request has taken over its claim, so that its answer was not stored. */
export class ClaimLost extends Error {}

const LOST = Symbol('lost');

/** Runs the request or replays an earlier answer. Throws `Rejection` IDEMPOTENCY_CONFLICT, SERVICE_UNAVAILABLE, and what `run` throws. */
export async function runOnce<T>(
  request: KeyedRequest,
  deps: IdempotencyDependencies,
  { newId, run, replay, wait }: IdempotentHandlers<T>,
): Promise<T> {
  const { account, key, requestSha256 } = request;
  let runNow = run;
  for (let polls = 0; polls <= POLLS; polls++) {
    if (polls > 0) await deps.sleep(POLL_MS);
    const now = deps.now();
    // A new id each time: a batch that a lost claim has learned is called off, and its id can never be learned again.
    const id = newId();
    const lease = { requestSha256, claim: id, now, expiresAt: now + LEASE_MS };
    const found = await deps.idempotency.claim(account, key, lease);
    if (found === 'claimed' || 'unfinished' in found) {
      const unfinished = found === 'claimed' ? null : found.unfinished;
      const outcome = await runWithClaim(
        account,
        { key, id, unfinished, mayHaveLearned: false },
        deps,
        runNow,
      );
      if (outcome !== LOST) return outcome;
      // If this request gets the claim again, it releases it at once for the client's next request.
      runNow = () => Promise.reject(stillRunning(key));
    } else if (found.requestSha256 !== requestSha256) throw otherRequest(key);
    else if (found.answer === DELETED) throw deleted(key);
    else if (found.answer !== null) return replay(found.answer);
    if (polls === 0) wait();
  }
  throw stillRunning(key);
}

/** Runs the request and releases the claim if it fails. */
async function runWithClaim<T>(
  account: string,
  claim: Claim,
  { idempotency, now }: IdempotencyDependencies,
  run: (claim: Claim) => Promise<T>,
): Promise<T | typeof LOST> {
  const { key, id } = claim;
  // If a renewal fails, the next one may succeed; if none does, the claim is lost and nothing is written.
  const renew = () => idempotency.renew(account, key, id, now() + LEASE_MS).catch(() => {});
  const renewals = setInterval(renew, RENEW_EVERY_MS);
  try {
    return await run(claim);
  } catch (error) {
    clearInterval(renewals);
    if (error instanceof ClaimLost) return LOST;
    // If the store stays unavailable, the claim expires with its lease.
    const end = () => idempotency.renew(account, key, id, now());
    if (claim.mayHaveLearned || claim.unfinished !== null) await retryInBackground(end).catch(() => {});
    else await idempotency.unclaim(account, key, id).catch(() => {});
    throw error;
  } finally {
    clearInterval(renewals);
  }
}

/** The answer to store; it was given at `at` (ms). */
export const answerOf = (
  { key, id }: Pick<Claim, 'key' | 'id'>,
  at: number,
  headers: Record<string, string>,
): Answer => ({
  key,
  claim: id,
  expiresAt: at + ANSWER_KEPT_MS,
  headers,
});

const otherRequest = (key: string) =>
  new IdempotencyConflict(
    'other request',
    `The Idempotency-Key ${quoted(key)} was used in the last 24 hours for a request with another body or other headers; ` +
      'use a new key for a new request',
  );

/** The account keeps more reports than it may, so the oldest were deleted. Running the request again would count it twice. */
const deleted = (key: string) =>
  new IdempotencyConflict(
    'deleted',
    `The request with the Idempotency-Key ${quoted(key)} was answered, and its report is deleted to make room for newer ones; ` +
      'use a new key to screen the batch again',
  );

const stillRunning = (key: string) =>
  new IdempotencyConflict(
    'running',
    `The first request with the Idempotency-Key ${quoted(key)} is still running; send this request again for its answer`,
    { 'Retry-After': '1' },
  );
