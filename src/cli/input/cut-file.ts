/** Opens a file or standard input and cuts it into batches. */
import { Format } from '../../../assembly/abi.ts';
import { CutError, type Cutting, slicesOf } from '../../slices/cut-text.ts';
import type { RecordStarts } from '../../engine/record-starts.ts';
import type { Slice } from '../../slices/slice.ts';
import { MAX_BODY_BYTES } from '../screening/open-engine.ts';
import { Failure } from '../failure.ts';
import { type FileFormat, formatOf, namedFormat } from './format.ts';
import type { Input } from './input.ts';
import { noRows, noRowsAlong } from './no-rows.ts';
import { openText, type Reading, seekable } from './reading.ts';

/** A file that is open, with its batches. */
export interface CutFile {
  format: FileFormat;
  /** The encoding of the file; null for UTF-8, which all bodies are. */
  charset: string | null;
  /** Whether the file begins with a byte order mark of UTF-16, which no body has. */
  hasWideMark: boolean;
  /** For people: what was found in the bytes; empty if that is nothing unusual. */
  found: string;
  batches: AsyncIterable<Slice>;
}

/** Calls `onBytes` with the size of each piece that was read. Throws `Failure`, as the batches do. */
export async function cutFile(
  input: Input,
  reading: Reading,
  records: RecordStarts,
  onBytes: (bytes: number) => void,
): Promise<CutFile> {
  if (isColumnar(input.file, reading)) return columnBatches(input, reading, onBytes);
  const { text, ...opened } = await openText(input, reading, onBytes);
  const rowsPath = reading.rows?.split('.');
  if (rowsPath !== undefined && opened.format.format !== Format.JSON)
    throw new Failure('--rows is for JSON: it names the array of rows', input.file);
  const noRowsIn = (bytes: Uint8Array, path: readonly string[] | null) =>
    path === null ? noRows(bytes, input.file) : noRowsAlong(path, bytes, input.file);
  const cutting = { ...opened.format, records, maxBodyBytes: MAX_BODY_BYTES, rowsPath, noRows: noRowsIn };
  return { ...opened, batches: slicesIn(input.file, text, cutting) };
}

async function* slicesIn(
  file: string,
  text: AsyncIterable<Uint8Array>,
  cutting: Cutting,
): AsyncGenerator<Slice> {
  try {
    yield* slicesOf(text, cutting);
  } catch (error) {
    throw error instanceof CutError ? new Failure(error.message, file) : error;
  }
}

/** Whether the file has columns instead of text. Throws `Failure` for options that are for the other kind. */
function isColumnar(
  file: string,
  { format, delimiter, headerLine, escapedBy, charset, columns, rows }: Reading,
): boolean {
  const named = namedFormat(file, format);
  if (named.format === null || named.format < Format.ARROW) {
    if (columns !== undefined) throw new Failure('--columns is for Parquet and Arrow files', file);
    return false;
  }
  const given = {
    '--delimiter': delimiter,
    '--header-line': headerLine,
    '--escape': escapedBy,
    '--charset': charset,
    '--rows': rows,
  };
  const option = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (option !== undefined) throw new Failure(`${option} is for text, not for Parquet and Arrow files`, file);
  return true;
}

/** Batches of columns are Arrow streams, whatever the file is. */
function columnBatches(input: Input, reading: Reading, onBytes: (bytes: number) => void): CutFile {
  const { format, delimiter, coding } = namedFormat(input.file, reading.format);
  const inFile = formatOf(format!, delimiter, coding);
  const batches = async function* () {
    const { columnBatches: cutColumns } = await import('./column-batches.ts');
    const { handle, isCopy } = await seekable(input, inFile, onBytes);
    try {
      const columns = reading.columns?.split(',');
      const count = isCopy ? () => {} : onBytes;
      yield* cutColumns({
        file: input.file,
        handle: handle.fd,
        format: format!,
        maxBodyBytes: MAX_BODY_BYTES,
        columns,
        onBytes: count,
      });
    } finally {
      await handle.close();
    }
  };
  const opened = {
    format: { ...inFile, format: Format.ARROW },
    charset: null,
    hasWideMark: false,
    found: '',
  };
  return { ...opened, batches: batches() };
}
