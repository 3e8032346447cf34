/** Rows without end → batches that a request may carry. */
import type { Bytes } from './content.ts';

/** Rows as the format has them: a record each. */
export type Group = Bytes[];

export interface Room {
  rows: number;
  bytes: number;
}

/** At least one group, be it empty: that nothing came is for the service to refuse, and no PASS. */
export async function* grouped(records: AsyncIterable<Bytes[]>, room: Room): AsyncGenerator<Group> {
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

/** Each group with whether it is the last: one is always read ahead. */
export async function* knowingLast(
  groups: AsyncGenerator<Group>,
): AsyncGenerator<[group: Group, isLast: boolean]> {
  let held: Group | null = null;
  for await (const group of groups) {
    if (held !== null) yield [held, false];
    held = group;
  }
  if (held !== null) yield [held, true];
}

/** Two groups with half the rows each. */
export function halves(group: Group): [Group, Group] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}
