/** Batches that come in parts. */
import type {
  BatchBounds,
  BatchStore,
  OpenedBy,
  PartRefusal,
  StoredBatch,
  StoredPart,
  WindowOfBatch,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import * as batchQueries from './batch-queries.ts';
import { forgetDue } from './window-queries.ts';
import { compressedBytes, decompressedBytes } from './compressed.ts';
import { type SqlDatabase, type Statements, statementsOn } from './database.ts';

/** Keys are read so many rows at a time; each has up to a mebibyte. */
const READ_AT_ONCE = 4;

const QUERIES = { ...batchQueries, forgetDue };

/** Lock name: see `SqlDatabase.alone`. */
const batchesOf = (account: string): string => `batches of ${account}`;

export class SqlBatches implements BatchStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  async open(batch: StoredBatch, by: OpenedBy | null, { batches: limit }: BatchBounds) {
    const { account, begun, window: _window, ...rest } = batch;
    const values = {
      ...{ ...rest, account, limit, source: sourceKey(batch.source), begun: compressedBytes(begun) },
      ...(by ?? { key: null, requestSha256: null }),
    };
    const known = by && (await this.#openedBy(account, by.key));
    if (known) return known;
    const opened = await this.#database.alone([batchesOf(account)], this.#run.open, values);
    if (opened.length > 0) return 'opened';
    return (by && (await this.#openedBy(account, by.key))) ?? 'too_many';
  }

  async #openedBy(account: string, key: string) {
    const [found] = await this.#run.openedBy.run({ account, key });
    return found ? { id: found.id, requestSha256: found.requestSha256! } : null;
  }

  async find(account: string, id: string): Promise<StoredBatch | null> {
    const [found] = await this.#run.find.run({ account, id });
    if (!found) return null;
    const { begun, ...batch } = found;
    return { ...withWindow(batch), begun: decompressedBytes(begun) };
  }

  async list(account: string, limit: number) {
    const found = await this.#run.list.run({ account, limit });
    return found.map(withWindow);
  }

  parts(id: string) {
    return this.#run.listParts.run({ id });
  }

  async reasons(id: string): Promise<string[]> {
    return (await this.#run.readReasons.run({ id })).map(({ reasons }) => reasons!);
  }

  async part(id: string, part: number): Promise<StoredPart | null> {
    return (await this.#run.findPart.run({ id, part }))[0] ?? null;
  }

  async addKeys(id: string, upload: string, entry: { number: number; part: number; bytes: Uint8Array }) {
    const { number, part, bytes } = entry;
    const place = `${upload}:${String(number).padStart(8, '0')}`;
    await this.#run.addKeys.run({ id, upload, place, part, keys: Buffer.from(bytes) });
  }

  async dropKeys(upload: string): Promise<void> {
    await this.#run.dropKeys.run({ upload });
  }

  async addPart(
    id: string,
    part: StoredPart,
    { upload, state, bytes }: { upload: string; state: Uint8Array | null; bytes: number },
    { bytes: most }: Pick<BatchBounds, 'bytes'>,
  ): Promise<PartRefusal | null> {
    const { makeRoom, addPart, addState } = this.#run;
    const isAdded = await this.#database.atomically([
      { statement: makeRoom, values: { id, bytes, most }, guard: true },
      { statement: addPart, values: { id, upload, ...part }, guard: true },
      ...(state ? [{ statement: addState, values: { id, state: compressedBytes(state) } }] : []),
    ]);
    if (isAdded) return null;
    if (await this.part(id, part.part)) return 'there';
    const [isOpen] = await this.#run.readOpen.run({ id });
    return isOpen ? 'full' : 'gone';
  }

  async stateNumbers(id: string): Promise<number[]> {
    return (await this.#run.stateNumbers.run({ id })).map(({ number }) => number);
  }

  async state(id: string, number: number): Promise<Uint8Array | null> {
    const [found] = await this.#run.readState.run({ id, number });
    return found ? decompressedBytes(found.state) : null;
  }

  foldStates(id: string, numbers: readonly number[], state: Uint8Array): Promise<boolean> {
    const { lockBatch, addState, dropState } = this.#run;
    return this.#database.atomically([
      { statement: lockBatch, values: { id }, guard: true },
      { statement: addState, values: { id, state: compressedBytes(state) } },
      ...numbers.map(number => ({ statement: dropState, values: { id, number }, guard: true })),
    ]);
  }

  keys(id: string, after: string) {
    return this.#run.readKeys.run({ id, after, limit: READ_AT_ONCE });
  }

  async beginFinish(id: string, parts: number): Promise<boolean> {
    return (await this.#run.beginFinish.run({ id, parts })).length > 0;
  }

  async reopen(id: string): Promise<void> {
    await this.#run.reopen.run({ id });
  }

  async finish(id: string, requestId: string, answer: string): Promise<void> {
    await this.#run.finish.run({ id, requestId, answer });
  }

  async abort(account: string, id: string): Promise<boolean> {
    return (await this.#run.abort.run({ account, id })).length > 0;
  }

  async prune(now: number, forgotten: number, limit: number): Promise<number> {
    const expired = await this.#run.expire.run({ now });
    const keys = await this.#run.pruneKeys.run({ limit });
    const states = await this.#run.pruneStates.run({});
    const forgottenOnes = await this.#run.forget.run({ forgotten, limit });
    const windows = await this.#run.forgetDue.run({});
    return expired.length + keys.length + states.length + forgottenOnes.length + windows.length;
  }
}

interface Joined extends Omit<WindowOfBatch, 'rows' | 'mostRows'> {
  source: string;
  rows: number | null;
  mostRows: number | null;
}

/** `rows` and what follows are null where no window is joined. */
function withWindow<Found extends Joined>({ source, rows, mostRows, dueAt, ...batch }: Found) {
  const window = rows === null || mostRows === null ? null : { rows, mostRows, dueAt };
  return { ...batch, source: sourceOf(source), window };
}
