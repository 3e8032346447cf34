/** Arrow and Parquet bodies: their readers and the door through which these fill columns. */
import { Format } from '../../assembly/abi.ts';
import { ArrowReader } from '../columns/arrow/reader.ts';
import { ParquetReader } from '../columns/parquet/reader.ts';
import { ColumnDoor } from './column-door.ts';
import type { EngineExports } from './exports.ts';
import type { EngineMemory } from './memory.ts';

/** Reads an Arrow or Parquet body, and fills columns from it. */
export interface ColumnarBody {
  door: ColumnDoor;
  reader: Pick<ArrowReader, 'advance' | 'end'>;
}

export function columnarBody(
  format: Format,
  exports: EngineExports,
  memory: EngineMemory,
  maxBodyBytes: number,
): ColumnarBody {
  const door = new ColumnDoor(exports, memory, maxBodyBytes);
  const Reader = format === Format.PARQUET ? ParquetReader : ArrowReader;
  return { door, reader: new Reader(door, exports.bodyAddress(), door, maxBodyBytes) };
}
