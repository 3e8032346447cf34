/** Reads a Parquet body outside of an engine. */
import { HostSpace } from '../../src/columns/host-space.ts';
import { ParquetReader } from '../../src/columns/parquet/reader.ts';
import type { Rows } from '../../src/columns/field.ts';
import { processorMs } from '../fuzz/processor-time.ts';

export const MAX_BYTES = 8 * 1024 * 1024;

export interface ReadParquet {
  /** Processor time that it took. */
  ms: number;
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
  const read: ReadParquet = { ms: 0, rows: 0, refusal: null, last: null, memory: space.bytes() };
  const sink = {
    begin() {},
    append(more: Rows) {
      read.rows += more.rows;
      read.last = more;
    },
    end() {},
  };
  const since = processorMs();
  try {
    new ParquetReader(space, at, sink, maxBytes).end(bytes.length);
  } catch (error) {
    read.refusal = (error as Error).message;
  }
  return { ...read, ms: processorMs() - since, memory: space.bytes() };
}
