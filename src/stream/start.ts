/** Decides where to read a partition: at the offset of the group, unless the log does not have it or is not the same log any more. */
import type { StreamConfig } from './config.ts';
import { type Note, noteIn } from './note.ts';
import type { FailureKind, PartitionLog, Position } from './port.ts';

export interface Start {
  offset: number;
  /** Kept with each offset from here on, with other promises. */
  note: Note;
  /** Why `offset` is not the group's, which is `from`; null if it is, or if the group has none. */
  moved: { kind: FailureKind; from: number; message: string } | null;
}

/**
 * `positions`: what the group has committed of the topic, by partition. `refused`: an offset that the broker did not have when it was read;
 * null: none. The log may have grown past it since, with other messages.
 */
export function startOf(
  partition: number,
  positions: ReadonlyMap<number, Position>,
  log: PartitionLog,
  from: StreamConfig['from'],
  refused: number | null,
): Start {
  const { topicId, partitions, beginning, end } = log;
  const begin = from === 'earliest' ? beginning : end;
  const fresh: Note = { promised: null, topicId, partitions };
  const own = positions.get(partition);
  if (own === undefined)
    return { offset: isAdded(partition, positions, topicId) ? beginning : begin, note: fresh, moved: null };
  const kept = noteIn(own.note);
  const moved = (kind: FailureKind, offset: number, message: string): Start => ({
    offset,
    note: {
      ...fresh,
      promised:
        kept.promised !== null && kept.promised.last >= offset && kind === 'deleted' ? kept.promised : null,
    },
    moved: { kind, from: own.offset, message },
  });
  if (kept.topicId !== null && topicId !== null && kept.topicId !== topicId)
    return moved(
      'recreated',
      begin,
      `the topic was deleted and created again: the offsets of the group are of the old one`,
    );
  if (own.offset < beginning)
    return moved('deleted', beginning, 'messages were deleted before they were read');
  if (own.offset > end || (refused !== null && refused >= own.offset))
    return moved(
      'out_of_range',
      // Even with `latest`, messages that came since the refusal are read.
      Math.min(begin, own.offset),
      `the partition ended before the offset that was read next: the broker has lost messages`,
    );
  // A log that was cut may end before the promised message. The window would wait until the log is so long again, so drop the promise.
  const promised = kept.promised !== null && kept.promised.last < end ? kept.promised : null;
  return {
    offset: own.offset,
    note: { promised, topicId: topicId ?? kept.topicId, partitions: kept.partitions ?? partitions },
    moved: null,
  };
}

/** Whether the partition was added after the group began to read the topic. */
const isAdded = (
  partition: number,
  positions: ReadonlyMap<number, Position>,
  topicId: string | null,
): boolean =>
  [...positions.values()].some(({ note }) => {
    const { partitions, topicId: then } = noteIn(note);
    return partitions !== null && partitions <= partition && (then === topicId || then === null);
  });
