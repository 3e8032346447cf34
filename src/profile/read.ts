/** Makes the profile from the engine's records of columns. */
import { Column, QUANTILES } from '../../assembly/abi.ts';
import type { BatchRecord, ColumnRecord } from '../engine/records.ts';
import { headerNames } from './names.ts';
import type { FieldProfile, Measures, NumericMeasures, Profile } from './profile.ts';

/** CSV columns get their names here: blank ones are numbered, repeated ones made unique. */
export function readProfile({
  columns,
  hasHeader,
  rows,
  analysedRows,
  ragged,
  endsEarly,
  duplicateRows,
  signs = [],
}: BatchRecord): Profile {
  const raw = columns.map(column => column.name);
  const { names, repeated } = hasHeader ? headerNames(raw) : { names: raw, repeated: repeatedKeys(columns) };
  return {
    rows,
    analysedRows,
    ragged,
    endsEarly,
    duplicateRows,
    signs,
    fields: Array.from(columns.entries(), ([i, column]) => readField(column, names[i]!, i, rows)),
    repeatedNames: repeated,
  };
}

function repeatedKeys(columns: ColumnRecord[]): string[] {
  return columns.filter(column => column.numbers[Column.REPEATED] === 1).map(column => column.name);
}

function readField(record: ColumnRecord, name: string, column: number, rows: number): FieldProfile {
  const at = (entry: Column): number => record.numbers[entry]!;
  const counts = {
    number: at(Column.NUMBERS),
    boolean: at(Column.FALSES) + at(Column.TRUES),
    object: at(Column.OBJECTS),
    array: at(Column.ARRAYS),
    string: at(Column.STRINGS) + at(Column.EMPTIES),
  };
  const values = counts.number + counts.boolean + counts.object + counts.array + counts.string;
  return {
    name,
    physicalType: record.physicalType,
    column,
    present: values + at(Column.NULLS),
    nulls: rows - values,
    counts,
    empties: at(Column.EMPTIES),
    typedTexts: Math.max(0, at(Column.TYPED_TEXTS)),
    signs: record.signs,
    meanings: record.meanings,
    measured: readMeasures(record),
  };
}

function readMeasures(record: ColumnRecord): Measures {
  const { numbers } = record;
  // Where the body has the name says nothing of the column.
  numbers.fill(0, Column.NAME_OFFSET, Column.REPEATED);
  const at = (entry: Column): number => numbers[entry]!;
  return {
    values: at(Column.VALUES),
    distinct: at(Column.DISTINCT),
    texts: at(Column.TEXTS),
    distinctTexts: at(Column.DISTINCT_TEXTS),
    registers: record.registers,
    listed: record.listed,
    numeric: at(Column.FINITE) === 0 ? null : readNumeric(numbers),
    record: numbers,
  };
}

function readNumeric(numbers: Float64Array): NumericMeasures {
  const count = numbers[Column.OUTLIERS]!;
  return {
    count: numbers[Column.FINITE]!,
    mean: numbers[Column.MEAN]!,
    m2: numbers[Column.M2]!,
    quantiles: numbers.subarray(Column.FIRST_QUANTILE, Column.FIRST_QUANTILE + QUANTILES),
    outliers: {
      count,
      min: count === 0 ? Number.NaN : numbers[Column.OUTLIER_MIN]!,
      max: count === 0 ? Number.NaN : numbers[Column.OUTLIER_MAX]!,
    },
  };
}
