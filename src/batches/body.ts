/** Measures a body of any length, slice by slice, while it arrives. */
import { Format, MAX_ROWS } from '../../assembly/abi.ts';
import { RecordStarts } from '../engine/record-starts.ts';
import type { ContentType } from '../intake/content-type.ts';
import { BY_HEADERS } from '../intake/instructions.ts';
import { receiveText } from '../intake/receive.ts';
import { bodyTooLarge, rowsMissing } from '../intake/refusals.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { Upload } from '../intake/upload.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import { ParsedRules } from '../rules/declared/parsed-rules.ts';
import { WholeQuarantine } from '../judge/slice-quarantine.ts';
import type { Quarantine } from '../report-schema/report.ts';
import { type Asking, eachIn, RefusedText } from '../slices/ask.ts';
import { CutError, slicesOf } from '../slices/cut-text.ts';
import {
  holdSlice,
  type MeasuredBatch,
  measureSlice,
  measureText,
  parseSlice,
  takeState,
} from '../slices/measure.ts';
import { type FormattedSlice, laterFormat, type SliceFormat } from '../slices/slice.ts';
import type { TakesKeys } from '../states/repeated-rows.ts';
import type { State } from '../states/state.ts';
import type { Account, StoredBaseline } from '../stores/ports.ts';
import { arraysIn } from '../table/wrappers.ts';
import { Rejection } from '../terms/errors.ts';
import { rulesFor } from '../threads/judged-batch.ts';
import type { BeginOrder } from '../threads/whole-batch.ts';
import { ThreadEnded } from '../threads/thread.ts';
import { keyOf, unavailable } from '../threads/threads.ts';
import type { Assembly } from '../threads/assembler.ts';
import type { BatchDependencies } from './dependencies.ts';
import type { Spool } from './spool.ts';

/** A whole upload may take so long. */
export const BODY_SECONDS = 3600;

type Dependencies = Pick<BatchDependencies, 'threads' | 'scanner' | 'maxBodyBytes'>;

/** What slices are compared with: the source as it was when the batch was opened. */
export const beginOf = (
  { id }: Account,
  { source, options }: SourceAndOptions,
  stored: StoredBaseline,
  at: number,
): BeginOrder => ({ key: keyOf(id, source), read: { stored, since: null }, options, at });

/** The rules that slices are checked by. */
export const rulesOf = ({ options, read }: BeginOrder) =>
  rulesFor(options, read.stored.notes, text => new ParsedRules().of(text));

const NO_RULES: DeclaredRules = { document: {}, constraints: [], conditions: [] };

/** What the whole is judged by: the rules that its slices were checked by, whichever the source has by then. */
export const withRulesOf = (begin: BeginOrder, { source, options }: SourceAndOptions): SourceAndOptions => ({
  source,
  options: { ...options, rules: rulesOf(begin) ?? NO_RULES },
});

export interface Body {
  upload: Upload;
  contentType: ContentType;
  /** Keeps a copy of the text for row verdicts; null without them. */
  spool: Spool | null;
}

/** Throws `Rejection`. */
export async function measuredBody(
  { upload, contentType, spool }: Body,
  of: MeasuredBatch,
  keys: TakesKeys,
  deps: Dependencies,
): Promise<State> {
  const { threads } = deps;
  const asking = askingOf(of, deps);
  const copied = (text: AsyncIterable<Uint8Array>) => spool?.copied(text) ?? text;
  let rows: number;
  let state: State | null;
  try {
    const read = (text: AsyncIterable<Uint8Array>) =>
      measureText(asking, of, slicesIn(copied(text), contentType, of, asking), keys).catch(error => {
        throw rejectionFor(error);
      });
    rows = await receiveText(upload, contentType, read);
  } finally {
    state = await takeState(of, [threads]).then(
      taken => taken.state,
      () => null,
    );
  }
  // What a thread has measured ends with it.
  if (state?.rows !== rows) throw unavailable(new ThreadEnded(false));
  return state;
}

