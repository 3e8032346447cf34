/** Kinds of damage to a batch. Each affects one field, chosen at random among those that fit, or the rows as a whole. */
import type { Random } from '../random.ts';
import {
  type Batch,
  type Cell,
  cellsOf,
  fieldsOf,
  isNumber,
  isText,
  ROWS,
  type Row,
  withCells,
} from './rows.ts';

export interface Damaged {
  rows: Row[];
  touched: string[];
}

export interface Damage {
  name: string;
  family: string;
  /** Null if the damage does not fit the batch, or would hardly change it. */
  apply(batch: Batch, earlier: readonly Batch[], random: Random): Damaged | null;
}

type Change = (cell: never, random: Random, all: readonly Cell[]) => Cell;

const ANY = (cell: Cell): boolean => cell !== null && cell !== undefined;

/** Changes this share of the matching cells, at least one. */
function cells(
  family: string,
  name: string,
  share: number,
  passes: (cell: Cell) => boolean,
  change: Change,
): Damage {
  return {
    name,
    family,
    apply(batch, _, random) {
      for (const field of random.shuffled(fieldsOf(batch, passes))) {
        const all = cellsOf(batch, field);
        const fit = random.shuffled(all.map((_, i) => i).filter(i => passes(all[i])));
        const hit = fit.slice(0, Math.max(1, Math.round(share * fit.length)));
        const changed = [...all];
        for (const i of hit) changed[i] = change(all[i] as never, random, all);
        const different = hit.filter(i => changed[i] !== all[i]).length;
        if (2 * different >= hit.length) return { rows: withCells(batch, field, changed), touched: [field] };
      }
      return null;
    },
  };
}

/** Changes all rows; null if it does not fit. */
const whole = (
  family: string,
  name: string,
  change: (batch: Batch, random: Random, earlier: readonly Batch[]) => Row[] | null,
): Damage => ({
  name,
  family,
  apply(batch, earlier, random) {
    const rows = change(batch, random, earlier);
    return rows && rows.length > 0 ? { rows, touched: [ROWS] } : null;
  },
});

// ---- texts ----

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

function misspelt(text: string, random: Random): string {
  const at = random.between(0, text.length - 1);
  const replaced = random.chance(0.5) ? '' : random.pick(LETTERS) + text[at];
  return text.slice(0, at) + replaced + text.slice(at + 1);
}

const shortenedTo = (text: string, _: Random, all: readonly Cell[]): string => {
  const lengths = all
    .filter(isText)
    .map(each => each.length)
    .sort((a, b) => a - b);
  return text.slice(0, Math.max(1, Math.floor(0.8 * lengths[lengths.length >> 1]!)));
};

/** UTF-8 read as Latin-1: one letter becomes two others. */
const garbled = (text: string): string => text.replace(/[aeiou]/, 'Ã¤');

const turned = (text: string): string => {
  const parts = text.split(/[-./:]/);
  return parts.length > 2 ? parts.toReversed().join('/') : text.replace(/(\w+)[ -](\w+)/, '$2, $1');
};

// ---- numbers ----

const times =
  (factor: number): Change =>
  (cell: number) =>
    Number((cell * factor).toPrecision(15));

const deviationOf = (all: readonly Cell[]): number => {
  const numbers = all.filter(isNumber);
  const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, each) => sum + (each - mean) ** 2, 0) / numbers.length);
};

// ---- rows and fields ----

function swapped(name: string, share: number): Damage {
  return {
    name,
    family: 'swapped',
    apply(batch, _, random) {
      for (const [i, a] of random.shuffled(fieldsOf(batch, ANY)).entries()) {
        const kind = isNumber(batch[0]![a]) ? isNumber : isText;
        const b = random.shuffled(fieldsOf(batch, kind).filter(each => each !== a))[i % 3];
        if (b === undefined) continue;
        const rows = batch.map(row => (random.unit() < share ? { ...row, [a]: row[b], [b]: row[a] } : row));
        if (rows.filter((row, j) => row[a] !== batch[j]![a]).length >= 0.4 * share * rows.length)
          return { rows, touched: [a, b] };
      }
      return null;
    },
  };
}

