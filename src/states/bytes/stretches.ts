/** The stretches of a batch as bytes. Columns are named once, and then by their places among the names. */
import { MAX_NAME_BYTES } from '../../../assembly/abi.ts';
import { isBefore } from '../place.ts';
import { COUNTED_IN_STRETCHES, type Stretch, type StretchCounts, type Stretches } from '../stretches.ts';
import { as, type Codec, count, counts, list, pair, record, text } from './codec.ts';
import { PLACE } from './place.ts';

/** Numbers of stretches have 53 bits: joined so often, those of a part are one. */
const MAX_LEVEL = 53;

type Counted = readonly [column: number, counts: StretchCounts];

interface Written {
  level: number;
  names: readonly string[];
  stretches: readonly (Omit<Stretch, 'columns'> & { columns: readonly Counted[] })[];
}

const COUNTED: Codec<Counted> = pair(count(), counts(COUNTED_IN_STRETCHES));

const STRETCH = record<Written['stretches'][number]>(
  {
    place: PLACE,
    rows: count(),
    first: count(),
    line: count(),
    extraLines: count(),
    columns: list(COUNTED, ([a], [b]) => a < b),
  },
  ({ rows }) => rows > 0,
);

const WRITTEN = record<Written>(
  {
    level: count(MAX_LEVEL),
    names: list(text(MAX_NAME_BYTES), (a, b) => a < b),
    stretches: list(STRETCH, (a, b) => isBefore(a.place, b.place)),
  },
  ({ names, stretches }) =>
    stretches.every(({ columns }) => columns.every(([column]) => column < names.length)),
);

export const STRETCHES: Codec<Stretches> = as(WRITTEN, writtenOf, stretchesOf);

function writtenOf({ level, byPlace }: Stretches): Written {
  const stretches = [...byPlace.values()].sort((a, b) => (isBefore(a.place, b.place) ? -1 : 1));
  const names = [...new Set(stretches.flatMap(({ columns }) => [...columns.keys()]))].sort(byUnits);
  const places = new Map(names.map((name, place) => [name, place]));
  const inOrder = ({ columns }: Stretch): Counted[] =>
    Array.from(columns, ([name, each]): Counted => [places.get(name)!, each]).sort(([a], [b]) => a - b);
  return { level, names, stretches: stretches.map(each => ({ ...each, columns: inOrder(each) })) };
}

/** The same on every machine: `localeCompare` is not. */
const byUnits = (a: string, b: string): number => (a < b ? -1 : 1);

function stretchesOf({ level, names, stretches }: Written): Stretches {
  const named = stretches.map((each): Stretch => {
    const columns = new Map(each.columns.map(([column, found]) => [names[column]!, found]));
    return { ...each, columns };
  });
  return { level, byPlace: new Map(named.map(each => [String(each.place), each])) };
}
