/** Finds the rows behind a finding: queries to the engine while it holds the batch, and what the source was like before. */
import type { Like } from '../../assembly/abi.ts';
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import { isLowCardinality } from '../baseline/low-cardinality.ts';
import { reachOf } from '../baseline/reach.ts';
import type { RowNumbering, RowNumbers, RowNumberSpan } from '../report-schema/report.ts';
import type { RowList, RowQueries, RowSpan, Told } from '../engine/queries.ts';
import type { Mark } from '../signs/sign.ts';
import { REQUIRED_SHARE, ROUNDING, ROWS_LISTED } from '../terms/policy.ts';
import type { FieldProfile, Profile, ValueType } from '../profile/profile.ts';

/** The first `limit` rows with something, ascending. */
export interface Find {
  (limit: number): RowList;
  /** The stretch of a batch in slices to which they are confined; null where there is none. */
  span?: () => RowSpan | null;
}

export class RowFinder {
  readonly #fields: ReadonlyMap<string, FieldProfile>;
  /** Lines of the first rows; undefined until asked for, null where rows have no lines. */
  #lines: ArrayLike<number> | null | undefined;

  constructor(
    profile: Profile,
    readonly queries: RowQueries,
    readonly baseline: Baseline | null,
  ) {
    this.#fields = new Map(profile.fields.map(field => [field.name, field]));
  }

  field(name: string | null): FieldProfile | undefined {
    return name === null ? undefined : this.#fields.get(name);
  }

  before(name: string): BaselineField | undefined {
    return this.baseline?.fields.get(name);
  }

  /** Rows as a report numbers them. */
  numbers(rows: RowList): RowNumbers {
    if (rows.length === 0) return [];
    const lines = this.#linesUpTo(rows.at(-1)!);
    return lines ? Array.from(rows, (row: number) => lines[row]!) : [...rows];
  }

  /** Reading lines reads the body once more, so each time at least twice as many are read. */
  #linesUpTo(row: number): ArrayLike<number> | null {
    const known = this.#lines;
    if (known === null || (known && row < known.length)) return known;
    this.#lines = this.queries.lines(Math.max(row + 1, 2 * (known?.length ?? 0)));
    return this.#lines;
  }

  /** What the numbers mean that were given; null where none were. */
  get numbering(): RowNumbering | null {
    if (this.#lines === undefined) return null;
    return this.#lines ? 'line' : 'index';
  }

  /** From where to where the rows are, if that is a stretch of the batch. */
  spanOf(find: Find): RowNumberSpan | null {
    const span = find.span?.() ?? null;
    if (span === null) return null;
    const [first_row, last_row] = this.numbers(Float64Array.of(span.first, span.last));
    return { first_row: first_row!, last_row: last_row! };
  }

  #confined(find: Find, column: number, told: Told): Find {
    const { queries } = this;
    return queries.spanOf ? Object.assign(find, { span: () => queries.spanOf!(column, told) }) : find;
  }

  /** As many as a report lists. */
  listed(find: Find): RowNumbers {
    return this.numbers(find(ROWS_LISTED));
  }

  // ---- the queries; null where rows say nothing ----

  mistyped({ column }: FieldProfile, expected: ValueType): Find {
    return this.#confined(limit => this.queries.mistyped(column, expected, limit), column, `no ${expected}`);
  }

  nulls({ column }: FieldProfile): Find {
    return this.#confined(limit => this.queries.without(column, limit), column, 'null');
  }

  /** Rows without a value are worth naming only where there normally is one. */
  unusualNulls(field: FieldProfile): Find | null {
    const before = this.baseline?.provisional ? undefined : this.before(field.name);
    const isUsuallyFilled = before !== undefined && 1 - before.nullRate >= REQUIRED_SHARE - ROUNDING;
    return isUsuallyFilled && field.nulls > 0 ? this.nulls(field) : null;
  }

  empties({ column }: FieldProfile): Find {
    return this.#confined(limit => this.queries.empty(column, limit), column, 'empty');
  }

  /** Rows with an empty string, where strings are hardly ever empty. */
  unusualEmpties(field: FieldProfile): Find | null {
    const before = this.before(field.name);
    return before && 1 - before.emptyRate >= REQUIRED_SHARE - ROUNDING ? this.empties(field) : null;
  }

  repeated({ column }: FieldProfile): Find {
    return limit => this.queries.repeated(column, limit);
  }

  marked({ column }: FieldProfile, mark: Mark): Find {
    return limit => this.queries.marked(column, mark, limit);
  }

  like({ column }: FieldProfile, like: Like, has: boolean): Find {
    return limit => this.queries.like(column, like, has, limit);
  }

  outside({ column }: FieldProfile, low: number, high: number): Find {
    return this.#confined(limit => this.queries.outside(column, low, high, limit), column, 'far');
  }

  /** Rows whose number lies far from nearly all earlier ones. */
  far(field: FieldProfile): Find | null {
    const reach = this.baseline && reachOf(this.baseline, field.name);
    return reach && this.outside(field, reach.low, reach.high);
  }

  duplicates(): Find {
    return limit => this.queries.duplicated(limit);
  }

  ragged(): Find {
    return limit => this.queries.ragged(limit);
  }

  /**
   * A field with few values: those that the baseline lacks. Any other: those that are certainly new, which may not
   * be all.
   */
  newValues({ name, column }: FieldProfile): Find | null {
    const before = this.before(name);
    if (!before) return null;
    if (isLowCardinality(before)) {
      const { known } = before;
      return this.#confined(limit => this.queries.unseen(column, known, limit), column, 'unseen');
    }
    return limit => this.queries.fresh(column, before.registers, limit);
  }
}
