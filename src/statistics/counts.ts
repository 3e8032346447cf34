/** Presence, nulls, types, empty texts and booleans: counts over all rows. */
import { Column } from '../../assembly/abi.ts';
import { type ColumnReader, computed, count, measurementFamily } from './measurement.ts';
import {
  at,
  DECIDED_BY_PROGRAM,
  DECIDED_BY_RULE,
  inBothDirections,
  onRise,
  type Reader,
  type Statistic,
  share,
} from './statistic.ts';

const booleansIn = (read: ColumnReader): number => read(Column.FALSES) + read(Column.TRUES);
const stringsIn = (read: ColumnReader): number => read(Column.STRINGS) + read(Column.EMPTIES);
const valuesIn = (read: ColumnReader): number =>
  read(Column.NUMBERS) + booleansIn(read) + read(Column.OBJECTS) + read(Column.ARRAYS) + stringsIn(read);

export const COUNTS = measurementFamily(0, {
  /** Rows that have the field, nulls included. */
  present: computed(null, 'count', 'rows', read => valuesIn(read) + read(Column.NULLS)),
  /** Rows without a value: null or absent. */
  nulls: computed(Column.NULLS, 'count', 'rows', (read, rows) => rows - valuesIn(read)),
  // Values by type, in the order of VALUE_TYPES: `typePlace` relies on it.
  numbers: count(Column.NUMBERS, 'rows'),
  booleans: computed(Column.FALSES, 'count', 'rows', booleansIn),
  objects: count(Column.OBJECTS, 'rows'),
  arrays: count(Column.ARRAYS, 'rows'),
  /** Empty ones included. */
  strings: computed(Column.STRINGS, 'count', 'rows', stringsIn),
  empties: count(Column.EMPTIES, 'rows'),
  trues: count(Column.TRUES, 'cells'),
  /** Texts that look like numbers or booleans, in a column of CSV that is read as texts. NaN in other formats. */
  typed_texts: computed(Column.TYPED_TEXTS, 'count', 'cells', read =>
    read(Column.TYPED_TEXTS) >= 0 ? read(Column.TYPED_TEXTS) : Number.NaN,
  ),
});

const { nulls, numbers, booleans, objects, arrays, strings, empties, trues, typed_texts } = COUNTS.place;

/** Place of the count of a type, by its index in VALUE_TYPES. */
export const typePlace = (index: number): number => numbers + index;

/** Values that are not null. */
export const nonNull: Reader = read =>
  read(numbers) + read(booleans) + read(objects) + read(arrays) + read(strings);

const typeShare = (type: string, label: string, place: number): Statistic =>
  share(
    {
      id: `${type}_share`,
      label: `share of ${label}`,
      family: 'types',
      isPrivate: false,
      rows: inBothDirections({ query: 'types' }),
    },
    at(place),
    // A column that is read as texts may have been read as numbers before, when no cell told: types of the same cells are not compared.
    read => (read(typed_texts) > 0 ? Number.NaN : nonNull(read, 0)),
    DECIDED_BY_PROGRAM,
  );

export const NULL_RATE = share(
  {
    id: 'null_rate',
    label: 'share of nulls',
    family: 'nulls',
    isPrivate: false,
    rows: onRise({ query: 'nulls' }),
  },
  at(nulls),
  (_, rows) => rows,
  DECIDED_BY_RULE,
);

export const TYPE_SHARES: readonly Statistic[] = [
  typeShare('number', 'numbers', numbers),
  typeShare('boolean', 'booleans', booleans),
  typeShare('object', 'objects', objects),
  typeShare('array', 'arrays', arrays),
  typeShare('string', 'texts', strings),
];

export const EMPTY_RATE = share(
  {
    id: 'empty_rate',
    label: 'share of empty texts',
    family: 'empties',
    isPrivate: false,
    rows: onRise({ query: 'empty' }),
  },
  at(empties),
  at(strings),
  DECIDED_BY_RULE,
);

export const TRUE_SHARE = share(
  // Of a field that is always true the share is its value.
  { id: 'true_share', label: 'share of true', family: 'values', isPrivate: true },
  at(trues),
  at(booleans),
);
