/** A batch with its source and options, and its result with the rows and lines of the file. */
import { checkOptionsSize } from '../../intake/refusals.ts';
import { checkSource } from '../../names/source.ts';
import { Kind } from '../../../assembly/abi.ts';
import { parseOptions } from '../../options/options.ts';
import type { Report } from '../../report-schema/report.ts';
import { raggedWords } from '../../findings/ragged-rows.ts';
import { layoutWords } from '../../findings/layout.ts';
import type { MeasuredBatch } from '../../slices/measure.ts';
import { laterFormat, type Slice } from '../../slices/slice.ts';
import type { Finding } from '../../findings/kinds.ts';
import type { AllRepeats } from '../../states/repeated-rows.ts';
import type { State } from '../../states/state.ts';
import type { FileThreads } from './file-threads.ts';
import { type FileFormat, sourceOf } from '../input/format.ts';
import { renumbered } from './renumber.ts';

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
  batch: number;
  /** Rows of the file, from 1, both included. */
  firstRow: number;
  lastRow: number;
  last: boolean;
  report: Report;
  /** The answer as the server sends it. */
  body: string;
}

export type Screened = Pick<FileResult, 'report' | 'body'>;

export interface Screener {
  threads: FileThreads;
  /** Throws `Failure`, and `Rejection`. */
  screen(batch: NamedBatch): Promise<Screened>;
  /** Absent: files are screened slice after slice, each as a batch of its own. */
  whole?: WholeScreener;
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

export function resultOf(batch: NamedBatch, screened: Screened): FileResult {
  const { file, number, last, rowsBefore } = batch;
  const { report, body } = inFile(batch, screened);
  const rows = { firstRow: rowsBefore + 1, lastRow: rowsBefore + report.stats.rows_received };
  return { file, batch: number, ...rows, last, report, body };
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
  return { source, options: merged((said.options ?? {}) as JsonObject, typed.options) };
}

const merged = (below: JsonObject, above: JsonObject): JsonObject => ({
  ...below,
  ...above,
  thresholds: { ...(below.thresholds as JsonObject), ...(above.thresholds as JsonObject) },
});

/** Converts rows and lines of a batch to those of the file. The first batch has the same ones. */
function inFile(batch: NamedBatch, result: Screened): Screened {
  const { row_numbers } = result.report.stats;
  const { ragged_rows, layout } = result.report.issues ?? {};
  const isSame = batch.number === 1 || !(row_numbers || ragged_rows || layout);
  if (isSame) return result;
  const numberOf = (row: number) => row + (row_numbers === 'line' ? batch.linesBefore : batch.rowsBefore);
  const report = layoutInFile(batch, raggedInFile(batch, renumbered(result.report, numberOf)));
  return { report, body: JSON.stringify(report) };
}

function raggedInFile(batch: NamedBatch, report: Report): Report {
  const ragged = report.issues?.ragged_rows;
  if (!ragged) return report;
  const ragged_rows = { ...ragged, first_line: ragged.first_line + batch.linesBefore };
  const { action, reason } = report.decision;
  const words = (firstLine: number) => raggedWords({ ...ragged, firstLine });
  const decision = {
    action,
    reason: reason.replace(words(ragged.first_line), words(ragged_rows.first_line)),
  };
  return { ...report, decision, issues: { ...report.issues, ragged_rows } };
}

function layoutInFile(batch: NamedBatch, report: Report): Report {
  const before = report.issues?.layout;
  if (!before) return report;
  const layout = before.map(issue => {
    const lines = issue.lines?.map(line => line + batch.linesBefore);
    const moved = { ...issue, ...(lines && { lines }) };
    return { ...moved, detail: layoutWords(moved) };
  });
  const { action, reason } = report.decision;
  const inFile = before.reduce(
    (text, { detail }, i) => text.replace(detail, () => layout[i]!.detail),
    reason,
  );
  return { ...report, decision: { action, reason: inFile }, issues: { ...report.issues, layout } };
}
