/** Asks about the slices of a text, and says what is refused with its place in the text. */
import { Fault, Format, MAX_CELLS } from '../../assembly/abi.ts';
import type { RecordStarts } from '../engine/record-starts.ts';
import type { Instructions } from '../intake/instructions.ts';
import { hintOn } from '../intake/recognise.ts';
import { notATable, RefusedBody, rejectionOf } from '../intake/refusals.ts';
import type { ErrorCode } from '../terms/errors.ts';
import { grouped } from '../terms/wording.ts';
import { ROWS_TWICE, slicesOf } from './cut-text.ts';
import { bodyOf, type FormattedSlice, laterFormat } from './slice.ts';

/** What is refused of a text. `line`: from 1; null if it is about no line. */
export class RefusedText extends Error {
  constructor(
    message: string,
    readonly code: ErrorCode,
    readonly line: number | null = null,
    readonly fault: Fault = Fault.NONE,
  ) {
    super(message);
  }
}

/** Where slices are asked about. */
export interface Asking {
  /** Only parses a slice. Throws `Rejection`. */
  parse(slice: FormattedSlice): Promise<void>;
  /** For another text while the first one is read. */
  newRecords(): RecordStarts;
  /** Slices that are asked about at once. */
  readonly atOnce: number;
  readonly maxBodyBytes: number;
  /** How the user is told what to do. */
  readonly instructions: Instructions;
}

/** What is said of a slice, or of a part of it. */
export interface SaidOf<S extends FormattedSlice, Said> {
  slice: S;
  said: Said;
}

/** Asks about all slices at once, as far as there are threads, and gives what is said in the order of the text. Throws what `ask` throws, and `RefusedText`. */
export async function* eachIn<S extends FormattedSlice, Said>(
  asking: Asking,
  slices: AsyncIterable<S>,
  ask: (slice: S) => Promise<Said>,
): AsyncGenerator<SaidOf<S, Said>> {
  const begun: Promise<SaidOf<S, Said>[]>[] = [];
  try {
    for await (const slice of slices) {
      while (begun.length >= asking.atOnce) yield* await begun.shift()!;
      const asked = inHalves(slice, asking, ask);
      // It is awaited in its turn.
      asked.catch(() => {});
      begun.push(asked);
      // Nothing can be read behind it.
      if (slice.isCutOff) break;
    }
    while (begun.length > 0) yield* await begun.shift()!;
  } finally {
    await Promise.allSettled(begun);
  }
}

/** A cell and its name take at least so many bytes: `"":1,`. */
const CELL_BYTES = 5;

/** Asks about a slice; about its two halves, and theirs, where it has too many cells. The scan has counted those of the first row only. Throws `RefusedText`. */
async function inHalves<S extends FormattedSlice, Said>(
  slice: S,
  asking: Asking,
  ask: (slice: S) => Promise<Said>,
): Promise<SaidOf<S, Said>[]> {
  const copy = mayHaveTooManyCells(slice) ? bodyOf(slice) : null;
  try {
    const said = await askedIn(slice, asking, () => ask(slice));
    return [{ slice, said }];
  } catch (error) {
    const isTooMuch = error instanceof RefusedText && error.fault === Fault.CELLS;
    if (!(isTooMuch && copy !== null && slice.rows > 1)) throw error;
    const finished: SaidOf<S, Said>[] = [];
    for await (const half of halvesOf(slice, copy, asking))
      finished.push(...(await inHalves(half, asking, ask)));
    return finished;
  }
}

export function mayHaveTooManyCells({ format: { format }, pieces }: FormattedSlice): boolean {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return (format === Format.JSON || format === Format.NDJSON) && bytes > MAX_CELLS * CELL_BYTES;
}

async function* halvesOf<S extends FormattedSlice>(
  slice: S,
  body: Uint8Array,
  asking: Asking,
): AsyncGenerator<S> {
  const text = async function* () {
    yield body;
  };
  const maxRows = Math.ceil(slice.rows / 2);
  const { maxBodyBytes } = asking;
  // The text is still read with the records of all slices.
  const records = asking.newRecords();
  const halves = slicesOf(text(), { ...slice.format, maxBodyBytes, maxRows, records });
  for await (const half of halves)
    yield {
      ...slice,
      ...half,
      format: half.number === 1 ? slice.format : laterFormat(slice.format),
      number: slice.number + half.number - 1,
      rowsBefore: slice.rowsBefore + half.rowsBefore,
      linesBefore: slice.linesBefore + half.linesBefore,
      bytesBefore: slice.bytesBefore + half.bytesBefore,
      last: slice.last && half.last,
      said: slice.said,
    };
}

/** Asks about one slice. Throws `RefusedText` for what is refused of it, and what else `ask` throws. */
export async function askedIn<Said>(
  slice: FormattedSlice,
  asking: Asking,
  ask: () => Promise<Said>,
): Promise<Said> {
  try {
    if (!slice.isCutOff) return await ask();
    await asking.parse(slice);
  } catch (error) {
    if (!(error instanceof RefusedBody)) throw error;
    const refused = refusedIn(slice, error, asking.instructions);
    if (refused !== null) throw refused;
  }
  throw new RefusedText(
    `Row ${slice.rowsBefore + 1} is too large: a row may have at most ${grouped(asking.maxBodyBytes)} bytes`,
    'PAYLOAD_TOO_LARGE',
  );
}

/** Null: the slice ends within a row because that is too large. */
function refusedIn(
  slice: FormattedSlice,
  { why, message, code }: RefusedBody,
  instructions: Instructions,
): RefusedText | null {
  const { isCutOff, rowsBefore, linesBefore, bytesBefore, closedAt, head } = slice;
  if ('table' in why) return new RefusedText(notATable(why.table, why.delimiter, instructions).message, code);
  const { refusal, format, guess } = why;
  if (format >= Format.ARROW) return new RefusedText(message, code, null, refusal.fault);
  // The brace that closes the object around an array is met where the array has no end.
  const endsEarly = refusal.fault === Fault.SYNTAX && refusal.offset === closedAt;
  const fault = endsEarly ? Fault.TRUNCATED : refusal.fault;
  if (isCutOff && (fault === Fault.TRUNCATED || fault === Fault.QUOTE_OPEN)) return null;
  // No slice has too many rows of the array that was scanned.
  if (fault === Fault.ROWS) return new RefusedText(ROWS_TWICE, code);
  const isBehind = closedAt !== null && refusal.offset > closedAt;
  const inText = {
    ...refusal,
    fault,
    offset: Math.max(0, refusal.offset + bytesBefore - (isBehind ? 1 : 0)),
    row: refusal.row + rowsBefore,
    line: refusal.line + linesBefore,
  };
  const said = rejectionOf(inText, format, instructions, guess);
  const hint = head === null ? '' : hintOn(head, format, instructions);
  return new RefusedText(said.message + hint, said.code, inText.line, fault);
}
