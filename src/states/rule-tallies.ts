/** Declared rules over slices: what the rows of each say of a rule adds up. */
import type { RowList, RowQueries } from '../engine/queries.ts';
import type { Constraint, DeclaredRules } from '../rules/declared/constraint.ts';
import type { Tally } from '../rules/violations/tally.ts';
import { type FirstRows, mergeRows } from './first-rows.ts';
import { lineReader, rowsAt, type SlicePlace } from './slice-rows.ts';

/** As `Tally`, of slices. */
export interface RuleTally {
  chosen: number;
  count: number;
  /** The first rows that fail, the first of all with its value; null for a rule about the batch as a whole. */
  rows: FirstRows | null;
  newest: number | null;
}

/** In the order of the rules. */
export type RuleTallies = readonly RuleTally[];

export function talliesOfSlice(
  tallies: ReadonlyMap<Constraint, Tally>,
  { constraints }: DeclaredRules,
  at: SlicePlace,
  queries: Pick<RowQueries, 'lines'>,
): RuleTallies {
  const lineOf = lineReader(queries);
  return constraints.map(constraint => {
    const { chosen, count, rows, sample, newest } = tallies.get(constraint)!;
    const exampleOf = (_: number, place: number) => (place === 0 ? sample : undefined);
    return { chosen, count, rows: rows && rowsAt(rows, at, lineOf, exampleOf), newest };
  });
}

/** Of slices that were checked by the same rules. */
export const mergeTallies = (a: RuleTallies, b: RuleTallies): RuleTallies =>
  a.map((one, i) => {
    const other = b[i]!;
    return {
      chosen: one.chosen + other.chosen,
      count: one.count + other.count,
      rows: one.rows && other.rows ? mergeRows(one.rows, other.rows) : (one.rows ?? other.rows),
      newest: newestOf(one.newest, other.newest),
    };
  });

const newestOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Of the whole batch. */
export const wholeTallies = (
  tallies: RuleTallies,
  { constraints }: DeclaredRules,
  list: (rows: FirstRows) => RowList,
): Map<Constraint, Tally> =>
  new Map(
    constraints.map((constraint, i) => {
      const { chosen, count, rows, newest } = tallies[i]!;
      const sample = rows?.[0]?.value;
      return [
        constraint,
        { chosen, count, rows: rows && list(rows), newest, ...(sample !== undefined && { sample }) },
      ];
    }),
  );
