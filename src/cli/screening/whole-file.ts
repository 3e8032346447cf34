/** A file as one batch: its slices are measured, the whole is judged, and for row verdicts its slices are read once more. */
import { Format } from '../../../assembly/abi.ts';
import { MAX_SPOOL_BYTES } from '../../batches/spool.ts';
import { WholeQuarantine } from '../../judge/slice-quarantine.ts';
import type { Quarantine, Report } from '../../report-schema/report.ts';
import { type AllRepeats, RepeatedRows } from '../../states/repeated-rows.ts';
import { eachIn, mayHaveTooManyCells } from '../../slices/ask.ts';
import type { MeasuredBatch } from '../../slices/measure.ts';
import { Failure } from '../failure.ts';
import { bodyOf } from '../../slices/slice.ts';
import type {
  FileResult,
  NamedBatch,
  Screened,
  ScreenedWhole,
  Screener,
  Server,
  WholeScreener,
} from './named-batch.ts';
import { grouped } from '../../terms/wording.ts';
import { type SentFile, screenAsItIs, screenParts } from './remote-whole.ts';
import type { Divider } from './screening.ts';
import { behind, failureIn, measuredIn, screenedIn } from './slices.ts';

type Batches = AsyncGenerator<NamedBatch, undefined>;

export interface WholeFile extends Omit<SentFile, 'first'> {
  /** Each call reads the file from its beginning. */
  open(): Batches;
  screener: Screener;
  divider: Divider | null;
}

/** A file of one slice is screened as the service does it. Throws `Failure`. */
export async function fileResult(file: WholeFile): Promise<FileResult> {
  const batches = file.open();
  try {
    const { value: first } = await batches.next();
    if (!first) throw new Error('a file has at least one batch');
    if (file.divider !== null && first.format.format === Format.ARROW)
      throw new Failure('--good and --held divide text files, not Parquet and Arrow');
    const { report, body } = await screenedFile(first, batches, file);
    return { file: file.file, report, body };
  } catch (error) {
    throw failureIn(file.file, error);
  } finally {
    await batches.return(undefined);
  }
}

function screenedFile(first: NamedBatch, rest: Batches, file: WholeFile): Promise<Screened> {
  const { whole, server } = file.screener;
  if (first.last && !mayHaveTooManyCells(first)) return oneSlice(first, file);
  return whole ? manySlices(first, rest, whole, file) : onServer(first, rest, server!, file);
}

async function onServer(
  first: NamedBatch,
  rest: Batches,
  server: Server,
  file: WholeFile,
): Promise<Screened> {
  const { rows, columns } = file.reading;
  const isCopied = first.format.format === Format.ARROW;
  const isTooLong = isCopied && Bun.file(file.path).size > MAX_SPOOL_BYTES;
  const isSentWhole = rows === undefined && columns === undefined && !isTooLong;
  const screened = await (isSentWhole
    ? screenAsItIs({ ...file, first }, server)
    : screenParts(first, behind(first, rest), server));
  if (file.divider) await divideBy(screened.report, file.divider, file);
  return screened;
}

/** By the rows that a server lists. Throws `Failure` if it does not list all of them. */
async function divideBy(report: Report, divider: Divider, { open }: WholeFile): Promise<void> {
  const { count = 0, rows = [] } = report.quarantine ?? {};
  const held = divider.heldIn(report);
  if (held !== 'all' && count > rows.length)
    throw new Failure(
      `${grouped(count)} rows are to be held back, and a server lists ${grouped(rows.length)} of them: leave --url out, or divide the file`,
    );
  for await (const batch of open()) {
    const before = numbersBefore(batch);
    const inBatch = held === 'all' ? held : { has: (number: number) => held.has(number + before) };
    await divider.add(batch, bodyOf(batch), inBatch);
  }
}

async function oneSlice(batch: NamedBatch, { screener, divider }: WholeFile): Promise<Screened> {
  const copy = divider && bodyOf(batch);
  const screened = await screenedIn(batch, screener.threads, () => screener.screen(batch));
  await divider?.add(batch, copy!, divider.heldIn(screened.report));
  return screened;
}

async function manySlices(
  first: NamedBatch,
  rest: Batches,
  whole: WholeScreener,
  file: WholeFile,
): Promise<Screened> {
  const { screener, divider } = file;
  const slices = await whole.begin(first);
  const repeated = new RepeatedRows();
  try {
    const state = await measuredIn(screener.threads, slices, behind(first, rest), repeated);
    const repeats = repeated.finish(state);
    const said = await whole.screen(first, slices, { state, repeats });
    if (said.again === null) return { report: said.report, body: said.body };
    const { quarantine, held } = await rowVerdicts(said, said.again, repeats, file);
    const report: Report = { ...said.report, quarantine };
    if (divider) await divide(report, held, divider, file);
    return { report, body: JSON.stringify(report) };
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
