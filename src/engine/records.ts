/** What the engine measured of a batch: numbers and names, copied out of its memory. */
import { Column, ENUM_BYTES, Format, Out, REGISTERS } from '../../assembly/abi.ts';
import type { Meanings } from '../semantics/semantic-type.ts';
import type { SignCounts } from '../signs/sign.ts';
import type { Sign } from '../table/sign.ts';
import type { EngineExports } from './exports.ts';
import { meaningsIn } from './meanings.ts';
import { type PartMeasures, partMeasures, type TakersOf } from './part-measures.ts';
import type { SettledColumn } from './settle.ts';
import { type ColumnSigns, columnSigns } from './signs.ts';
import { type BodyTexts, namesOf } from './texts.ts';

export interface BatchRecord {
  /** Rows received. */
  rows: number;
  /** Rows whose values were measured: all of them, or the sample. */
  analysedRows: number;
  /** CSV records whose cell count differs from the header's. `firstLine` counts from 1. */
  ragged: { count: number; firstLine: number; firstCells?: number };
  /** CSV: whether the last record has fewer cells than the header and no end of line. */
  endsEarly: boolean;
  /** Rows that repeat an earlier row: among all rows, with equal values of equal types. */
  duplicateRows: number;
  /** What may be wrong with how the text was cut into a table; absent where nothing is. */
  signs?: readonly Sign[];
  /** Whether the names are those of a CSV header or of columns: they may be blank or repeated. */
  hasHeader: boolean;
  columns: ColumnRecord[];
}

export interface ColumnRecord {
  name: string;
  /** The type that an Arrow or Parquet body declares; null in texts. */
  physicalType: string | null;
  /** By `Column`. */
  numbers: Float64Array;
  /** HyperLogLog registers over the values that are not null, `REGISTERS` bytes. */
  registers: Uint8Array;
  /** The distinct strings, by salted hash, when there are at most `MAX_ENUM`; else null. */
  listed: { hash: bigint; count: number }[] | null;
  /** Cells that may be damaged. */
  signs: SignCounts;
  /** About how many values mean what. */
  meanings: Meanings;
  /** Of a part of a batch; else null. */
  part: PartMeasures | null;
}

/** Of each column of a body, which is measured once or more. */
export interface SignsOfBody {
  /** By the bytes of its texts, before it is settled; null where no text is odd. */
  texts: readonly ColumnSigns[] | null;
  /** All of them, once it is measured. */
  columns: ColumnSigns[];
}

/** States add it up. */
const UNKNOWN = Number.NEGATIVE_INFINITY;

/** Measures column by column, and reads each record. `types`: physical types of the columns; null where the format has none. `settled`: of CSV. `takersOf`: of a part of a larger batch. `signs`: see `SignsOfBody`. */
export function measureColumns(
  exports: EngineExports,
  texts: BodyTexts,
  types: string[] | null,
  settled: readonly SettledColumn[] | null,
  takersOf: TakersOf | null,
  signs: SignsOfBody,
): BatchRecord {
  const { memory } = texts;
  const fields = memory.f64At(exports.outAddress() + Out.FIELDS * 8);
  const hasHeader = texts.format === Format.CSV || types !== null;
  const takers = takersOf?.(namesOf(exports, texts, fields), hasHeader);
  const columns: ColumnRecord[] = [];
  for (let column = 0; column < fields; column++) {
    exports.measure(column);
    const read = readColumn(exports, texts, column);
    const known = settled?.[column];
    read.numbers[Column.TYPED_TEXTS] = known?.typedTexts ?? UNKNOWN;
    signs.columns[column] ??= columnSigns(exports, texts, column, read.numbers, {
      name: read.name,
      texts: signs.texts?.[column],
      isMixed: known?.isMixed,
    });
    const part = takers
      ? partMeasures(exports, texts, column, read.numbers, known?.read ?? null, takers[column]!)
      : null;
    columns.push({
      ...read,
      physicalType: types?.[column] ?? null,
      signs: signs.columns[column]!.counts,
      meanings: meaningsIn(exports, texts, column, read.numbers),
      part,
    });
  }
  exports.endMeasuring();
  const out = memory.f64(exports.outAddress(), Out.LENGTH);
  return {
    rows: out[Out.ROWS]!,
    analysedRows: out[Out.ANALYSED]!,
    ragged: raggedIn(out),
    endsEarly: out[Out.ENDS_EARLY] === 1,
    duplicateRows: out[Out.DUPLICATE_ROWS]!,
    hasHeader,
    columns,
  };
}

function raggedIn(out: Float64Array): BatchRecord['ragged'] {
  const [count, firstLine] = [out[Out.RAGGED]!, out[Out.RAGGED_LINE]!];
  return { count, firstLine, ...(count > 0 && { firstCells: out[Out.RAGGED_CELLS]! }) };
}

function readColumn(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
): Omit<ColumnRecord, 'physicalType' | 'signs' | 'meanings' | 'part'> {
  const { memory } = texts;
  const numbers = memory.f64(exports.columnAddress(column), Column.LENGTH);
  const isEscaped = numbers[Column.NAME_ESCAPED] === 1;
  return {
    name: texts.decode(numbers[Column.NAME_OFFSET]!, numbers[Column.NAME_LENGTH]!, isEscaped),
    numbers,
    registers: memory.bytes(exports.registersAddress(column), REGISTERS),
    listed: readListed(exports, texts, column, numbers),
  };
}

function readListed(
  exports: EngineExports,
  { memory }: BodyTexts,
  column: number,
  numbers: Float64Array,
): { hash: bigint; count: number }[] | null {
  const count = numbers[Column.LISTED]!;
  if (count === 0) return numbers[Column.TEXTS] === 0 ? [] : null;
  const first = exports.listedAddress(column);
  return Array.from({ length: count }, (_, i) => ({
    hash: memory.u64At(first + i * ENUM_BYTES),
    count: memory.u32At(first + i * ENUM_BYTES + 16),
  }));
}
