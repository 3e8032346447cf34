/** Screens a file: opens it, cuts it into batches and screens one after the other, here or on a server. */
import { checkOptionsSize } from '../intake/refusals.ts';
import { checkSource } from '../intake/source.ts';
import { Format, Kind } from '../../assembly/abi.ts';
import { parseOptions } from '../options/options.ts';
import type { Report } from '../contract/report.ts';
import { raggedWords } from '../findings/ragged-rows.ts';
import type { CuttingEngine, FileBatch } from './batches.ts';
import { cutAhead } from './cut-ahead.ts';
import { cutFile } from './cut-file.ts';
import { Failure, failureOf, shownName } from './failure.ts';
import { type FileFormat, sourceOf } from './format.ts';
import { openInput } from './input.ts';
import { Progress } from './progress.ts';
import type { Reading } from './reading.ts';
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
  const { format, charset, batches, found } =
    (input.size ?? 0) > LARGE_BYTES
      ? await cutAhead({ file, reading }, onBytes)
      : await cutFile(input, reading, engines, onBytes);
  for await (const batch of batches) {
    if (batch.number === 1 && found !== '' && !reading.isQuiet)
      terminal.tell(`sluice: ${shownName(file)}: found ${found}`);
    const isChunk = batch.number > 1 || !batch.last;
    yield { batch: { ...batch, file, format, charset, ...named(file, batch, typed), isChunk }, progress };
  }
}

/** A file that is smaller is cut before a thread has started. */
const LARGE_BYTES = 16e6;

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
  const numberOf = (row: number) => row + (row_numbers === 'line' ? batch.linesBefore : batch.rowsBefore);
  const report = raggedInFile(batch, renumbered(result.report, numberOf));
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
