/** What the engine measured of a column besides its record, so that the column can be put together with those of other parts. */
import { Column, ENUM_BYTES } from '../../assembly/abi.ts';
import type { EngineExports } from './exports.ts';
import type { Unsettled } from './reading.ts';
import type { BodyTexts } from './texts.ts';
import type { NullishText, UnsettledColumn } from './unsettled.ts';

export interface PartMeasures {
  /** The upper 53 bits of the salted hash of each value that is not null, and the sum of the hashes modulo 2^64. */
  hashes: Float64Array;
  hashSum: bigint;
  /** The finite numbers. */
  numbers: Float64Array;
  /** The earliest and the latest date of all texts, in ms since 1970; NaN if no inspected text is a date. */
  earliest: number;
  latest: number;
  /** The first 64 characters of the listed strings, in the order of the list. */
  listed: string[];
  /** CSV: how its cells could be read; else null. */
  unsettled: Unsettled | null;
  nullish: NullishText[];
  /** CSV: the finite numbers of a column that holds codes or texts too, and so may be read as texts; else none. */
  codes: Float64Array;
  // Of the inspected cells:
  /** The hash of each value, and of the format of each text. */
  values: BigUint64Array;
  formats: BigUint64Array;
  /** The hash of each pair of values with the column's neighbour. */
  pairs: BigUint64Array;
  /** The form of each date, see `DateForm`. */
  dateForms: Uint16Array;
}

/** Call it right after the column was measured. `record`: by `Column`. */
export function partMeasures(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
  record: Float64Array,
  read: UnsettledColumn | null,
): PartMeasures {
  const { memory } = texts;
  const at = exports.partAddress();
  const inspected = (from: number, count: number) => memory.u64(from, count);
  return {
    hashes: memory.f64(at, exports.hashValues(column)),
    hashSum: BigInt.asUintN(64, exports.hashSum.value as bigint),
    numbers: memory.f64(at, exports.listNumbers(column)),
    ...datesIn(exports, texts, column, record),
    listed: Array.from({ length: record[Column.LISTED]! }, (_, i) =>
      texts.startInSlot(exports.listedAddress(column) + i * ENUM_BYTES + 8),
    ),
    unsettled: read?.unsettled ?? null,
    nullish: read?.nullish ?? [],
    codes: read?.codes ?? new Float64Array(),
    values: inspected(exports.inspectedAddress(), record[Column.INSPECTED]!),
    formats: inspected(exports.formatsAddress(), record[Column.INSPECTED_TEXTS]!),
    pairs: inspected(exports.pairsAddress(), record[Column.PAIRED]!),
    dateForms: memory.u16(exports.dateFormsAddress(), record[Column.DATES]!),
  };
}

function datesIn(
  exports: EngineExports,
  { format }: BodyTexts,
  column: number,
  record: Float64Array,
): Pick<PartMeasures, 'earliest' | 'latest'> {
  if (record[Column.DATES] === 0) return { earliest: Number.NaN, latest: Number.NaN };
  exports.queryDates(column, format);
  return { earliest: exports.earliestDate.value, latest: exports.latestDate.value };
}
