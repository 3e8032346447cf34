/** Asks about the batches of a file one by one, and says what is refused with its place in the file. */
import { setImmediate } from 'node:timers/promises';
import { Fault, Format, MAX_CELLS } from '../../../assembly/abi.ts';
import type { Report } from '../../report-schema/report.ts';
import { hintOn } from '../../intake/recognise.ts';
import { notATable, RefusedBody, rejectionOf } from '../../intake/refusals.ts';
import { parseOptions } from '../../options/options.ts';
import { batchesOf } from '../input/batches.ts';
import { cutFile } from '../input/cut-file.ts';
import { Failure, failureOf, shownName } from '../failure.ts';
import { bodyOf } from '../input/file-batch.ts';
import { openInput } from '../input/input.ts';
import { BY_OPTIONS } from '../input/instructions.ts';
import {
  type JsonObject,
  laterFormat,
  type NamedBatch,
  nameBatch,
  type Screener,
  type Typed,
} from './named-batch.ts';
import { grouped } from '../../terms/wording.ts';
import { MAX_BODY_BYTES } from './open-engine.ts';
import { Progress } from './progress.ts';
import type { Reading } from '../input/reading.ts';
import type { Terminal } from '../terminal.ts';

/** Divides a file into parts. */
export interface Divider {
  /** The rows to hold back, as the report numbers them. */
  heldIn(report: Report): ReadonlySet<number> | 'all';
  /** `body` is that of the batch. Throws `Failure`. */
  add(batch: NamedBatch, body: Uint8Array, held: ReadonlySet<number> | 'all'): Promise<void>;
  end(): Promise<void>;
}

/** A cell and its name take at least so many bytes: `"":1,`. */
const CELL_BYTES = 5;

/** Asks for a batch; for its two halves, and theirs, where it has too many cells. The scan has counted those of the first row only. Throws `Failure`. */
export async function inHalves<Said>(
  batch: NamedBatch,
  screener: Pick<Screener, 'threads'>,
  isCopied: boolean,
  ask: (batch: NamedBatch) => Promise<Said>,
): Promise<{ batch: NamedBatch; copy: Uint8Array | null; said: Said }[]> {
  const copy = isCopied || mayHaveTooManyCells(batch) ? bodyOf(batch) : null;
  try {
    const said = await screenedIn(batch, screener, () => ask(batch));
    return [{ batch, copy: isCopied ? copy : null, said }];
  } catch (error) {
    if (!(error instanceof TooManyCells && copy !== null && batch.rows > 1)) throw error;
    const finished: { batch: NamedBatch; copy: Uint8Array | null; said: Said }[] = [];
    for await (const half of halvesOf(batch, copy, screener))
      finished.push(...(await inHalves(half, screener, isCopied, ask)));
    return finished;
  }
}

export function mayHaveTooManyCells({ format: { format }, pieces }: NamedBatch): boolean {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return (format === Format.JSON || format === Format.NDJSON) && bytes > MAX_CELLS * CELL_BYTES;
}

async function* halvesOf(
  batch: NamedBatch,
  body: Uint8Array,
  { threads }: Pick<Screener, 'threads'>,
): AsyncGenerator<NamedBatch> {
  const text = async function* () {
    yield body;
  };
  const cutting = { ...batch.format, file: batch.file, maxBodyBytes: MAX_BODY_BYTES };
  const halves = batchesOf(text(), {
    ...cutting,
    maxRows: Math.ceil(batch.rows / 2),
    // The file is still read with those of all batches.
    records: threads.newRecords(),
  });
  for await (const half of halves)
    yield {
      ...batch,
      ...half,
      format: half.number === 1 ? batch.format : laterFormat(batch.format),
      number: batch.number + half.number - 1,
      rowsBefore: batch.rowsBefore + half.rowsBefore,
      linesBefore: batch.linesBefore + half.linesBefore,
      bytesBefore: batch.bytesBefore + half.bytesBefore,
      last: batch.last && half.last,
      said: batch.said,
      isChunk: true,
    };
}

