/** What is written of a state, in this order. A new field of a state is a line here. */
import { BUCKETS, Column, MAX_ENUM, MAX_NAME_BYTES, REGISTERS } from '../../../assembly/abi.ts';
import { SLOTS } from '../../../assembly/abi-parts.ts';
import type { Unsettled } from '../../engine/reading.ts';
import { MEANINGS, type Meanings } from '../../semantics/semantic-type.ts';
import { COUNTS, type SignCounts } from '../../signs/sign.ts';
import { SIGNS, type Sign } from '../../table/sign.ts';
import { NEW_VALUES_LISTED, ROWS_LISTED } from '../../terms/policy.ts';
import {
  BUCKETED,
  COUNTED,
  type ColumnState,
  type DatesState,
  type Listed,
  type NeighbourState,
} from '../column-state.ts';
import type { FirstRows, RowAt } from '../first-rows.ts';
import { isBefore } from '../place.ts';
import type { RuleTally } from '../rule-tallies.ts';
import type { Against, NewText } from '../slice-rows.ts';
import type { State } from '../state.ts';
import {
  array,
  as,
  ascending,
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
  record,
  text,
  u64,
} from './codec.ts';
import { EXAMPLE } from './example.ts';
import { MOMENTS } from './moments.ts';
import { MAX_PART, PLACE } from './place.ts';
import { RANKS } from './ranks.ts';
import { columnFits, datesFit, rowsFit } from './sense.ts';
import { STRETCHES } from './stretches.ts';
import { VALUES } from './values.ts';

/** A word that stands for null has few spellings. */
const MAX_WORDS = 1000;
/** 64 characters of two units. */
const START_UNITS = 128;
const TYPE_UNITS = 1000;
/** Such as `no number` and `replacement_character`. */
const KIND_UNITS = 24;
/** More than are cut off a new text. */
const NEW_TEXT_UNITS = 4000;
const MAX_RULES = 100_000;
const NAME_BITS = 24;
/** The largest value of a register: 55 bits of a hash may be zero. */
const MAX_REGISTER = 56;
/** A bit for each `DateOrder`. */
const ALL_ORDERS = 7;

const NAME = text(MAX_NAME_BYTES);
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
    codeTexts: count(),
    dottedTexts: count(),
    groupedTexts: count(),
    largeNumbers: count(),
    letterTexts: count(),
    letters: count(2 ** 32 - 1),
  },
  ({ nullish, nullishEmpties }) => nullishEmpties <= nullish,
);

// ---- rows ----

const ROW = record<RowAt>({ place: PLACE, line: count(), value: EXAMPLE });
const ROWS: Codec<FirstRows> = list(ROW, (a, b) => isBefore(a.place, b.place), ROWS_LISTED);
const ROWS_BY_KIND = map(text(KIND_UNITS), ROWS);

const NEW_TEXT = record<NewText>({ text: text(NEW_TEXT_UNITS), first: PLACE });
const AGAINST = record<Against>({
  fresh: count(),
  unseen: count(),
  far: count(),
  texts: list(NEW_TEXT, (a, b) => isBefore(a.first, b.first), NEW_VALUES_LISTED),
});

const RULE = record<RuleTally>({
  chosen: count(),
  count: count(),
  rows: nullable(ROWS),
  newest: nullable(double),
});

const SIGN_PLACE = { ...count(SIGNS.length - 1), layout: SIGNS.join(' ') };
const SIGN_NAME: Codec<Sign['sign']> = as(
  SIGN_PLACE,
  sign => SIGNS.indexOf(sign),
  place => SIGNS[place]!,
);
const NUMBERS: Codec<number[]> = as(
  ascending(),
  numbers => numbers,
  numbers => [...numbers],
);
const SIGN = record<Sign>({ sign: SIGN_NAME, count: count(), lines: NUMBERS, rows: NUMBERS });

// ---- columns ----

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

/** Counts of damaged cells, by their place in `COUNTS`. */
const SIGN_COUNT = { ...count(COUNTS.length - 1), layout: COUNTS.join(' ') };
const SIGN_COUNTS: Codec<SignCounts> = as(
  map(SIGN_COUNT, count()),
  signs => new Map(COUNTS.flatMap((name, i) => (signs[name] === undefined ? [] : [[i, signs[name]]]))),
  found => Object.fromEntries(Array.from(found, ([i, number]) => [COUNTS[i]!, number])),
);

const MEANING_COUNTS: Codec<Meanings> = as(
  map({ ...count(MEANINGS.length - 1), layout: MEANINGS.join(' ') }, count()),
  meanings =>
    new Map(MEANINGS.flatMap((name, i) => (meanings[name] === undefined ? [] : [[i, meanings[name]]]))),
  found => Object.fromEntries(Array.from(found, ([i, number]) => [MEANINGS[i]!, number])),
);

const numbered = (length: number): string[] => Array.from({ length }, (_, i) => `${i}`);
const bucketNames = BUCKETED.flatMap(family => numbered(BUCKETS).map(i => `${Column[family]}_${i}`));

const COLUMN = record<ColumnState>(
  {
    name: NAME,
    physicalType: nullable(text(TYPE_UNITS)),
    first: PLACE,
    isRepeated: flag,
    counts: counts(COUNTED.map(column => Column[column])),
    inspected: count(),
    buckets: counts(bucketNames),
    hashSum: u64,
    values: VALUES,
    slots: nullable(counts(numbered(SLOTS))),
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
    rows: ROWS_BY_KIND,
    against: AGAINST,
    signs: SIGN_COUNTS,
    meanings: MEANING_COUNTS,
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
    signs: map(
      count(MAX_PART),
      list(SIGN, (a, b) => SIGNS.indexOf(a.sign) < SIGNS.indexOf(b.sign)),
    ),
    duplicateRows: count(),
    hasHeader: flag,
    repeatedNames: map(NAME, PLACE),
    parts: map(count(MAX_PART), count(MAX_PART)),
    rowsOf: ROWS_BY_KIND,
    stretches: STRETCHES,
    rules: nullable(array(RULE, MAX_RULES)),
  },
  rowsFit,
);
