/** A rule that a batch violates. */
import type { RowList } from '../../engine/queries.ts';
import type { Constraint } from '../declared/constraint.ts';

export interface Violation {
  constraint: Constraint;
  /** Rows that fail; 1 where the batch fails as a whole. */
  count: number;
  /** Share of the rows that the rule is about; 1 where the batch fails as a whole. */
  rate: number;
  /** The first of them, as many as were asked for, ascending; null where the batch fails as a whole. */
  rows: RowList | null;
  /** A value that fails: of the first row, or what was measured of the batch. */
  sample?: unknown;
}
