/** A rule says when something is wrong: facts in, findings out. Pure. */
import type { RuleList } from '../findings/finding.ts';
import type { Finding } from '../findings/kinds.ts';
import type { Facts, FieldFacts } from './facts.ts';

/** A finding before its list is known. */
export type UnlistedFinding = Finding extends infer Each
  ? Each extends Finding
    ? Omit<Each, 'list'>
    : never
  : never;

/** Asked for each field in turn; null where nothing is wrong. */
export type FieldRule = (field: FieldFacts, facts: Facts) => UnlistedFinding | null;

/** Asked once for the batch. */
export type BatchRule = (facts: Facts) => readonly UnlistedFinding[];

/** A list of rules. */
export interface Rules {
  list: RuleList;
  /** In the order in which a field's findings are listed. */
  fields: readonly FieldRule[];
  batch: readonly BatchRule[];
}
