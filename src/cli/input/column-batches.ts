/** The slices of a Parquet or Arrow file of any length: each is an Arrow stream. */
import type { Format } from '../../../assembly/abi.ts';
import { ColumnsError } from '../../columns/columns-error.ts';
import { cutColumns, OWN_FILE } from '../../columns/cut.ts';
import { fileSource } from '../../columns/file-source.ts';
import { refusalOf } from '../../engine/engine.ts';
import { rejectionOf } from '../../intake/refusals.ts';
import { slicesOfColumns } from '../../slices/column-slices.ts';
import type { Slice } from '../../slices/slice.ts';
import { Failure } from '../failure.ts';
import { BY_OPTIONS } from './instructions.ts';

export interface ColumnFile {
  /** Its name, for errors. */
  file: string;
  /** Descriptor of the file, which stays open. */
  handle: number;
  format: Format;
  maxBodyBytes: number;
  /** Names of the columns to screen; undefined: all. */
  columns: string[] | undefined;
  /** Bytes that were read. */
  onBytes(bytes: number): void;
}

/** In order, at least one. Throws `Failure`. */
export async function* columnBatches(of: ColumnFile): AsyncGenerator<Slice> {
  const { handle, format, maxBodyBytes, columns, onBytes } = of;
  try {
    const source = fileSource(handle, onBytes);
    yield* slicesOfColumns(cutColumns({ source, format, columns, maxBodyBytes, limits: OWN_FILE }));
  } catch (error) {
    throw error instanceof ColumnsError ? failureOf(error, of) : error;
  }
}

function failureOf(error: ColumnsError, { format, file }: ColumnFile): Failure {
  return new Failure(rejectionOf(refusalOf(error), format, BY_OPTIONS).message, file);
}
