/** A CSV file that several threads can read: see `parallel-screening.ts`. */
import { Format } from '../../assembly/abi.ts';
import { shownName } from './failure.ts';
import { namedFormat } from './format.ts';
import { openInput } from './input.ts';
import { openText, type Reading } from './reading.ts';
import type { Terminal } from './terminal.ts';
import type { Shared } from './turn.ts';

/** A file that is smaller is read before a thread has started. */
export const LARGE_BYTES = 16e6;

/** Null for a file that cannot be read from its middle, or needs no other thread. Throws `Failure`. */
export async function sharedFile(
  file: string,
  reading: Reading,
  largeBytes = LARGE_BYTES,
): Promise<Omit<Shared, 'typed'> | null> {
  const { format: named, coding } = namedFormat(file, reading.format);
  if ((named ?? Format.CSV) !== Format.CSV || coding !== null || reading.columns !== undefined) return null;
  const input = await openInput(file);
  const { size } = input;
  if (size === null || size <= largeBytes) return null;
  const { text, format, charset, found } = await openText(input, reading, () => {});
  // Its first bytes are refused if they are plainly of another format.
  for await (const _ of text) break;
  const isShared = format.format === Format.CSV && format.coding === null && charset === null;
  return isShared ? { file, size, format, found } : null;
}

export function tellFound(file: string, found: string, { isQuiet }: Reading, terminal: Terminal): void {
  if (found !== '' && !isQuiet) terminal.tell(`sluice: ${shownName(file)}: found ${found}`);
}
