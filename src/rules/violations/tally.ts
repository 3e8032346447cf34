/** What rows of a batch, or of a slice of it, have to say about a declared rule: tallies of slices add up to that of their batch. */
import type { RowList } from '../../engine/queries.ts';

export interface Tally {
  /** Rows that the rule is about. */
  chosen: number;
  /** Of them, those that fail; of a rule about the batch, those that have the field, or that lack a value. */
  count: number;
  /** The first rows that fail, as many as were asked for, ascending; null for a rule about the batch as a whole. */
  rows: RowList | null;
  /** A value that fails, of the first of these rows. */
  sample?: unknown;
  /** The newest date in ms; null without one. */
  newest: number | null;
}

export const holding = (chosen: number): Tally => ({ chosen, count: 0, rows: null, newest: null });
