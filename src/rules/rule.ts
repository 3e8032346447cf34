/** A rule says when something is wrong: facts in, findings out. Pure. */
import type { Finding } from '../findings/kinds.ts';
import type { Facts, FieldFacts } from './facts.ts';

/** Asked for each field in turn; null where nothing is wrong. */
export type FieldRule = (field: FieldFacts, facts: Facts) => Finding | null;

/** Asked once for the batch. */
export type BatchRule = (facts: Facts) => readonly Finding[];

/** A list of rules: thresholds, structure, or what was learned. A mode is the lists that hold in it. */
export interface Rules {
  /** In the order in which a field's findings are listed. */
  fields: readonly FieldRule[];
  batch: readonly BatchRule[];
}