/** Shuffles the cells of a field: no value is new, and none becomes rarer. */
function moved(name: string, order: (all: readonly Cell[], random: Random) => Cell[]): Damage {
  return {
    name,
    family: 'moved',
    apply(batch, _, random) {
      for (const field of random.shuffled(fieldsOf(batch, ANY))) {
        const all = cellsOf(batch, field);
        const changed = order(all, random);
        if (changed.filter((cell, i) => cell !== all[i]).length < 0.4 * all.length) continue;
        return { rows: withCells(batch, field, changed), touched: [field] };
      }
      return null;
    },
  };
}

const field = (name: string, change: (row: Row, field: string) => Row, added?: string): Damage => ({
  name,
  family: 'field',
  apply(batch, _, random) {
    const [hit] = random.shuffled(fieldsOf(batch, ANY));
    return { rows: batch.map(row => change(row, hit!)), touched: [added ?? hit!] };
  },
});

/** A new value in a field of few values. */
function novel(name: string, share: number): Damage {
  return {
    name,
    family: 'new value',
    apply(batch, earlier, random) {
      const isOfFew = (field: string): boolean =>
        new Set(earlier.flatMap(each => cellsOf(each, field))).size <= Math.min(30, batch.length / 3);
      const [hit] = random.shuffled(fieldsOf(batch, isText).filter(isOfFew));
      if (!hit) return null;
      const rows = spread(batch, hit, share, random, () => 'Other');
      return { rows, touched: [hit] };
    },
  };
}

function spread(batch: Batch, hit: string, share: number, random: Random, value: () => Cell): Row[] {
  const chosen = new Set(
    random.shuffled(batch.map((_, i) => i)).slice(0, Math.max(1, Math.round(share * batch.length))),
  );
  return batch.map((row, i) => (chosen.has(i) ? { ...row, [hit]: value() } : row));
}

/** Half of the cells with the most frequent value get the second most frequent one. */
const mixed: Damage = {
  name: 'mix_50',
  family: 'mix',
  apply(batch, _, random) {
    for (const field of random.shuffled(fieldsOf(batch, ANY))) {
      const counts = new Map<Cell, number>();
      for (const cell of cellsOf(batch, field)) counts.set(cell, (counts.get(cell) ?? 0) + 1);
      const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
      if (!second || second[1] < 0.1 * batch.length) continue;
      const changed = cellsOf(batch, field).map(cell =>
        cell === first![0] && random.chance(0.5) ? second[0] : cell,
      );
      return { rows: withCells(batch, field, changed), touched: [field] };
    }
    return null;
  },
};

const stretch = (batch: Batch, share: number, random: Random): [number, number] => {
  const length = Math.max(1, Math.round(share * batch.length));
  const begin = random.between(0, batch.length - length);
  return [begin, begin + length];
};

const repeatedRows =
  (count: number) =>
  (batch: Batch): Row[] =>
    Array.from(
      { length: Math.min(10_000, Math.round(batch.length * count)) },
      (_, i) => batch[i % batch.length]!,
    );

const some =
  (share: number) =>
  (batch: Batch, random: Random): Row[] | null =>
    batch.length * share < batch.length - 1 ? batch.filter(() => random.unit() < share) : null;