/** The rows to hold back. `judged`: the batch with its findings. Throws `Rejection`. */
export async function heldRows(
  { contentType, spool }: Pick<Body, 'contentType'> & { spool: Spool },
  judged: MeasuredBatch,
  assembly: Assembly,
  deps: Dependencies,
): Promise<Quarantine> {
  const { findings, isByIndex } = judged.begin!;
  const whole = new WholeQuarantine(findings!);
  const asking = askingOf(judged, deps);
  const isByLine = contentType.format === Format.CSV && !isByIndex;
  const held = async (slice: FormattedSlice) => {
    const repeats = await assembly.repeatsIn(judged.part, slice.rowsBefore, slice.rows);
    return holdSlice(slice, judged, deps.threads, repeats);
  };
  try {
    for await (const { slice, said } of eachIn(
      asking,
      slicesIn(spool.read(), contentType, judged, asking),
      held,
    )) {
      const before = isByLine ? slice.linesBefore : slice.rowsBefore;
      whole.add(said, row => row + before);
    }
  } finally {
    await takeState(judged, [deps.threads]).catch(() => null);
  }
  return whole.quarantine;
}

const askingOf = (
  of: MeasuredBatch,
  { threads, scanner, maxBodyBytes }: Dependencies,
): Parameters<typeof measureText>[0] => ({
  parse: slice => parseSlice(slice, of, threads),
  measure: (slice, batch) => measureSlice(slice, batch, threads),
  newRecords: () => new RecordStarts(scanner),
  atOnce: threads.large + 1,
  maxBodyBytes,
  instructions: BY_HEADERS,
});

function slicesIn(
  text: AsyncIterable<Uint8Array>,
  { format, delimiter, isDelimiterGiven, headerLine, isHeaderGiven }: ContentType,
  of: MeasuredBatch,
  { newRecords, maxBodyBytes }: Asking,
): AsyncIterable<FormattedSlice> {
  const given: SliceFormat = {
    ...{ format, delimiter, isDelimiterGiven },
    ...(headerLine !== undefined && { headerLine }),
    ...(isHeaderGiven !== undefined && { isHeaderGiven }),
  };
  return format >= Format.ARROW
    ? onlySlice(text, given, maxBodyBytes)
    : textSlices(text, given, of, { records: newRecords(), maxBodyBytes });
}

async function* textSlices(
  text: AsyncIterable<Uint8Array>,
  format: SliceFormat,
  { source }: MeasuredBatch,
  cutting: { records: RecordStarts; maxBodyBytes: number },
): AsyncGenerator<FormattedSlice> {
  const noRows = (json: Uint8Array) => rowsMissing(arraysIn(new TextDecoder().decode(json)));
  for await (const slice of slicesOf(text, { ...format, ...cutting, noRows })) {
    checkSaid(slice.said, source);
    // What the text may be instead is said where its first bytes are known.
    yield { ...slice, head: null, format: slice.number === 1 ? format : laterFormat(format) };
  }
}

/** A JSON object around rows may name the source as the headers do. Throws `Rejection`. */
function checkSaid(said: FormattedSlice['said'], source: string): void {
  if (said.source !== undefined && said.source !== source)
    throw new Rejection(
      'INVALID_PARAMETER',
      'source differs from the source of the batch: leave it out of the body',
    );
  if (said.options !== undefined)
    throw new Rejection(
      'INVALID_OPTIONS',
      'options are given with the batch, not with its rows: in X-Options, or when it is opened',
    );
}

/** Columns come whole. */
async function* onlySlice(
  bytes: AsyncIterable<Uint8Array>,
  format: SliceFormat,
  maxBodyBytes: number,
): AsyncGenerator<FormattedSlice> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for await (const piece of bytes) {
    total += piece.length;
    if (total > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
    pieces.push(new Uint8Array(piece));
  }
  yield {
    // How many it has is known when it is parsed.
    ...{ pieces, format, number: 1, rowsBefore: 0, rows: MAX_ROWS, last: true, linesBefore: 0 },
    bytesBefore: 0,
    ...{ closedAt: null, said: { source: undefined, options: undefined }, head: null, isCutOff: false },
  };
}

function rejectionFor(error: unknown): unknown {
  if (error instanceof CutError) return new Rejection('INVALID_ROWS', error.message);
  return error instanceof RefusedText ? new Rejection(error.code, error.message) : error;
}
