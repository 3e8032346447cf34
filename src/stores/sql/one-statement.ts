/**
 * A group of statements as one, for Postgres: each is a part of a WITH, all of them happen or none does, and it takes one
 * round trip where a transaction takes two more than it has statements. All parts see the database as it was before
 * any of them, so none may rest on what another has written. A part that must write a row and did not fails the whole.
 */
import { parameterFrom, type Values } from './database.ts';

/** One statement, as Drizzle builds it, and whether it has to answer a row. */
export interface Part {
  text: string;
  params: readonly unknown[];
  guard: boolean;
}

export interface OneStatement {
  text: string;
  /** Its parameters, from the values of each part. */
  params(values: readonly Values[]): unknown[];
}

/** SQLSTATE of what an unmet guard does: a division by the number of its rows. */
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

/** `$1` of a part is `$1` after those of the parts before. Our own texts hold no other dollar sign. */
const renumbered = (text: string, before: number): string =>
  text.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
