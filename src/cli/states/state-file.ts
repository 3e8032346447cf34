/** Files of states. */
import { randomBytes } from 'node:crypto';
import {
  decodeStateBytes,
  encodeStateBytes,
  MAX_STATE_BYTES,
  mergePartsStates,
  type PartsState,
  StateError,
} from '../../states/bytes/state-bytes.ts';
import { grouped, plural } from '../../terms/wording.ts';
import { Failure, shownName } from '../failure.ts';
import { namedFormat } from '../input/format.ts';
import { openInput } from '../input/input.ts';
import { uncompressed } from '../input/reading.ts';
import { placeOf } from '../input/same-file.ts';
import { PartFile, unfinishedName } from '../parts/part-file.ts';
import type { Terminal } from '../terminal.ts';

/** Throws `Failure`. */
export async function readState(file: string): Promise<PartsState> {
  const bytes = await bytesOf(file);
  return inFile(file, () => decodeStateBytes(bytes));
}

/** All of them together, in whatever order. One is in memory beside the sum. `take`: what is to be merged of a state. Throws `Failure`. */
export async function mergedStates(
  files: readonly string[],
  take: (state: PartsState) => PartsState = state => state,
): Promise<PartsState> {
  let merged: PartsState | null = null;
  for (const file of files) {
    const state = take(await readState(file));
    const before: PartsState | null = merged;
    merged = before === null ? state : inFile(file, () => mergePartsStates(before, state));
  }
  return merged!;
}

/** The file gets its name when it is whole: several programs may write it at once, as a task that is run twice does. Throws `Failure`. */
export async function writeState(file: string, state: PartsState, terminal: Terminal): Promise<void> {
  const bytes = inFile(file, () => encodeStateBytes(state));
  const out = await PartFile.open(
    file,
    false,
    unfinishedName(`${placeOf(file)}.${randomBytes(4).toString('hex')}`),
  );
  try {
    await out.write(bytes);
    await out.close();
    out.name();
  } finally {
    out.abandon();
  }
  const { rows, columns, parts } = state.state;
  const said = [plural(parts.size, 'part'), plural(rows, 'row'), plural(columns.size, 'field')];
  terminal.tell(`sluice: ${shownName(file)}: ${said.join(', ')} in ${grouped(bytes.length)} bytes`);
}

/** It is read no further than a state may be long. */
async function bytesOf(file: string): Promise<Uint8Array> {
  const { pieces } = await openInput(file);
  const { coding } = namedFormat(file, undefined);
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const piece of coding === null ? pieces : uncompressed(file, pieces, coding)) {
    read.push(piece.slice());
    length += piece.length;
    if (length > MAX_STATE_BYTES) break;
  }
  return Buffer.concat(read);
}

function inFile<Result>(file: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw new Failure(error.message, file);
  }
}
