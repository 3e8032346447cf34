/**
 * Values and numbers of a column of many parts, put together one part after the other. Most of what a part has is known already: its counts are added where they are. What is
 * new waits until it is worth to merge it. The result has the same bits as a merge of all parts.
 */
import { SLOTS } from '../../assembly/abi.ts';
import type { ColumnState } from './column-state.ts';
import { type Atoms, mergeRanks, NO_RANKS, type Ranks } from './ranks.ts';
import { slotsOf } from './slots.ts';
import { areAll, mergeValues, NO_VALUES, type Values } from './values.ts';

/** What is kept of a column here, and not with its other figures. */
export type Sketches = Pick<ColumnState, 'values' | 'slots' | 'ranks'>;

/** In place of them in the state of a part. */
export const NO_SKETCHES: Sketches = { values: NO_VALUES, slots: null, ranks: NO_RANKS };

export class GrowingColumn {
  readonly #values: GrowingValues;
  readonly #ranks: GrowingRanks;
  /** Null while all values are sure to be known: they tell it. */
  #slots: Float64Array | null;

  constructor(first: Sketches) {
    this.#values = new GrowingValues(first.values);
    this.#ranks = new GrowingRanks(first.ranks);
    this.#slots = first.slots;
  }

  add(part: Sketches): void {
    if (this.#slots === null && (part.slots !== null || !this.#values.hasRoomFor(part.values)))
      this.#slots = slotsOf({ slots: null, values: this.#values.values });
    if (this.#slots !== null) addTo(this.#slots, slotsOf(part));
    this.#values.add(part.values);
    this.#ranks.add(part.ranks);
  }

  /** What the next part may leave out. */
  get bounds(): { end: number; level: number } {
    return { end: this.#values.end, level: this.#ranks.level };
  }

  /** Of all parts so far. The arrays change when more is added. */
  get sketches(): Sketches {
    const { values } = this.#values;
    return { values, slots: areAll(values) ? null : this.#slots, ranks: this.#ranks.ranks };
  }
}

function addTo(slots: Float64Array, more: Float64Array): void {
  for (let i = 0; i < SLOTS; i++) slots[i]! += more[i]!;
}

/** New values that wait are at most so many times fewer than the known ones, or so few. */
const WAITING_ONE_IN = 4;
const WAITING = 256;
/** Known values for one of a part from which on each is looked for. */
const FAR_APART = 16;

/** Used again and again, for the places of what is new in a part. */
const places = new Uint16Array(2 ** 16);

class GrowingValues {
  #known: Values;
  #new: Values = NEW;

  constructor(first: Values) {
    this.#known = first;
  }

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
    this.#new = mergeValues(this.#new, { ...fresh, end, most: ALL });
    if (this.#new.hashes.length > WAITING + this.#known.hashes.length / WAITING_ONE_IN) this.#merge();
  }

  /** Adds counts of known values. Returns how many others there are, up to the bound; their places are in `places`. */
  #addKnown(part: Values): number {
    const { hashes, counts, end } = this.#known;
    const isFar = part.hashes.length * FAR_APART < hashes.length;
    let found = 0;
    for (let i = 0, at = 0; i < part.hashes.length; i++) {
      const hash = part.hashes[i]!;
      if (hash > end) break;
      if (isFar) at = firstFrom(hashes, hash, at);
      else while (at < hashes.length && hashes[at]! < hash) at++;
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

/** As many as come. */
const ALL = Number.POSITIVE_INFINITY;
const NEW: Values = { ...NO_VALUES, most: ALL };

class GrowingRanks {
  #known: Ranks;
  #new: Ranks | null = null;

  constructor(first: Ranks) {
    this.#known = first;
  }

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

/** The place of the first of ascending values, from `from` on, that is not below `value`. */
function firstFrom(values: Float64Array, value: number, from: number): number {
  let [low, high] = [from, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
