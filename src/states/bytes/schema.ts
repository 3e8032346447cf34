/** What is written of a state, in this order. A new field of a state is a line here. */
import { BUCKETS, Column, MAX_ENUM, MAX_NAME_BYTES, REGISTERS } from '../../../assembly/abi.ts';
import type { Unsettled } from '../../engine/part-measures.ts';
import {
  BUCKETED,
  type ColumnState,
  COUNTED,
  type DatesState,
  type Listed,
  type NeighbourState,
  type Place,
  SLOTS,
} from '../column-state.ts';
import type { State } from '../state.ts';
import {
  bytes,
  type Codec,
  count,
  counts,
  double,
  flag,
  list,
  map,
  named,
  nullable,
  pair,
  record,
  text,
  u64,
} from './codec.ts';
import { MOMENTS } from './moments.ts';
import { RANKS } from './ranks.ts';
import { columnFits, datesFit, rowsFit } from './sense.ts';
import { VALUES } from './values.ts';

/** A word that stands for null has few spellings. */
const MAX_WORDS = 1000;
/** 64 characters of two units. */
const START_UNITS = 128;
const TYPE_UNITS = 1000;
const NAME_BITS = 24;
/** The largest value of a register: 55 bits of a hash may be zero. */
const MAX_REGISTER = 56;
/** A bit for each `DateOrder`. */
const ALL_ORDERS = 7;

const NAME = text(MAX_NAME_BYTES);
const PLACE: Codec<Place> = pair(count(), count());

const LISTED = record<Listed>({ hash: u64, count: count(), text: text(START_UNITS), first: PLACE });
const byHash = (a: Listed, b: Listed): boolean => a.hash < b.hash;

const UNSETTLED = record<Unsettled>(
  {
    nulls: count(),
    nullish: count(),
    nullishEmpties: count(),
    codes: count(),
    integers: count(),
    numbers: count(),
    falses: count(),
    trues: count(),
    strings: count(),
    empties: count(),
  },
  ({ nullish, nullishEmpties }) => nullishEmpties <= nullish,
);

const DATES = record<DatesState>(
  { orders: count(ALL_ORDERS), unit: double, low: double, high: double, earliest: double, latest: double },
  datesFit,
);

const NEIGHBOUR = record<NeighbourState>({
  name: count(2 ** NAME_BITS - 1),
  paired: count(),
  compared: count(),
  agreeing: count(),
  pairs: VALUES,
});

const numbered = (length: number): string[] => Array.from({ length }, (_, i) => `${i}`);
const bucketNames = BUCKETED.flatMap(family => numbered(BUCKETS).map(i => `${Column[family]}_${i}`));

const COLUMN = record<ColumnState>(
  {
    name: NAME,
    physicalType: nullable(text(TYPE_UNITS)),
    first: PLACE,
    isRepeated: flag,
    counts: counts(COUNTED.map(column => Column[column])),
    buckets: counts(bucketNames),
    hashSum: u64,
    values: VALUES,
    slots: counts(numbered(SLOTS)),
    registers: bytes(REGISTERS, MAX_REGISTER),
    listed: nullable(list(LISTED, byHash, MAX_ENUM)),
    unsettled: nullable(UNSETTLED),
    nulls: list(LISTED, byHash, MAX_WORDS),
    words: list(LISTED, byHash, MAX_WORDS),
    moments: MOMENTS,
    ranks: RANKS,
    codeMoments: MOMENTS,
    codeRanks: RANKS,
    lengths: MOMENTS,
    formats: VALUES,
    dateForms: VALUES,
    dates: nullable(DATES),
    neighbours: list(NEIGHBOUR, (a, b) => a.name < b.name),
  },
  columnFits,
);

const RAGGED = record<State['ragged']>({ count: count(), first: nullable(PLACE) });

export const STATE = record<State>(
  {
    rows: count(),
    columns: named(COLUMN),
    ragged: RAGGED,
    endsEarly: flag,
    duplicateRows: count(),
    hasHeader: flag,
    repeatedNames: map(NAME, PLACE),
  },
  rowsFit,
);
