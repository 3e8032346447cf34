/**
 * Values and numbers of a column of many parts, put together one part after the other. Most of what a part has is known already: its counts are added where they are. What is
 * new waits until it is worth to merge it. The result has the same bits as a merge of all parts.
 */
import type { PartTaker, PartValues } from '../engine/part-measures.ts';
import type { ColumnState, NeighbourState } from './column-state.ts';
import { type Atoms, bounded, mergeRanks, NO_RANKS, type Ranks } from './ranks.ts';
import { slotsOf } from './slots.ts';
import { areAll, mergeValues, NO_VALUES, type Values } from './values.ts';

/** What is kept of a column here, and not in the state of a part. */
type Figures = Pick<
  ColumnState,
  'values' | 'slots' | 'ranks' | 'counts' | 'buckets' | 'registers' | 'formats'
>;

const NONE = new Float64Array();
/** In place of them in the state of a part. */
const TAKEN: Figures = {
  ...{ values: NO_VALUES, slots: null, ranks: NO_RANKS, formats: NO_VALUES },
  ...{ counts: NONE, buckets: NONE, registers: new Uint8Array() },
};

/** As many as come. */
const ALL = Number.POSITIVE_INFINITY;
const NEW: Values = { ...NO_VALUES, most: ALL };

export class GrowingColumn {
  readonly #values = new GrowingValues();
  readonly #ranks = new GrowingRanks();
  readonly #formats = new GrowingValues();
  readonly #neighbours = new Map<number, GrowingNeighbour>();
  /** Null while all values are sure to be known: they tell it. */
  #slots: Float64Array | null = null;
  #sums: Pick<Figures, 'counts' | 'buckets' | 'registers'> | null = null;

  /** For the next part. */
  taker({ values, ranks }: { values: number; ranks: number }): PartTaker {
    return {
      end: this.#values.end,
      most: values,
      level: this.#ranks.level,
      takeValues: listed => {
        this.#addValues(listed);
        return { values: NO_VALUES, slots: null };
      },
      takeRanks: listed => {
        this.#ranks.add(bounded({ ...listed, most: ranks }));
        return NO_RANKS as typeof listed;
      },
    };
  }

