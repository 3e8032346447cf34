/**
 * Writes CSV to the engine up to the end of row 10,000, and usually no byte of the next row: then the engine holds exactly a batch.
 *
 * A row has at least one line end. So a piece with as many line feeds as rows are missing has no row too many; it may have fewer, where cells
 * have line feeds, and then the next piece follows. Rows that end with a lone CR may be too many: the engine refuses row 10,001.
 */
import { MAX_ROWS, Status } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import { CR, LF } from './body-bytes.ts';

export type CuttingEngine = Pick<
  Engine,
  | 'begin'
  | 'begun'
  | 'write'
  | 'flush'
  | 'end'
  | 'refusal'
  | 'received'
  | 'bytesOfLines'
  | 'lineEnds'
  | 'envelope'
  | 'rows'
  | 'csvRows'
  | 'headerBytes'
  | 'parsed'
  | 'otherDelimiter'
>;

export interface Written {
  /** Bytes that the engine has got. If they are not all, and it refused none, it has 10,000 rows, and the next byte begins another one. */
  written: number;
  isRefused: boolean;
}

export function writeRows(engine: CuttingEngine, piece: Uint8Array): Written {
  let written = 0;
  while (written < piece.length) {
    const missing = MAX_ROWS - engine.csvRows;
    const end = missing > 0 ? endOfRows(engine, piece, written, missing) : endOfBlankLines(piece, written);
    if (end === written) break;
    const status = engine.write(piece.subarray(written, end));
    written = end;
    if (status === Status.FAILED) return { written, isRefused: true };
  }
  return { written, isRefused: false };
}

/**
 * A piece that has too few rows by the mean length so far is not searched for line feeds. If rows become much shorter, it may have too many: then the engine
 * refuses row 10,001, and the batch is parsed again.
 */
function endOfRows(engine: CuttingEngine, piece: Uint8Array, from: number, missing: number): number {
  const { csvRows } = engine;
  const rowBytes = engine.parsed - engine.headerBytes;
  const isFew = csvRows > 0 && (piece.length - from) * 2 * csvRows < missing * rowBytes;
  return isFew ? piece.length : from + engine.bytesOfLines(piece.subarray(from), missing);
}

function endOfBlankLines(bytes: Uint8Array, from: number): number {
  let end = from;
  while (bytes[end] === LF || bytes[end] === CR) end++;
  return end;
}
