/** From the engine's column records to the profile. */
import { Column, QUANTILES } from '../../assembly/abi.ts';
import type { BatchRecord, ColumnRecord } from '../engine/records.ts';
import { headerNames } from './names.ts';
import { type FieldProfile, type Measures, type NumericMeasures, type Profile, Trait } from './profile.ts';

/** CSV columns get their names here: blank ones are numbered, repeated ones made unique. */
export function readProfile({ columns, hasHeader, rows, analysedRows, ragged }: BatchRecord): Profile {
  const raw = columns.map(column => column.name);
  const { names, repeated } = hasHeader ? headerNames(raw) : { names: raw, repeated: repeatedKeys(columns) };
  return {
    rows,
    analysedRows,
    ragged,
    fields: columns.map((column, i) => readField(column, names[i]!, i, rows)),
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
    column,
    present: values + at(Column.NULLS),
    nulls: rows - values,
    counts,
    empties: at(Column.EMPTIES),
    measured: readMeasures(record),
  };
}

function readMeasures(record: ColumnRecord): Measures {
  const at = (entry: Column): number => record.numbers[entry]!;
  return {
    values: at(Column.VALUES),
    distinct: at(Column.DISTINCT),
    texts: at(Column.TEXTS),
    distinctTexts: at(Column.DISTINCT_TEXTS),
    registers: record.registers,
    listed: record.listed,
    numeric: at(Column.FINITE) === 0 ? null : readNumeric(record.numbers),
    traits: readTraits(record.numbers),
  };
}

function readTraits(numbers: Float64Array): Float64Array {
  const traits = new Float64Array(Trait.LENGTH);
  traits.set(numbers.subarray(Column.CONTENT, Column.LENGTH));
  traits[Trait.TRUES] = numbers[Column.TRUES]!;
  return traits;
}

function readNumeric(numbers: Float64Array): NumericMeasures {
  const count = numbers[Column.OUTLIERS]!;
  return {
    count: numbers[Column.FINITE]!,
    mean: numbers[Column.MEAN]!,
    m2: numbers[Column.M2]!,
    quantiles: numbers.slice(Column.FIRST_QUANTILE, Column.FIRST_QUANTILE + QUANTILES),
    outliers: {
      count,
      min: count === 0 ? Number.NaN : numbers[Column.OUTLIER_MIN]!,
      max: count === 0 ? Number.NaN : numbers[Column.OUTLIER_MAX]!,
    },
  };
}
