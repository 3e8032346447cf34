/** What rules look at: the batch as it was measured, beside what its source was like before. */
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import { untracked } from '../baseline/limits.ts';
import type { BatchState } from '../baseline/state.ts';
import type { ColumnQueries, RowQueries } from '../engine/queries.ts';
import type { ScreenOptions } from '../options/options.ts';
import type { FieldProfile, Profile, ValueType } from '../profile/profile.ts';
import { expectedType } from './expected-type.ts';
import type { Comparison } from './learned/compare.ts';
import type { History } from './learned/history.ts';
import type { MissingField } from './declared/missing-fields.ts';
import type { Violation } from './violations/violation.ts';

/** A batch whose columns are measured. */
export interface MeasuredBatch {
  profile: Profile;
  /** They answer while the engine holds the batch. */
  queries: ColumnQueries;
  rowQueries: RowQueries;
  /** As the baseline would keep it, but for the verdict. */
  state: BatchState;
  /** Of declared rules; absent without such rules. */
  violations?: readonly Violation[];
  /** Fields that declared rules name and no row has; absent without such rules. */
  missing?: readonly MissingField[];
}

/** What is known of the source. */
export interface KnownPast {
  /** Null for a source that was never seen before. */
  baseline: Baseline | null;
  /** Its batches fitted, for rules that learn; null where none of these hold. */
  history: History | null;
  /** Absent: no batches were BLOCKed before this one. */
  run?: BlockedBefore | null;
}

/** A run of BLOCKed batches, as it is kept. */
export interface BlockedBefore {
  /** Ids of its first and of its newest batch. */
  since: string;
  last: string;
  /** How many. */
  batches: number;
  /** Causes as JSON text. */
  causes: string;
}

export interface Facts extends MeasuredBatch, KnownPast {
  options: ScreenOptions;
  /** Fields of the batch in its order, then those that only the baseline has. */
  fields: readonly FieldFacts[];
  /** The batch against its past; null while too little is known, and where no list of rules learns. */
  comparison: Comparison | null;
}

/** A field of the batch, of the baseline, or of both. */
export interface FieldFacts {
  name: string;
  /** Null for a field that only the baseline has. */
  now: FieldProfile | null;
  /** Undefined for a field that the baseline lacks. */
  before: BaselineField | undefined;
  /** Whether no row has it. */
  isAbsent: boolean;
  /** Whether the baseline has room for it. */
  isTracked: boolean;
  /** The type that its values ought to have. */
  expected: ValueType | null;
}

/** The batch's fields in its order, then the baseline's that the batch lacks. */
export function fieldFacts(profile: Profile, baseline: Baseline | null): FieldFacts[] {
  const names = profile.fields.map(({ name }) => name);
  // Fields without room in the baseline would be new in every batch: the answer lists them once, in `stats`.
  const noRoom = new Set(baseline ? untracked(baseline, names) : []);
  const fields: FieldFacts[] = profile.fields.map(now => {
    const before = baseline?.fields.get(now.name);
    const expected = expectedType(now, baseline);
    return {
      name: now.name,
      now,
      before,
      isAbsent: now.present === 0,
      isTracked: !noRoom.has(now.name),
      expected,
    };
  });
  const here = new Set(names);
  for (const [name, before] of baseline?.fields ?? []) {
    if (here.has(name)) continue;
    fields.push({ name, now: null, before, isAbsent: true, isTracked: true, expected: null });
  }
  return fields;
}
