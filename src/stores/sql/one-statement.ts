/**
 * Combines a group of statements into one for Postgres. Each statement is a part of a WITH. Either all happen or none. It
 * takes one round trip, while a transaction takes two more than it has statements. All parts see the database as it was
 * before the statement, so no part may read another part's writes. If a guarded part writes no row, the statement fails.
 */
import { parameterFrom, type Values } from './database.ts';

/** One statement as Drizzle builds it, and whether it must return a row. */
export interface Part {
  text: string;
  params: readonly unknown[];
  guard: boolean;
}

export interface OneStatement {
  text: string;
  /** The parameters for the values of each part. */
  params(values: readonly Values[]): unknown[];
}

/** SQLSTATE of a failed guard: it divides by its number of rows, which is zero. */
export const GUARD_UNMET = '22012';

export function oneStatement(parts: readonly Part[]): OneStatement {
  let before = 0;
  const withs = parts.map(({ text, params }, i) => {
    const shifted = renumbered(text, before);
    before += params.length;
    return `part_${i} AS (${shifted})`;
  });
  const guards = parts.flatMap(({ guard }, i) => (guard ? [`1 / (SELECT count(*) FROM part_${i})`] : []));
  const readers = parts.map(({ params }) => params.map(parameterFrom));
  return {
    text: `WITH ${withs.join(', ')} SELECT ${guards.join(', ') || '1'}`,
    params: values => readers.flatMap((ofPart, i) => ofPart.map(read => read(values[i]!))),
  };
}

/** Shifts `$1`, `$2`, .. behind the parameters of earlier parts. Our statements contain no other dollar sign. */
const renumbered = (text: string, before: number): string =>
  text.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
