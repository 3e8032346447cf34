/** A batch that rules are checked against. */
import type { RuleChecks } from '../../engine/row-check.ts';
import type { FieldProfile, Profile } from '../../profile/profile.ts';
import type { PatternCache } from '../declared/patterns.ts';

export interface CheckedBatch {
  /** With `measured` over all rows, where a rule is about a statistic. */
  profile: Profile;
  checks: RuleChecks;
  patterns: PatternCache;
  /** In ms. */
  now: number;
  /** Failing rows that are listed of each rule. */
  rowsListed: number;
}

/** The columns by the names of their fields. */
export class Columns {
  readonly #fields: ReadonlyMap<string, FieldProfile>;

  constructor(profile: Profile) {
    this.#fields = new Map(profile.fields.map(field => [field.name, field]));
  }

  field(name: string): FieldProfile | undefined {
    return this.#fields.get(name);
  }

  /** Null for a field that the batch lacks. */
  column(name: string): number | null {
    return this.#fields.get(name)?.column ?? null;
  }
}
