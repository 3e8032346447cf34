/** Measures a body of any length, slice by slice, while it arrives. */
import { Fault, Format } from '../../assembly/abi.ts';
import { RecordStarts } from '../engine/record-starts.ts';
import type { ContentType } from '../intake/content-type.ts';
import { BY_HEADERS } from '../intake/instructions.ts';
import { receiveText } from '../intake/receive.ts';
import { RefusedBody, rowsMissing } from '../intake/refusals.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { Upload } from '../intake/upload.ts';
import { WholeQuarantine } from '../judge/slice-quarantine.ts';
import type { Quarantine } from '../report-schema/report.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import { ParsedRules } from '../rules/declared/parsed-rules.ts';
import { type Asking, eachIn, RefusedText } from '../slices/ask.ts';
import { slicesOfColumns } from '../slices/column-slices.ts';
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
import type { Assembly } from '../threads/assembler.ts';
import { rulesFor } from '../threads/judged-batch.ts';
import type { BeginOrder } from '../threads/whole-batch.ts';
import { ThreadEnded } from '../threads/thread.ts';
import { keyOf, unavailable } from '../threads/threads.ts';
import type { BatchDependencies } from './dependencies.ts';
import { Spool } from './spool.ts';

/** A whole upload may take so long. */
export const BODY_SECONDS = 3600;

type Dependencies = Pick<BatchDependencies, 'threads' | 'scanner' | 'cutter' | 'maxBodyBytes'>;

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

/** The body has no row. */
export class NoRows extends Rejection {
  constructor(message: string) {
    super('INVALID_ROWS', message);
  }
}

export interface Body {
  upload: Upload;
  contentType: ContentType;
  /** Keeps a copy for row verdicts; null without them. */
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
  const { format } = contentType;
  const own = spool === null && format >= Format.ARROW ? await Spool.open() : null;
  const copy = spool ?? own;
  const slices = (text: AsyncIterable<Uint8Array>) =>
    format >= Format.ARROW
      ? columnSlices(text, { format, account: of.account, spool: copy! }, deps)
      : textSlices(copy?.copied(text) ?? text, contentType, of, asking);
  let rows: number;
  let state: State | null;
  try {
    const read = (text: AsyncIterable<Uint8Array>) =>
      measureText(asking, of, slices(text), keys).catch(error => {
        throw rejectionFor(error);
      });
    rows = await receiveText(upload, contentType, read);
  } finally {
    state = await takeState(of, [threads]).then(
      taken => taken.state,
      () => null,
    );
    await own?.close();
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
  const { format } = contentType;
  const isByLine = format === Format.CSV && !isByIndex;
  const slices =
    format >= Format.ARROW
      ? columnSlices(null, { format, account: judged.account, spool }, deps)
      : textSlices(spool.read(), contentType, judged, asking);
  const held = async (slice: FormattedSlice) => {
    const repeats = await assembly.repeatsIn(judged.part, slice.rowsBefore, slice.rows);
    return holdSlice(slice, judged, deps.threads, repeats);
  };
  try {
    for await (const { slice, said } of eachIn(asking, slices, held)) {
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

async function* textSlices(
  text: AsyncIterable<Uint8Array>,
  { format, delimiter, isDelimiterGiven, headerLine, isHeaderGiven }: ContentType,
  { source }: MeasuredBatch,
  { newRecords, maxBodyBytes }: Asking,
): AsyncGenerator<FormattedSlice> {
  const given: SliceFormat = {
    ...{ format, delimiter, isDelimiterGiven },
    ...(headerLine !== undefined && { headerLine }),
    ...(isHeaderGiven !== undefined && { isHeaderGiven }),
  };
  const noRows = (json: Uint8Array) => rowsMissing(arraysIn(new TextDecoder().decode(json)));
  for await (const slice of slicesOf(text, { ...given, records: newRecords(), maxBodyBytes, noRows })) {
    checkSaid(slice.said, source);
    // What the text may be instead is said where its first bytes are known.
    yield { ...slice, head: null, format: slice.number === 1 ? given : laterFormat(given) };
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

/** What slices of columns are. */
const ARROW: SliceFormat = { format: Format.ARROW, delimiter: 0, isDelimiterGiven: false };

/** Columns are read from the copy, as their directory stands at their end. */
async function* columnSlices(
  text: AsyncIterable<Uint8Array> | null,
  { format, account, spool }: { format: Format; account: string; spool: Spool },
  { cutter, maxBodyBytes }: Dependencies,
): AsyncGenerator<FormattedSlice> {
  if (text !== null) for await (const _ of spool.copied(text));
  const bodies = cutter.bodies(account, { handle: spool.handle, format, maxBodyBytes });
  for await (const slice of slicesOfColumns(bodies)) yield { ...slice, format: ARROW };
}

function rejectionFor(error: unknown): unknown {
  if (error instanceof CutError) return new Rejection('INVALID_ROWS', error.message);
  if (faultOf(error) === Fault.ROWS_EMPTY) return new NoRows((error as Error).message);
  return error instanceof RefusedText ? new Rejection(error.code, error.message) : error;
}

function faultOf(error: unknown): Fault | null {
  if (error instanceof RefusedText) return error.fault;
  return error instanceof RefusedBody && 'refusal' in error.why ? error.why.refusal.fault : null;
}
