/** Batches that come in parts: opened, looked at, aborted. */
import { createHash } from 'node:crypto';
import { requestId, ID_RANDOM_BYTES } from '../names/request-id.ts';
import { parseOptions } from '../options/options.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { Account, StoredBaseline, StoredBatch } from '../stores/ports.ts';
import { IdempotencyConflict, quoted, Rejection } from '../terms/errors.ts';
import { encodeBegun } from './begun.ts';
import type { PartsDependencies } from './dependencies.ts';
import { BOUNDS, ENDED_KEPT_MS } from './limits.ts';

const HOUR_MS = 3600 * 1000;

/** What the client asks for. */
export interface Opening {
  source: string;
  /** As given, in JSON; null: none. */
  options: string | null;
  /** Its `Idempotency-Key`; null without one. */
  key: string | null;
}

/** Throws `Rejection`. */
export async function openBatch(
  account: Account,
  opening: Opening,
  deps: PartsDependencies,
): Promise<StoredBatch> {
  const { source, options, key } = opening;
  const now = deps.now();
  const stored = await deps.baselines.readAll(account.id, source);
  const batch = newBatch({ account: account.id, source, options }, stored, now, 0, deps);
  const requestSha256 = createHash('sha256')
    .update(JSON.stringify([source, options]))
    .digest('hex');
  const opened = await deps.batches.open(batch, key === null ? null : { key, requestSha256 }, BOUNDS);
  if (opened === 'opened') return batch;
  if (opened === 'too_many')
    throw new Rejection(
      'BATCH_LIMIT',
      `The account has ${BOUNDS.batches} batches open, which is as many as it may have: finish one, or delete one (DELETE /v1/batches/{id})`,
    );
  if (opened.requestSha256 !== requestSha256)
    throw new IdempotencyConflict(
      'other request',
      `Idempotency-Key ${quoted(key!)} was used for another batch; use a new key`,
    );
  return findBatch(account, opened.id, deps);
}

/** `stored`: of its source. `ms`: how long it takes what it is made of, besides the time that it may be open. */
export const newBatch = (
  of: Pick<StoredBatch, 'account' | 'source' | 'options'>,
  stored: StoredBaseline,
  now: number,
  ms: number,
  { random, batchTtlHours }: Pick<PartsDependencies, 'random' | 'batchTtlHours'>,
): StoredBatch => ({
  id: requestId(now, random(ID_RANDOM_BYTES)).replace(/^req/, 'bat'),
  ...of,
  begun: encodeBegun(stored),
  ...{ status: 'open', requestId: null, answer: null, window: null },
  createdAt: now,
  expiresAt: now + ms + batchTtlHours * HOUR_MS,
});

/** Throws `Rejection` NOT_FOUND. */
export async function findBatch(
  { id: account }: Account,
  id: string,
  deps: PartsDependencies,
): Promise<StoredBatch> {
  const batch = await deps.batches.find(account, id);
  if (batch === null) throw new Rejection('NOT_FOUND', `The account has no batch ${quoted(id)}`);
  return { ...batch, status: statusAt(batch, deps.now()) };
}

/** One whose time is over may not be marked yet. */
export const statusAt = ({ status, expiresAt }: Pick<StoredBatch, 'status' | 'expiresAt'>, now: number) =>
  status === 'open' && now >= expiresAt ? 'expired' : status;

/** One that a client opened. Throws `Rejection` NOT_FOUND, BATCH_OF_WINDOW. */
export async function batchOfClient(
  account: Account,
  id: string,
  deps: PartsDependencies,
): Promise<StoredBatch> {
  const batch = await findBatch(account, id, deps);
  if (batch.window === null) return batch;
  throw new Rejection(
    'BATCH_OF_WINDOW',
    `The batch ${quoted(id)} is a window of the source ${quoted(batch.source)}: it gets its rows from POST /v1/screen, and ends by itself. To end it now, change the window in the settings of the source`,
  );
}

/** One of a client that is not given up, and has not expired. Throws `Rejection` NOT_FOUND, BATCH_OF_WINDOW. */
export async function keptBatch(account: Account, id: string, deps: PartsDependencies): Promise<StoredBatch> {
  const batch = await batchOfClient(account, id, deps);
  if (batch.status === 'aborted' || batch.status === 'expired')
    throw new Rejection('NOT_FOUND', `The batch ${quoted(id)} is ${batch.status}: open another one`);
  return batch;
}

/** Throws `Rejection` BATCH_FINISHED for one that gets no more parts. */
export function checkIsOpen({ id, status }: StoredBatch): void {
  if (status !== 'open') throw finished(id);
}

export const finished = (id: string): Rejection =>
  new Rejection(
    'BATCH_FINISHED',
    `The batch ${quoted(id)} is finished, or is being finished: open another one for more rows`,
  );

/** Throws `Rejection`. */
export async function abortBatch(
  account: Account,
  id: string,
  deps: PartsDependencies,
): Promise<StoredBatch> {
  const batch = await batchOfClient(account, id, deps);
  if (batch.status === 'finished' || batch.status === 'finishing') throw finished(id);
  await deps.batches.abort(account.id, id);
  return { ...batch, status: batch.status === 'open' ? 'aborted' : batch.status };
}

export const namedOf = ({ source, options }: StoredBatch): SourceAndOptions => ({
  source,
  options: parseOptions(options === null ? undefined : JSON.parse(options)),
});

/** Ends batches that are open for too long, and forgets ended ones. Returns how many entries it changed. */
export const pruneBatches = ({ batches }: Pick<PartsDependencies, 'batches'>, now: number, limit: number) =>
  batches.prune(now, now - ENDED_KEPT_MS, limit);
