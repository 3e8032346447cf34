/** What is kept with the offset of a partition. */

export interface Note {
  /** Where the next window ends; null: nothing is promised. */
  promised: Promised | null;
  /** Id of the topic that the offset belongs to; null if not known. */
  topicId: string | null;
  /** How many partitions the topic had when the group began to read this one; null if not known. */
  partitions: number | null;
}

export interface Promised {
  /** Offset of the last message of the window that begins at the committed offset. */
  last: number;
  /** Its verdict is written: it stopped the partition. */
  told: boolean;
}

/** Version 1 had only the promise. */
const NOTE = /^sluice(?:1|2 ([\w-]+) (\d{1,9}|-))(?: (\d{1,16})( told)?)?$/;
const NONE = '-';

export function noteOf({ promised, topicId, partitions }: Note): string {
  const promise = promised === null ? '' : ` ${promised.last}${promised.told ? ' told' : ''}`;
  return `sluice2 ${topicId ?? NONE} ${partitions ?? NONE}${promise}`;
}

/** Other programs may have set the offsets of the group: nothing of theirs is known. */
export function noteIn(note: string): Note {
  const [, topicId = NONE, partitions = NONE, last, told] = NOTE.exec(note) ?? [];
  return {
    promised: last === undefined ? null : { last: Number(last), told: told !== undefined },
    topicId: topicId === NONE ? null : topicId,
    partitions: partitions === NONE ? null : Number(partitions),
  };
}