export const DAMAGES: readonly Damage[] = [
  ...[2, 5, 10, 50, 100].map(p => cells('nulls', `nulls_${p}`, p / 100, ANY, () => null)),
  {
    name: 'nulls_in_a_stretch_20',
    family: 'nulls',
    apply(batch, _, random) {
      const [begin, end] = stretch(batch, 0.2, random);
      const hit = random.shuffled(fieldsOf(batch, ANY)).slice(0, 3);
      const empty = Object.fromEntries(hit.map(each => [each, null]));
      return {
        rows: batch.map((row, i) => (i >= begin && i < end ? { ...row, ...empty } : row)),
        touched: hit,
      };
    },
  },
  ...[5, 10, 50].map(p => cells('empty', `empty_${p}`, p / 100, isText, () => '')),
  ...[10, 100].map(p => cells('padding', `padded_${p}`, p / 100, isText, (text: string) => ` ${text}  `)),
  ...[10, 50].map(p => cells('typos', `typos_${p}`, p / 100, isText, misspelt)),
  ...[10, 100].map(p => cells('case', `upper_${p}`, p / 100, isText, (text: string) => text.toUpperCase())),
  cells('case', 'lower_100', 1, isText, (text: string) => text.toLowerCase()),
  ...[20, 100].map(p => cells('truncation', `truncated_${p}`, p / 100, isText, shortenedTo)),
  ...[5, 20].map(p => cells('encoding', `garbled_${p}`, p / 100, isText, garbled)),
  ...[10, 100].map(p => cells('format', `turned_${p}`, p / 100, isText, turned)),
  ...[10, 100].map(p => cells('units', `times_10_${p}`, p / 100, isNumber, times(10))),
  ...[5, 20, 100].map(p => cells('units', `times_1000_${p}`, p / 100, isNumber, times(1000))),
  cells('units', 'times_0.01_10', 0.1, isNumber, times(0.01)),
  cells('units', 'times_2_100', 1, isNumber, times(2)),
  ...[10, 100].map(p => cells('sign', `negated_${p}`, p / 100, isNumber, (cell: number) => -cell)),
  ...[5, 10].map(p => cells('sentinel', `minus_999_${p}`, p / 100, isNumber, () => -999)),
  cells('sentinel', 'zero_10', 0.1, isNumber, () => 0),
  cells('precision', 'rounded_100', 1, isNumber, (cell: number) =>
    Number.isInteger(cell) ? Math.round(cell / 10) * 10 : Math.round(cell),
  ),
  cells('outliers', 'huge_2', 0.02, isNumber, (cell: number) => (Math.abs(cell) + 1) * 1e4),
  cells(
    'noise',
    'noisy_100',
    1,
    isNumber,
    (cell: number, random, all) => cell + 0.5 * deviationOf(all) * random.normal(),
  ),
  cells('shift', 'shifted_100', 1, isNumber, (cell: number, _, all) => cell + deviationOf(all)),
  ...[1, 10, 50].map(p =>
    cells('types', `texts_among_numbers_${p}`, p / 100, isNumber, (cell: number) => `${cell} units`),
  ),
  ...[1, 5, 10].map(p => novel(`novel_${p}`, p / 100)),
  mixed,
  ...[10, 50, 100].map(p => swapped(`swapped_${p}`, p / 100)),
  moved('shuffled', (all, random) => random.shuffled(all)),
  moved('off_by_one_row', all => [...all.slice(1), all[0]!]),
  moved('constant', all => all.map(() => all[0])),
  moved('stuck_half', all => all.map((cell, i) => (2 * i < all.length ? cell : all[all.length >> 1]!))),
  whole('volume', 'rows_x2', repeatedRows(2)),
  whole('volume', 'rows_x10', repeatedRows(10)),
  whole('volume', 'rows_x0.1', some(0.1)),
  whole('volume', 'rows_x0.5', some(0.5)),
  whole('repeats', 'rows_repeated_30', (batch, random) =>
    batch.map(row => (random.chance(0.3) ? batch[random.between(0, batch.length - 1)]! : row)),
  ),
  whole('repeats', 'stale', (_, random, earlier) => [...earlier[random.between(0, earlier.length - 1)]!]),
  whole('repeats', 'half_stale', (batch, random, earlier) => {
    const old = earlier[random.between(0, earlier.length - 1)]!;
    return batch.map((row, i) => (random.chance(0.5) ? old[i % old.length]! : row));
  }),
  field('dropped', (row, hit) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== hit))),
  field('added', row => ({ ...row, extra: Object.keys(row).length }), 'extra'),
  field('renamed', (row, hit) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name === hit ? `${hit}_2` : name, cell])),
  ),
];