class TooManyCells extends Failure {}

/** Screens a batch of a file. Throws `Failure` with the place in the file of what is refused. */
export async function screenedIn<Result>(
  batch: NamedBatch,
  { threads }: Pick<Screener, 'threads'>,
  screen: () => Promise<Result>,
): Promise<Result> {
  try {
    if (!batch.isCutOff) return await screen();
    await threads.parse(batch);
  } catch (error) {
    if (!(error instanceof RefusedBody)) throw error;
    const failure = failureIn(batch, error);
    if (failure !== null) throw failure;
  }
  throw tooLarge(batch);
}

const tooLarge = ({ rowsBefore, file }: NamedBatch): Failure =>
  new Failure(
    `Row ${rowsBefore + 1} is too large: a batch may have at most ${grouped(MAX_BODY_BYTES)} bytes`,
    file,
  );

/** Null: the batch ends within a row because that is too large. */
function failureIn(batch: NamedBatch, { why, message }: RefusedBody): Failure | null {
  const { file, isCutOff, rowsBefore, linesBefore, bytesBefore, closedAt, head } = batch;
  if ('table' in why) return new Failure(notATable(why.table, why.delimiter, BY_OPTIONS).message, file);
  const { refusal, format, guess } = why;
  if (format >= Format.ARROW) return new Failure(message, file);
  // The brace that closes the object around an array is met where the array has no end.
  const endsEarly = refusal.fault === Fault.SYNTAX && refusal.offset === closedAt;
  const fault = endsEarly ? Fault.TRUNCATED : refusal.fault;
  if (isCutOff && (fault === Fault.TRUNCATED || fault === Fault.QUOTE_OPEN)) return null;
  // No batch has too many rows of the array that was scanned.
  if (fault === Fault.ROWS) return new Failure('The object must have rows only once', file);
  const isBehind = closedAt !== null && refusal.offset > closedAt;
  const inFile = {
    ...refusal,
    fault,
    offset: Math.max(0, refusal.offset + bytesBefore - (isBehind ? 1 : 0)),
    row: refusal.row + rowsBefore,
    line: refusal.line + linesBefore,
  };
  const { message: said } = rejectionOf(inFile, format, BY_OPTIONS, guess);
  const hint = head === null ? '' : hintOn(head, format, BY_OPTIONS);
  const Kind = fault === Fault.CELLS ? TooManyCells : Failure;
  return new Kind(said + hint, file, inFile.line);
}

/** The batches of a file, with source and options. `path`: where its bytes are. */
export async function* namedBatches(
  file: string,
  reading: Reading,
  typed: Typed,
  { threads }: Pick<Screener, 'threads'>,
  terminal: Terminal,
  path = file,
): AsyncGenerator<NamedBatch, undefined> {
  const opened = await openInput(path);
  // A copy of what came through a pipe is read as that was.
  const input = path === file ? opened : { ...opened, file, size: null };
  const progress = new Progress(input, terminal);
  threads.expect(input.size ?? 0);
  const onBytes = (bytes: number) => {
    progress.read(bytes);
    threads.expect(progress.bytes);
  };
  const { batches, found, ...cut } = await cutFile(input, reading, threads.records, onBytes);
  for await (const batch of batches) {
    if (batch.number === 1 && found !== '' && !reading.isQuiet)
      terminal.tell(`sluice: ${shownName(file)}: found ${found}`);
    yield nameBatch(file, batch, cut, typed);
    // Replies of threads, and signals, arrive.
    await setImmediate();
    progress.rows = batch.rowsBefore + batch.rows;
  }
}

/** Checks typed options. Throws `Failure` that names the option as typed. */
export function checkedOptions(options: JsonObject): JsonObject {
  try {
    parseOptions(options);
    return options;
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    throw new Failure(
      failure.message
        .replace(/options\.thresholds\.(\w+)/g, (_, name: string) => `--${name.replaceAll('_', '-')}`)
        .replace(/is above (\w+)/, (_, name: string) => `is above --${name.replaceAll('_', '-')}`),
    );
  }
}
