/** What is kept with the offset of a partition: where its next window ends. */

export interface Promised {
  /** Offset of the last message of the window that begins at the committed offset. */
  last: number;
  /** Its verdict is written: it stopped the partition. */
  told: boolean;
}

const NOTE = /^sluice1 (\d{1,16})( told)?$/;

export const noteOf = ({ last, told }: Promised): string => `sluice1 ${last}${told ? ' told' : ''}`;

/** Null: nothing of ours. Other programs may have set the offsets of the group. */
export function promisedIn(note: string): Promised | null {
  const [, last, told] = NOTE.exec(note) ?? [];
  return last === undefined ? null : { last: Number(last), told: told !== undefined };
}
