/** Groups any number of rows into batches that fit a request. */
import type { Bytes } from './content.ts';

/** Rows in the bytes of their format, one record each. */
export type Group = Bytes[];

export interface Room {
  rows: number;
  bytes: number;
}

/** Yields at least one group. Empty input gives an empty group, which the service rejects: it must not pass. */
export async function* groupsOf(records: AsyncIterable<Bytes[]>, room: Room): AsyncGenerator<Group> {
  let group: Group = [];
  let bytes = 0;
  let isFirst = true;
  for await (const some of records)
    for (const record of some) {
      const isFull = group.length === room.rows || bytes + record.length > room.bytes;
      if (isFull && group.length > 0) {
        yield group;
        isFirst = false;
        group = [];
        bytes = 0;
      }
      group.push(record);
      bytes += record.length;
    }
  if (isFirst || group.length > 0) yield group;
}

/** Each group, and whether it is the last. Reads one group ahead. */
export async function* withLast(
  groups: AsyncGenerator<Group>,
): AsyncGenerator<[group: Group, isLast: boolean]> {
  let held: Group | null = null;
  for await (const group of groups) {
    if (held !== null) yield [held, false];
    held = group;
  }
  if (held !== null) yield [held, true];
}

/** Two groups, each with half of the rows. */
export function halves(group: Group): [Group, Group] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}
