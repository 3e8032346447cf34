/** A file as one batch: its slices are measured, the whole is judged, and for row verdicts its slices are read once more. */
import { Format } from '../../../assembly/abi.ts';
import { WholeQuarantine } from '../../judge/slice-quarantine.ts';
import type { Quarantine, Report } from '../../report-schema/report.ts';
import { type AllRepeats, RepeatedRows } from '../../states/repeated-rows.ts';
import { eachIn, mayHaveTooManyCells } from '../../slices/ask.ts';
import type { MeasuredBatch } from '../../slices/measure.ts';
import { Failure } from '../failure.ts';
import { bodyOf } from '../../slices/slice.ts';
import {
  type FileResult,
  type NamedBatch,
  resultOf,
  type ScreenedWhole,
  type Screener,
  type WholeScreener,
} from './named-batch.ts';
import type { Divider } from './screening.ts';
import { behind, failureIn, measuredIn, screenedIn } from './slices.ts';

type Batches = AsyncGenerator<NamedBatch, undefined>;

export interface WholeFile {
  /** Each call reads the file from its beginning. */
  open(): Batches;
  screener: Screener;
  whole: WholeScreener;
  divider: Divider | null;
}

/** A file of one slice is screened as the service does it. Throws `Failure`. */
export async function wholeResult(file: WholeFile): Promise<FileResult> {
  const batches = file.open();
  let name = '';
  try {
    const { value: first } = await batches.next();
    if (!first) throw new Error('a file has at least one batch');
    name = first.file;
    if (file.divider !== null && first.format.format === Format.ARROW)
      throw new Failure('--good and --held divide text files, not Parquet and Arrow');
    const isOne = first.last && !mayHaveTooManyCells(first);
    return isOne ? await oneSlice(first, file) : await manySlices(first, batches, file);
  } catch (error) {
    throw failureIn(name, error);
  } finally {
    await batches.return(undefined);
  }
}

async function oneSlice(batch: NamedBatch, { screener, divider }: WholeFile): Promise<FileResult> {
  const copy = divider && bodyOf(batch);
  const result = resultOf(batch, await screenedIn(batch, screener.threads, () => screener.screen(batch)));
  await divider?.add(batch, copy!, divider.heldIn(result.report));
  return result;
}

async function manySlices(first: NamedBatch, rest: Batches, file: WholeFile): Promise<FileResult> {
  const { screener, whole, divider } = file;
  const slices = await whole.begin(first);
  const repeated = new RepeatedRows();
  try {
    const state = await measuredIn(screener.threads, slices, behind(first, rest), repeated);
    const repeats = repeated.finish(state);
    const said = await whole.screen(first, slices, { state, repeats });
    const rows = { firstRow: 1, lastRow: state.rows };
    const result = { file: first.file, batch: 1, ...rows, last: true, report: said.report, body: said.body };
    if (said.again === null) return result;
    const { quarantine, held } = await rowVerdicts(said, said.again, repeats, file);
    const report: Report = { ...said.report, quarantine };
    if (divider) await divide(report, held, divider, file);
    return { ...result, report, body: JSON.stringify(report) };
  } finally {
    repeated.close();
  }
}

/** Numbers of the rows of a slice to hold back, in the file. */
interface Held {
  rows: number;
  numbers: Float64Array;
}

/** `held`: of each slice, in the order of the file. */
async function rowVerdicts(
  { findings }: ScreenedWhole,
  again: MeasuredBatch,
  repeats: AllRepeats,
  { open, screener }: WholeFile,
): Promise<{ quarantine: Quarantine; held: Held[] }> {
  const { threads } = screener;
  const whole = new WholeQuarantine(findings!);
  const held: Held[] = [];
  const batches = open();
  for await (const { slice, said } of eachIn(threads, batches, each => threads.hold(each, again, repeats))) {
    const before = numbersBefore(slice);
    whole.add(said, row => row + before);
    held.push({ rows: slice.rows, numbers: Float64Array.from(said.rows, ([row]) => row + before) });
  }
  return { quarantine: whole.quarantine, held };
}

/** Rows of a CSV file are numbered by its lines. */
const numbersBefore = ({ format: { format }, linesBefore, rowsBefore }: NamedBatch): number =>
  format === Format.CSV ? linesBefore : rowsBefore;

/** Reads the file a last time, and writes its rows. */
async function divide(
  report: Report,
  held: readonly Held[],
  divider: Divider,
  { open }: WholeFile,
): Promise<void> {
  const isAll = divider.heldIn(report) === 'all';
  let next = 0;
  for await (const batch of open()) {
    const before = numbersBefore(batch);
    const inBatch = new Set<number>();
    // One that was asked about in halves has several lists.
    for (let rows = 0; rows < batch.rows; rows += held[next++]!.rows)
      for (const number of held[next]!.numbers) inBatch.add(number - before);
    await divider.add(batch, bodyOf(batch), isAll ? 'all' : inBatch);
  }
}
