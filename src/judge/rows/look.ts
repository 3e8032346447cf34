/** What rows are found by: the batch while the engine holds it, and what its source was like. */
import type { Baseline, BaselineField } from '../../baseline/baseline.ts';
import type { RowQueries } from '../../engine/queries.ts';
import type { FieldProfile, Profile, ValueType } from '../../profile/profile.ts';
import { isLowCardinality } from '../drift/cardinality.ts';
import type { Mode } from '../options.ts';
import { outlierFences } from '../outliers.ts';
import { REQUIRED_SHARE, ROUNDING, ROWS_LISTED } from '../policy.ts';
import type { RowNumbering, RowNumbers } from '../report.ts';

/** The first `limit` rows with something, ascending. */
export type Find = (limit: number) => Uint16Array;

export class RowFinder {
  readonly #fields: ReadonlyMap<string, FieldProfile>;
  /** Of the first rows; undefined until they are asked for, null where rows have no lines. */
  #lines: Uint32Array | null | undefined;

  constructor(
    profile: Profile,
    readonly look: RowQueries,
    readonly baseline: Baseline | null,
    readonly mode: Mode,
  ) {
    this.#fields = new Map(profile.fields.map(field => [field.name, field]));
  }

  field(name: string): FieldProfile | undefined {
    return this.#fields.get(name);
  }

  before(name: string): BaselineField | undefined {
    return this.baseline?.fields.get(name);
  }

  /** Rows as a report numbers them. */
  numbers(rows: Uint16Array): RowNumbers {
    if (rows.length === 0) return [];
    const lines = this.#linesUpTo(rows.at(-1)!);
    return lines ? Array.from(rows, row => lines[row]!) : [...rows];
  }

  /** The body is read again for lines, so each time for at least twice as many. */
  #linesUpTo(row: number): Uint32Array | null {
    const known = this.#lines;
    if (known === null || (known && row < known.length)) return known;
    this.#lines = this.look.lines(Math.max(row + 1, 2 * (known?.length ?? 0)));
    return this.#lines;
  }

  /** What the numbers mean that were given; null where there were none. */
  get numbering(): RowNumbering | null {
    if (this.#lines === undefined) return null;
    return this.#lines ? 'line' : 'index';
  }

  /** As many as a report lists. */
  listed(find: Find): RowNumbers {
    return this.numbers(find(ROWS_LISTED));
  }

  // ---- what there is to find; null where rows say nothing ----

  mistyped({ column }: FieldProfile, expected: ValueType): Find {
    return limit => this.look.mistyped(column, expected, limit);
  }

  /** Rows without a value are worth naming only where there normally is one. */
  without(field: FieldProfile): Find | null {
    if (!this.#isNormallyComplete(field.name)) return null;
    return limit => this.look.without(field.column, limit);
  }

  #isNormallyComplete(name: string): boolean {
    const before = this.baseline?.provisional ? undefined : this.before(name);
    return before !== undefined && 1 - before.nullRate >= REQUIRED_SHARE - ROUNDING;
  }

  outliers(field: FieldProfile): Find | null {
    const fences = outlierFences(field, this.before(field.name), this.mode);
    return fences && (limit => this.look.outside(field.column, fences.low, fences.high, limit));
  }

  /** Of a field of few values those that the baseline lacks; of any other those that it has surely never seen, which are not all. */
  newValues({ name, column }: FieldProfile): Find | null {
    const before = this.before(name);
    if (!before) return null;
    if (isLowCardinality(before)) return limit => this.look.unseen(column, before.known, limit);
    return limit => this.look.fresh(column, before.registers, limit);
  }
}
