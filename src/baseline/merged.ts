/** A record as rules read it. What costs more than a division is computed when it is first asked for. */
import { shareOfType } from '../profile/field-type.ts';
import type { FieldType } from '../profile/profile.ts';
import { PLACE } from '../statistics/registry.ts';
import type { Baseline, BaselineField } from './baseline.ts';
import { type BatchStatistics, numberAt } from './batch-statistics.ts';
import type { Detail } from './detail.ts';
import { estimateDistinct, type Sketches } from './distinct.ts';
import type { Settled } from './merge.ts';
import { Mixture } from './quantiles.ts';
import type { BaselineRecord, FieldRecord } from './record.ts';

export function baselineOf({ record, provisional }: Settled): Baseline {
  const fields = new Map<string, BaselineField>();
  for (const [name, field] of record.fields) fields.set(name, new MergedField(name, field, record));
  return {
    provisional,
    batches: record.batches,
    rows: record.rows,
    rowCounts: [...record.rowCounts],
    recent: record.recent,
    fields,
  };
}

class MergedField implements BaselineField {
  readonly detail: Detail;
  readonly type: FieldType;
  readonly typeShare: number;
  readonly weightedRows: number;
  readonly presence: number;
  readonly nullRate: number;
  readonly emptyRate: number;
  readonly weightedTexts: number;
  readonly distinctRatio: number;
  readonly texts: number;
  readonly known: BigUint64Array | null;

  readonly #name: string;
  readonly #recent: readonly BatchStatistics[];
  readonly #sketches: Sketches;
  readonly #mixture: Mixture;
  #approxDistinct: number | undefined;

  constructor(name: string, field: FieldRecord, record: BaselineRecord) {
    this.detail = field.detail;
    this.type = field.type;
    this.typeShare = shareOfType(field.type, field.counts);
    this.weightedRows = field.rows;
    this.presence = field.present / field.rows;
    this.nullRate = field.nulls / field.rows;
    this.emptyRate = field.strings > 0 ? field.empties / field.strings : 0;
    this.weightedTexts = field.strings;
    this.distinctRatio = field.values > 0 ? field.distinct / field.values : Number.NaN;
    this.texts = field.texts;
    this.known = field.known;
    this.#name = name;
    this.#recent = record.recent;
    this.#sketches = field.sketches;
    this.#mixture = new Mixture(field.components, record.batches);
  }

  get usualValues(): number {
    return this.#usual(PLACE.values, PLACE.values);
  }

  get usualTexts(): number {
    return this.#usual(PLACE.texts, PLACE.texts);
  }

  get usualDistinctTexts(): number {
    return this.#usual(PLACE.distinct_texts, PLACE.texts);
  }

  get approxDistinct(): number {
    this.#approxDistinct ??= estimateDistinct(this.#sketches.union());
    return this.#approxDistinct;
  }

  get registers(): Uint8Array {
    return this.#sketches.union();
  }

  quantile(p: number): number {
    return this.#mixture.quantile(p);
  }

  /** The median of a measurement over the last batches that had any of `present`; 0 without such a batch. */
  #usual(place: number, present: number): number {
    const having: number[] = [];
    let places: BatchStatistics['places'] | undefined;
    let index: number | undefined;
    for (const batch of this.#recent) {
      // Batches usually share their places.
      if (batch.places !== places) index = batch.places.get(this.#name);
      places = batch.places;
      if (index === undefined) continue;
      if (numberAt(batch, index, present) > 0) having.push(numberAt(batch, index, place));
    }
    return median(having);
  }
}

function median(numbers: number[]): number {
  if (numbers.length === 0) return 0;
  // A typed array is sorted as numbers, without a call for each comparison.
  const sorted = Float64Array.from(numbers).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
