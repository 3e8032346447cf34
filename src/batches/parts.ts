/** A part of a batch: its body is measured while it arrives, and what it leaves behind is stored. */
import { createHash, randomUUID } from 'node:crypto';
import type { SliceKeys } from '../engine/row-keys.ts';
import type { ContentType } from '../intake/content-type.ts';
import type { Upload } from '../intake/upload.ts';
import { newMeasuredBatch } from '../slices/measure.ts';
import { encodeKeys, type KeysOfSlice, keysInSets } from '../states/bytes/keys.ts';
import { printOf } from '../states/bytes/state-bytes.ts';
import { encodedState } from '../threads/encoded-state.ts';
import type { TakesKeys } from '../states/repeated-rows.ts';
import type { Quarantine } from '../report-schema/report.ts';
import type { State } from '../states/state.ts';
import { HeldInPart } from './held-in-part.ts';
import { reasonsOf } from './held-reasons.ts';
import type { Account, PartRefusal, StoredBatch, StoredPart } from '../stores/ports.ts';
import { Rejection } from '../terms/errors.ts';
import { checkIsOpen, finished, keptBatch, namedOf } from './batch.ts';
import { decodeBegun } from './begun.ts';
import { beginOf, measuredBody, NoRows } from './body.ts';
import type { PartsDependencies } from './dependencies.ts';
import { foldStates } from './fold.ts';
import { BOUNDS } from './limits.ts';

export interface SentPart {
  account: Account;
  /** Of the batch. */
  id: string;
  part: number;
  upload: Upload;
  contentType: ContentType;
}

/** What the client is answered, in JSON. The same part with the same bytes has the same answer. Throws `Rejection`. */
export async function addPart(sent: SentPart, deps: PartsDependencies): Promise<string> {
  const { account, id, part, upload } = sent;
  const hash = createHash('sha256');
  upload.hashInto(hash);
  const batch = await keptBatch(account, id, deps);
  const known = await deps.batches.part(id, part);
  if (known) {
    while ((await upload.next()) !== null);
    return answerAgain(known, hash.digest('hex'));
  }
  checkIsOpen(batch);
  const end = deps.uploads.begin(account.id);
  const attempt = randomUUID();
  try {
    return await measuredPart(sent, batch, attempt, () => hash.digest('hex'), deps);
  } catch (error) {
    await deps.batches.dropKeys(attempt).catch(() => {});
    throw error;
  } finally {
    end();
  }
}

const NOTHING_HELD: Quarantine = { count: 0, reasons: [], rows: [], whole_batch: [] };

async function measuredPart(
  { account, id, part, upload, contentType }: SentPart,
  batch: StoredBatch,
  attempt: string,
  hashed: () => string,
  deps: PartsDependencies,
): Promise<string> {
  const named = namedOf(batch);
  const stored = decodeBegun(batch.begun);
  const begin = { ...beginOf(account, named, stored, batch.createdAt), isByIndex: true };
  const of = newMeasuredBatch({ account: account.id, salt: account.salt, source: batch.source, part, begin });
  const keys = new KeysOnTheirWay(id, part, attempt, deps);
  const held = named.options.rowVerdicts ? await HeldInPart.open(of, deps) : null;
  let state: State | null = null;
  let quarantine: Quarantine | null = null;
  try {
    const spool = held?.spool ?? null;
    state = await measuredBody({ upload, contentType, spool }, of, held?.beside(keys) ?? keys, deps);
    if (held) quarantine = await held.rows({ account, named, contentType, state });
  } catch (error) {
    // Partitions of a table may be empty.
    if (!(error instanceof NoRows)) throw error;
    if (held) quarantine = NOTHING_HELD;
  } finally {
    await held?.close();
  }
  await keys.flush();
  const measuredFor = {
    salt: printOf(account.salt),
    rules: printOf(JSON.stringify([named.options.rules ?? null, stored.notes.rules])),
    ...{ source: batch.source, generation: stored.generation },
  };
  const bytes = state && encodedState({ measuredFor, state, keys: new Map([[part, []]]) });
  const sha256 = hashed();
  const rows = state?.rows ?? 0;
  const answer = JSON.stringify({ part, rows, sha256, ...(quarantine && { quarantine }) });
  const left = { upload: attempt, state: bytes, bytes: (bytes?.length ?? 0) + keys.bytes + answer.length };
  const reasons = quarantine && JSON.stringify(reasonsOf(quarantine));
  const refusal = await deps.batches.addPart(id, { part, rows, sha256, answer, reasons }, left, BOUNDS);
  if (refusal !== null) return await refused(refusal, { id, part, sha256, attempt }, deps);
  void foldStates(id, deps);
  return answer;
}

/** Another request was first with this part, or the batch has ended meanwhile. */
async function refused(
  refusal: PartRefusal,
  { id, part, sha256, attempt }: { id: string; part: number; sha256: string; attempt: string },
  deps: PartsDependencies,
): Promise<string> {
  if (refusal === 'full') throw full();
  if (refusal === 'gone') throw finished(id);
  await deps.batches.dropKeys(attempt);
  const known = await deps.batches.part(id, part);
  if (known === null) throw finished(id);
  return answerAgain(known, sha256);
}

const full = (): Rejection =>
  new Rejection(
    'BATCH_LIMIT',
    `What is kept of the account's open batches may have ${BOUNDS.bytes / 1024 / 1024} MiB: finish or delete some, or open fewer at once`,
  );

function answerAgain({ part, sha256, answer }: StoredPart, given: string): string {
  if (given === sha256) return answer;
  throw new Rejection(
    'PART_CONFLICT',
    `Part ${part} was sent with other bytes (SHA-256 ${sha256}): give each part a number of its own`,
  );
}

/** Bytes of keys that are stored at once. */
const CHUNK_BYTES = 1024 * 1024;
const KEY_BYTES = 9;

/** Stores keys of rows while others come. */
class KeysOnTheirWay implements TakesKeys {
  /** Of all that were stored. */
  bytes = 0;
  #slices: KeysOfSlice[] = [];
  #keys = 0;
  #number = 0;

  constructor(
    readonly id: string,
    readonly part: number,
    readonly attempt: string,
    readonly deps: PartsDependencies,
  ) {}

  async add(sets: readonly SliceKeys[], { row }: { row: number }): Promise<void> {
    this.#slices.push({ row, sets });
    this.#keys += keysInSets(sets);
    if (this.#keys * KEY_BYTES >= CHUNK_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#slices.length === 0) return;
    const bytes = encodeKeys(this.#slices);
    this.#slices = [];
    this.#keys = 0;
    this.bytes += bytes.length;
    if (this.bytes > BOUNDS.bytes) throw full();
    await this.deps.batches.addKeys(this.id, this.attempt, {
      number: this.#number++,
      part: this.part,
      bytes,
    });
  }
}
