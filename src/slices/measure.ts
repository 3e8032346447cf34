/** Measures the slices of a batch in threads: each thread keeps what it has measured, until all of it is taken. */
import { randomUUID } from 'node:crypto';
import type { RowList } from '../engine/queries.ts';
import type { SliceKeys } from '../engine/row-keys.ts';
import { parseOptions } from '../options/options.ts';
import type { Quarantine } from '../report-schema/report.ts';
import type { HeldKeys } from '../states/keys/key-set.ts';
import type { TakesKeys } from '../states/repeated-rows.ts';
import { mergeStates, type State } from '../states/state.ts';
import type { BodyStart } from '../threads/parsed-batch.ts';
import type { Parsed } from '../threads/tasks.ts';
import type { BeginOrder } from '../threads/whole-batch.ts';
import type { Thread } from '../threads/thread.ts';
import { ThreadedBody } from '../threads/threaded-body.ts';
import type { Threads } from '../threads/threads.ts';
import { type Asking, eachIn } from './ask.ts';
import type { FormattedSlice } from './slice.ts';

/** A batch whose slices are measured. */
export interface MeasuredBatch {
  /** Names it among others. */
  batch: string;
  /** Which part of the batch the text is. */
  part: number;
  /** Whose threads they are, for a fair share of them. */
  account: string;
  salt: Uint8Array;
  source: string;
  /** What it is judged by later; null if it is only described. */
  begin: BeginOrder | null;
  /** Threads that know of it. */
  begun: WeakSet<Thread>;
  /** Threads collect the keys of rows, each with this share of the memory for them; null: each slice gives its own. */
  keysShare: number | null;
}

export const newMeasuredBatch = (
  of: Pick<MeasuredBatch, 'account' | 'salt' | 'source'> & Partial<MeasuredBatch>,
): MeasuredBatch => ({
  batch: randomUUID(),
  part: 0,
  begin: null,
  begun: new WeakSet(),
  keysShare: null,
  ...of,
});

const placeOf = (
  { rowsBefore, linesBefore }: FormattedSlice,
  { batch, part, keysShare }: MeasuredBatch,
): BodyStart['slice'] => ({ part, row: rowsBefore, line: linesBefore, batch, keysShare });

/** Only parses a slice. Throws `Rejection`. */
export async function parseSlice(
  slice: Pick<FormattedSlice, 'pieces' | 'format'>,
  of: MeasuredBatch,
  threads: Threads,
): Promise<void> {
  await readSlice(slice, of, threads);
}

/** What is said of a slice that was measured. */
export interface MeasuredSlice {
  rows: number;
  keys: SliceKeys[];
}

/** Throws `Rejection`. */
export async function measureSlice(
  slice: FormattedSlice,
  of: MeasuredBatch,
  threads: Threads,
): Promise<MeasuredSlice> {
  const { rows, keys } = await readSlice(slice, of, threads, placeOf(slice, of));
  return { rows, keys: keys! };
}

/** The rows to hold back of a slice of a batch that has been judged. `repeats`: its rows that repeat others, as whole rows and by each `unique` rule. Throws `Rejection`. */
export async function holdSlice(
  slice: FormattedSlice,
  of: MeasuredBatch,
  threads: Threads,
  repeats: RowList[],
): Promise<Quarantine> {
  return (await readSlice(slice, of, threads, placeOf(slice, of), repeats)).held!;
}

async function readSlice(
  { pieces, format }: Pick<FormattedSlice, 'pieces' | 'format'>,
  { account, salt, source, begin, begun }: MeasuredBatch,
  threads: Threads,
  slice?: BodyStart['slice'],
  repeats?: RowList[],
): Promise<Parsed> {
  const start = {
    ...{ ...format, salt, named: { source, options: parseOptions({}) } },
    ...(slice && { slice }),
  };
  const atEnd = (thread: Thread) => {
    const told = repeats ? { repeats } : {};
    if (begin === null || begun.has(thread)) return told;
    begun.add(thread);
    return { ...told, begin };
  };
  const body = new ThreadedBody(threads, account, start, () => null, atEnd);
  try {
    return await body.whole(pieces);
  } finally {
    body.close();
  }
}

/** What all threads have measured of a batch, which they forget; `state`: null if that is nothing. `keys`: what each has collected. */
export async function takeState(
  { batch }: MeasuredBatch,
  threads: readonly Threads[],
): Promise<{ state: State | null; keys: HeldKeys[][] }> {
  const taken = (await Promise.all(threads.map(each => each.askEach('takeState', { batch })))).flat();
  const states = taken.map(({ state }) => state);
  const state = states.reduce((a, b) => (a && b ? mergeStates(a, b) : (a ?? b)), null);
  return { state, keys: taken.map(({ keys }) => keys) };
}

/** Measures all slices of a text, and gives their keys to `keys`. Returns how many rows they have. Throws `RefusedText`. */
export async function measureText(
  asking: Asking & { measure(slice: FormattedSlice, of: MeasuredBatch): Promise<MeasuredSlice> },
  of: MeasuredBatch,
  slices: AsyncIterable<FormattedSlice>,
  keys: TakesKeys | null,
): Promise<number> {
  let rows = 0;
  for await (const { slice, said } of eachIn(asking, slices, each => asking.measure(each, of))) {
    await keys?.add(said.keys, { part: of.part, row: slice.rowsBefore });
    rows += said.rows;
  }
  return rows;
}
