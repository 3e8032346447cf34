/** A slice of a file with source and options, and the result of a file. */
import { checkOptionsSize } from '../../intake/refusals.ts';
import { checkSource } from '../../names/source.ts';
import { Kind } from '../../../assembly/abi.ts';
import { parseOptions } from '../../options/options.ts';
import type { Report } from '../../report-schema/report.ts';
import type { MeasuredBatch } from '../../slices/measure.ts';
import { laterFormat, type Slice } from '../../slices/slice.ts';
import type { Finding } from '../../findings/kinds.ts';
import type { AllRepeats } from '../../states/repeated-rows.ts';
import type { State } from '../../states/state.ts';
import type { FileThreads } from './file-threads.ts';
import { type FileFormat, sourceOf } from '../input/format.ts';

export type JsonObject = Record<string, unknown>;

/** Options for the request, as typed. */
export interface Typed {
  source: string | undefined;
  /** As `options` in a request. */
  options: JsonObject;
}

/** A batch with its source and options. */
export interface NamedBatch extends Slice {
  file: string;
  format: FileFormat;
  /** Encoding of the file; null for UTF-8, which the body always is. */
  charset: string | null;
  /** Whether the file begins with a byte order mark of UTF-16, which no body has. */
  hasWideMark: boolean;
  source: string;
  /** As in a request, without `batch_index` and `total_batches`. */
  options: JsonObject;
  /** Its file has several batches. */
  isChunk: boolean;
}

export interface FileResult {
  file: string;
  report: Report;
  /** The answer as the server sends it. */
  body: string;
}

export type Screened = Pick<FileResult, 'report' | 'body'>;

export interface Server {
  url: string;
  key: string;
}

export interface Screener {
  threads: FileThreads;
  /** Throws `Failure`, and `Rejection`. */
  screen(batch: NamedBatch): Promise<Screened>;
  /** Absent: a server screens the file. */
  whole?: WholeScreener;
  /** Given where `whole` is absent. */
  server?: Server;
}

/** Screens a file as one batch. Its slices are measured first. */
export interface WholeScreener {
  /** `first`: the first slice. Throws `Failure`. */
  begin(first: Pick<NamedBatch, 'source' | 'options'>): Promise<MeasuredBatch>;
  /** Throws `Failure`, and `Rejection`. */
  screen(
    first: Pick<NamedBatch, 'source' | 'options' | 'format'>,
    slices: MeasuredBatch,
    measured: MeasuredFile,
  ): Promise<ScreenedWhole>;
}

export interface MeasuredFile {
  state: State;
  repeats: AllRepeats;
}

export interface ScreenedWhole extends Screened {
  /** If row verdicts were asked for: its findings, and the slices once more for their rows. */
  findings: readonly Finding[] | null;
  again: MeasuredBatch | null;
}

/** Throws `Failure`. */
export function nameBatch(
  file: string,
  batch: Slice,
  opened: Pick<NamedBatch, 'format' | 'charset' | 'hasWideMark'>,
  typed: Typed,
): NamedBatch {
  const isChunk = batch.number > 1 || !batch.last;
  const format = batch.number === 1 ? opened.format : laterFormat(opened.format);
  return { ...batch, file, ...opened, format, ...named(file, batch, typed), isChunk };
}

/** What was typed wins over the request object in the file, and that wins over the file name. */
function named(file: string, { said }: Slice, typed: Typed): { source: string; options: JsonObject } {
  const where =
    typed.source !== undefined
      ? '--source'
      : said.source !== undefined
        ? 'source'
        : 'The file name, used without --source,';
  const source = checkSource(typed.source ?? said.source ?? sourceOf(file), where);
  checkOptionsSize({ top: Kind.OBJECT, hasRows: true, ...said });
  parseOptions(said.options);
  return { source, options: merged({ mode: 'auto', ...(said.options as JsonObject) }, typed.options) };
}

const merged = (below: JsonObject, above: JsonObject): JsonObject => ({
  ...below,
  ...above,
  thresholds: { ...(below.thresholds as JsonObject), ...(above.thresholds as JsonObject) },
});
