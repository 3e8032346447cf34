/** Reads a Parquet body outside of an engine. */
import { HostSpace } from '../../src/columns/host-space.ts';
import { ParquetReader } from '../../src/columns/parquet/reader.ts';
import type { Rows } from '../../src/columns/field.ts';

export const MAX_BYTES = 8 * 1024 * 1024;

export interface ReadParquet {
  /** Pieces of work, with a pause after each. */
  steps: number;
  rows: number;
  /** Why the file is refused; null: it is not. */
  refusal: string | null;
  /** The last rows, and the memory that they lie in. */
  last: Rows | null;
  memory: Uint8Array<ArrayBuffer>;
}

export function readParquet(bytes: Uint8Array, maxBytes = MAX_BYTES): ReadParquet {
  const space = new HostSpace('A table', 512 * 1024 * 1024);
  space.reset(8);
  const at = space.allocate(bytes.length);
  space.bytes().set(bytes, at);
  const read: ReadParquet = { steps: 0, rows: 0, refusal: null, last: null, memory: space.bytes() };
  const sink = {
    begin() {},
    *append(more: Rows) {
      yield;
      read.rows += more.rows;
      read.last = more;
    },
    end() {},
  };
  const reading = new ParquetReader(space, at, sink, maxBytes).ending(bytes.length);
  try {
    do read.steps++;
    while (!reading.next().done);
  } catch (error) {
    read.refusal = (error as Error).message;
  }
  return { ...read, memory: space.bytes() };
}