  /** Of the same part: from its state, which has them no more. */
  takeFigures(part: ColumnState): void {
    const { counts, buckets, registers } = part;
    if (this.#sums === null) this.#sums = { counts, buckets, registers };
    else {
      addTo(this.#sums.counts, counts);
      addTo(this.#sums.buckets, buckets);
      raise(this.#sums.registers, registers);
    }
    this.#formats.add(part.formats);
    for (const { name, ...neighbour } of part.neighbours) {
      const known = this.#neighbours.get(name) ?? new GrowingNeighbour(name);
      this.#neighbours.set(name, known);
      known.add(neighbour);
    }
    Object.assign(part, TAKEN, { neighbours: [] });
  }

  /** Of all parts so far. The arrays change when more is added. */
  get figures(): Figures & Pick<ColumnState, 'neighbours'> {
    const { values } = this.#values;
    return {
      values,
      slots: areAll(values) ? null : this.#slots,
      ranks: this.#ranks.ranks,
      formats: this.#formats.values,
      ...this.#sums!,
      neighbours: [...this.#neighbours.values()].map(each => each.state).sort((a, b) => a.name - b.name),
    };
  }

  #addValues({ values, slots }: PartValues): void {
    if (this.#slots === null && (slots !== null || !this.#values.hasRoomFor(values)))
      this.#slots = slotsOf({ slots: null, values: this.#values.values });
    if (this.#slots !== null) addTo(this.#slots, slotsOf({ slots, values }));
    this.#values.add(values);
  }
}

class GrowingNeighbour {
  readonly #pairs = new GrowingValues();
  readonly #counts = { paired: 0, compared: 0, agreeing: 0 };

  constructor(readonly name: number) {}

  add({ paired, compared, agreeing, pairs }: Omit<NeighbourState, 'name'>): void {
    this.#counts.paired += paired;
    this.#counts.compared += compared;
    this.#counts.agreeing += agreeing;
    this.#pairs.add(pairs);
  }

  get state(): NeighbourState {
    return { name: this.name, ...this.#counts, pairs: this.#pairs.values };
  }
}

function addTo(sums: Float64Array, more: Float64Array): void {
  for (let i = 0; i < sums.length; i++) sums[i]! += more[i]!;
}

function raise(maxima: Uint8Array, others: Uint8Array): void {
  for (let i = 0; i < maxima.length; i++) if (others[i]! > maxima[i]!) maxima[i] = others[i]!;
}

/** New values that wait are at most so many times fewer than the known ones, or so few. */
const WAITING_ONE_IN = 4;
const WAITING = 256;

/** Used again and again, for the places of what is new in a part. */
const places = new Uint16Array(2 ** 16);

class GrowingValues {
  #known: Values = NEW;
  #new: Values = NEW;
  #index: Index | null = null;

  get end(): number {
    return this.#known.end;
  }

  get values(): Values {
    this.#merge();
    return this.#known;
  }

  /** Whether none will have to be left out. */
  hasRoomFor(part: Values): boolean {
    const { hashes, most } = this.#known;
    return hashes.length + this.#new.hashes.length + part.hashes.length <= Math.min(most, part.most);
  }

  add(part: Values): void {
    const { end, most } = this.#known;
    if (part.end < end || part.most < most || part.hashes.length > places.length) {
      this.#known = mergeValues(this.values, part);
      return;
    }
    const found = this.#addKnown(part);
    if (found === 0) return;
    const fresh = { hashes: picked(part.hashes, found), counts: picked(part.counts, found) };
    const others = { ...fresh, end, most: ALL };
    this.#new = this.#new.hashes.length === 0 ? others : mergeValues(this.#new, others);
    if (this.#new.hashes.length > WAITING + this.#known.hashes.length / WAITING_ONE_IN) this.#merge();
  }

  /** Adds counts of known values. Returns how many others there are, up to the bound; their places are in `places`. */
  #addKnown(part: Values): number {
    const { hashes, counts, end } = this.#known;
    if (this.#index?.known !== hashes) this.#index = indexOf(this.#known);
    const { firsts, scale } = this.#index;
    let found = 0;
    for (let i = 0; i < part.hashes.length; i++) {
      const hash = part.hashes[i]!;
      if (hash > end) break;
      let at = firsts[Math.floor(hash * scale)]!;
      while (at < hashes.length && hashes[at]! < hash) at++;
      if (at < hashes.length && hashes[at] === hash) counts[at]! += part.counts[i]!;
      else places[found++] = i;
    }
    return found;
  }

  #merge(): void {
    if (this.#new.hashes.length === 0) return;
    this.#known = mergeValues(this.#known, { ...this.#new, most: this.#known.most });
    this.#new = NEW;
  }
}

/** Where values are, by equal intervals of their hashes: the place of the first one that is in no earlier interval. */
interface Index {
  known: Float64Array;
  firsts: Uint16Array;
  /** Intervals for a hash. */
  scale: number;
}

/** Nearly all values are the first of their intervals then: most comparisons are predicted. */
const INTERVALS_OF_VALUE = 4;

function indexOf({ hashes, end }: Values): Index {
  const intervals = INTERVALS_OF_VALUE * hashes.length + 1;
  // One more, as a product may be rounded up.
  const firsts = new Uint16Array(intervals + 1);
  const scale = intervals / (end + 1);
  let next = 0;
  for (const [at, hash] of hashes.entries())
    for (const interval = Math.floor(hash * scale); next <= interval; next++) firsts[next] = at;
  firsts.fill(hashes.length, next);
  return { known: hashes, firsts, scale };
}

class GrowingRanks {
  #known: Ranks = { ...NO_RANKS, most: ALL };
  #new: Ranks | null = null;

  get level(): number {
    return this.#known.level;
  }

  get ranks(): Ranks {
    this.#merge();
    return this.#known;
  }

  add(part: Ranks): void {
    const { level, most, atoms } = this.#known;
    const isLike = part.level === level && part.most === most && part.keys.length <= places.length;
    if (!isLike || atoms === null || part.atoms === null || !addAtoms(atoms, part.atoms)) {
      this.#known = mergeRanks(this.ranks, part);
      return;
    }
    const found = this.#addKnown(part);
    if (found === 0) return;
    const [keys, counts, least, greatest] = [part.keys, part.counts, part.least, part.greatest].map(each =>
      picked(each, found),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    const fresh = { level, keys, counts, least, greatest, most, atoms: NO_RANKS.atoms };
    this.#new = this.#new ? mergeRanks(this.#new, fresh) : fresh;
    if (this.#new.keys.length > WAITING) this.#merge();
  }

  /** As for values. */
  #addKnown({ keys, counts, least, greatest }: Ranks): number {
    const known = this.#known;
    let found = 0;
    for (let i = 0, at = 0; i < keys.length; i++) {
      const key = keys[i]!;
      while (at < known.keys.length && known.keys[at]! < key) at++;
      if (at === known.keys.length || known.keys[at] !== key) {
        places[found++] = i;
        continue;
      }
      known.counts[at]! += counts[i]!;
      if (least[i]! < known.least[at]!) known.least[at] = least[i]!;
      if (greatest[i]! > known.greatest[at]!) known.greatest[at] = greatest[i]!;
    }
    return found;
  }

  #merge(): void {
    if (this.#new === null) return;
    this.#known = mergeRanks(this.#known, this.#new);
    this.#new = null;
  }
}

/** Adds the counts of a part, if all of its atoms are known. */
function addAtoms(known: Atoms, part: Atoms): boolean {
  let at = 0;
  for (const [i, number] of part.numbers.entries()) {
    while (at < known.numbers.length && known.numbers[at]! < number) at++;
    if (at === known.numbers.length || known.numbers[at] !== number) return false;
    places[i] = at;
  }
  for (const [i, count] of part.counts.entries()) known.counts[places[i]!]! += count;
  return true;
}

/** Those at the first `count` of `places`. */
function picked(values: Float64Array, count: number): Float64Array {
  const chosen = new Float64Array(count);
  for (let i = 0; i < count; i++) chosen[i] = values[places[i]!]!;
  return chosen;
}
