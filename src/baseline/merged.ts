/** A record as `judge` reads it. What costs more than a division is worked out when it is first asked for. */
import type { FieldType } from '../profile/profile.ts';
import type { Baseline, BaselineField } from './baseline.ts';
import { estimateDistinct, unionOf } from './distinct.ts';
import type { Settled } from './merge.ts';
import { Mixture } from './quantiles.ts';
import type { BaselineRecord, FieldRecord } from './record.ts';
import { type BatchStatistics, Statistic } from './statistics.ts';

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
  readonly type: FieldType;
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
  readonly #sketches: readonly Uint8Array[];
  readonly #mixture: Mixture;
  #approxDistinct: number | undefined;

  constructor(name: string, field: FieldRecord, record: BaselineRecord) {
    this.type = field.type;
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
    return this.#usual(Statistic.VALUES, Statistic.VALUES);
  }

  get usualTexts(): number {
    return this.#usual(Statistic.TEXTS, Statistic.TEXTS);
  }

  get usualDistinctTexts(): number {
    return this.#usual(Statistic.DISTINCT_TEXTS, Statistic.TEXTS);
  }

  get approxDistinct(): number {
    this.#approxDistinct ??= estimateDistinct(unionOf(this.#sketches));
    return this.#approxDistinct;
  }

  get registers(): Uint8Array {
    return unionOf(this.#sketches);
  }

  quantile(p: number): number {
    return this.#mixture.quantile(p);
  }

  /** The median of a statistic over the last batches that had any of `present`; 0 without such a batch. */
  #usual(which: Statistic, present: Statistic): number {
    const having: number[] = [];
    let places: BatchStatistics['places'] | undefined;
    let place: number | undefined;
    for (const batch of this.#recent) {
      // Batches share their places as a rule.
      if (batch.places !== places) place = batch.places.get(this.#name);
      places = batch.places;
      if (place === undefined) continue;
      const start = place * Statistic.LENGTH;
      if (batch.numbers[start + present]! > 0) having.push(batch.numbers[start + which]!);
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
