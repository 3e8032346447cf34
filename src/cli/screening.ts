/** Screens a file: opens it, cuts it into batches and screens one after the other, here or on a server. */
import { checkOptionsSize } from '../intake/refusals.ts';
import { checkSource } from '../intake/source.ts';
import { Format, Kind } from '../../assembly/abi.ts';
import { parseOptions } from '../options/options.ts';
import type { Report } from '../contract/report.ts';
import { raggedWords } from '../findings/ragged-rows.ts';
import { batchesOf, type CuttingEngine, type FileBatch } from './batches.ts';
import { columnBatches as cutColumns } from './column-batches.ts';
import { Failure, failureOf, shownName } from './failure.ts';
import { type FileFormat, formatOf, namedFormat, sourceOf } from './format.ts';
import { type Input, openInput } from './input.ts';
import { MAX_BODY_BYTES } from './local.ts';
import { Progress } from './progress.ts';
import { openText, type Reading, seekable } from './reading.ts';
import { renumbered } from './renumber.ts';
import type { Terminal } from './terminal.ts';
import type { Engines } from '../intake/engine-lease.ts';

export type JsonObject = Record<string, unknown>;

/** Options for the request, as typed. */
export interface Typed {
  source: string | undefined;
  /** As `options` in a request. */
  options: JsonObject;
}

/** A batch with its source and options. */
export interface NamedBatch extends FileBatch {
  file: string;
  format: FileFormat;
  /** Encoding of the file; null for UTF-8, which the body always is. */
  charset: string | null;
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

export interface Screener {
  engines: Engines<CuttingEngine>;
  /** Throws `Failure`, and `Rejection`. */
  screen(batch: NamedBatch): Promise<Pick<FileResult, 'report' | 'body'>>;
}

/** Divides a file into parts. */
export interface Divider {
  /** `body` is that of the batch, `report` has its row numbers. Throws `Failure`. */
  add(batch: NamedBatch, body: Uint8Array, report: Report): Promise<void>;
  end(): Promise<void>;
}

/** Throws `Failure` with the file's name. */
export async function* resultsOf(
  file: string,
  reading: Reading,
  typed: Typed,
  screener: Screener,
  terminal: Terminal,
  divider: Divider | null = null,
): AsyncGenerator<FileResult> {
  try {
    for await (const { batch, progress } of namedBatches(file, reading, typed, screener, terminal)) {
      if (divider !== null && batch.format.format === Format.ARROW)
        throw new Failure('--good and --held divide text files, not Parquet and Arrow');
      // The screening takes the memory of the body.
      const copy = divider === null ? null : batch.body.slice();
      const screened = await screener.screen(batch);
      if (copy !== null) await divider!.add(batch, copy, screened.report);
      const { report, body } = inFile(batch, screened);
      progress.rows = batch.rowsBefore + batch.rows;
      const firstRow = batch.rowsBefore + 1;
      const rows = { firstRow, lastRow: batch.rowsBefore + batch.rows };
      yield { file, batch: batch.number, ...rows, last: batch.last, report, body };
    }
    await divider?.end();
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    terminal.status('');
  }
}

/** The batches of a file, with source and options. */
export async function* namedBatches(
  file: string,
  reading: Reading,
  typed: Typed,
  { engines }: Pick<Screener, 'engines'>,
  terminal: Terminal,
): AsyncGenerator<{ batch: NamedBatch; progress: Progress }> {
  const input = await openInput(file);
  const progress = new Progress(input, terminal);
  const onBytes = (bytes: number) => progress.read(bytes);
  const { format, charset, batches, found } = isColumnar(file, reading)
    ? columnBatches(input, reading, onBytes)
    : await textBatches(input, reading, engines, onBytes);
  for await (const batch of batches) {
    if (batch.number === 1 && found !== '' && !reading.isQuiet)
      terminal.tell(`sluice: ${shownName(file)}: found ${found}`);
    const isChunk = batch.number > 1 || !batch.last;
    yield { batch: { ...batch, file, format, charset, ...named(file, batch, typed), isChunk }, progress };
  }
}

interface Cut extends Pick<NamedBatch, 'format' | 'charset'> {
  batches: AsyncIterable<FileBatch>;
  /** For people: what was found in the bytes; empty if that is nothing unusual. */
  found: string;
}

/** Whether the file has columns instead of text. Throws `Failure` for options that are for the other kind. */
function isColumnar(file: string, { format, delimiter, charset, columns }: Reading): boolean {
  const named = namedFormat(file, format);
  if (named.format === null || named.format < Format.ARROW) {
    if (columns !== undefined) throw new Failure('--columns is for Parquet and Arrow files');
    return false;
  }
  const option = delimiter !== undefined ? '--delimiter' : charset !== undefined ? '--charset' : null;
  if (option !== null) throw new Failure(`${option} is for text, not for Parquet and Arrow files`);
  return true;
}

async function textBatches(
  input: Input,
  reading: Reading,
  engines: Engines<CuttingEngine>,
  onBytes: (bytes: number) => void,
): Promise<Cut> {
  const { text, ...opened } = await openText(input, reading, onBytes);
  const cutting = { file: input.file, ...opened.format, engines, maxBodyBytes: MAX_BODY_BYTES };
  return { ...opened, batches: batchesOf(text, cutting) };
}

/** Batches of columns are Arrow streams, whatever the file is. */
function columnBatches(input: Input, reading: Reading, onBytes: (bytes: number) => void): Cut {
  const { format, delimiter, coding } = namedFormat(input.file, reading.format);
  const inFile = formatOf(format!, delimiter, coding);
  const batches = async function* () {
    const whole = await seekable(input, inFile, onBytes);
    try {
      const { path, isCopy } = whole;
      const columns = reading.columns?.split(',');
      const count = isCopy ? () => {} : onBytes;
      yield* cutColumns({ path, format: format!, maxBodyBytes: MAX_BODY_BYTES, columns, onBytes: count });
    } finally {
      await whole.close();
    }
  };
  return { format: { ...inFile, format: Format.ARROW }, charset: null, batches: batches(), found: '' };
}

/** What was typed wins over the request object in the file, and that wins over the file name. */
function named(file: string, { said }: FileBatch, typed: Typed): { source: string; options: JsonObject } {
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
function inFile(
  batch: NamedBatch,
  result: Pick<FileResult, 'report' | 'body'>,
): Pick<FileResult, 'report' | 'body'> {
  const { row_numbers } = result.report.stats;
  const isSame = batch.number === 1 || !(row_numbers || result.report.issues?.ragged_rows);
  if (isSame) return result;
  const numberOf = (row: number) => (row_numbers === 'line' ? batch.lineInFile(row) : batch.rowsBefore + row);
  const report = raggedInFile(batch, renumbered(result.report, numberOf));
  return { report, body: JSON.stringify(report) };
}

function raggedInFile(batch: NamedBatch, report: Report): Report {
  const ragged = report.issues?.ragged_rows;
  if (!ragged) return report;
  const ragged_rows = { ...ragged, first_line: batch.lineInFile(ragged.first_line) };
  const { action, reason } = report.decision;
  const words = (firstLine: number) => raggedWords({ ...ragged, firstLine });
  const decision = {
    action,
    reason: reason.replace(words(ragged.first_line), words(ragged_rows.first_line)),
  };
  return { ...report, decision, issues: { ...report.issues, ragged_rows } };
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
