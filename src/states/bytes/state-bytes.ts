/**
 * States on their way: in files, in stores, from process to process. Equal states have equal bytes, so `merge(a, b)` and `merge(b, a)` have the same.
 *
 *     89 53 4c 53  format u8  layout u32  content  CRC-32 of all before it
 *
 * A state may come from anywhere. Bytes that are damaged, were written by another release or do not make sense throw `StateError`, which says what to do, and take no more memory than
 * `BoundedReader` allows. A state lives for hours, so only this release's layout is read.
 */
import { crc32 } from 'node:zlib';
import { createHash } from 'node:crypto';
import { ByteReader, ByteWriter, DamagedBytes } from '../../baseline/bytes.ts';
import { mergeStates, type State } from '../state.ts';
import { BoundedReader, count, list, record, u64 } from './codec.ts';
import { STATE } from './schema.ts';

/** Of some parts of a batch. */
export interface PartsState {
  /** Of the salt that the values were hashed with: see `saltPrint`. */
  salt: bigint;
  /** Ascending. */
  parts: readonly number[];
  state: State;
}

/** A state that cannot be read, written or merged. The message says why, and what to do. */
export class StateError extends Error {}

export const MAX_STATE_BYTES = 128 * 1024 * 1024;

/** The first byte is that of no text. */
const MAGIC = Uint8Array.from([0x89, 0x53, 0x4c, 0x53]);
/** Raise it when the same fields come to mean something else, as after a change of a hash. A change of the fields changes the layout. */
const FORMAT = 1;
const CHECKSUM_BYTES = 4;

const PARTS = list(count(), (a, b) => a < b);
const CONTENT = record<PartsState>({ salt: u64, parts: PARTS, state: STATE });
const LAYOUT = crc32(CONTENT.layout);

/** Tells salts apart, and says nothing of them: a salt has 256 random bits. */
export const saltPrint = (salt: Uint8Array): bigint =>
  createHash('sha256').update('sluice state').update(salt).digest().readBigUInt64LE();

/** Throws `StateError` for a state that is too large. */
export function encodeStateBytes(state: PartsState): Uint8Array {
  const writer = new ByteWriter();
  writer.raw(MAGIC);
  writer.u8(FORMAT);
  writer.u32(LAYOUT);
  try {
    CONTENT.write(writer, state);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StateError(`A count of the state is too large (${error.message}): divide the batch`);
  }
  writer.u32(crc32(writer.view()));
  checkSize(writer.view().length);
  return writer.written();
}

/** Throws `StateError`. */
export function decodeStateBytes(bytes: Uint8Array): PartsState {
  checkSize(bytes.length);
  const reader = new BoundedReader(bytes.subarray(0, Math.max(0, bytes.length - CHECKSUM_BYTES)));
  if (!reader.skip(MAGIC)) throw new StateError('This is not a state: sluice measure makes one of a file');
  checkSum(bytes);
  try {
    if (reader.u8() !== FORMAT || reader.u32() !== LAYOUT)
      throw new StateError(
        'The state was written by another release of Sluice: measure all parts with the same release',
      );
    const state = CONTENT.read(reader);
    if (!reader.atEnd) throw new DamagedBytes('bytes follow the end');
    return state;
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    throw new StateError(`The state makes no sense (${error.message}): measure its part again`);
  }
}

/** In any order and grouping. Throws `StateError` if they do not belong together. */
export function mergePartsStates(a: PartsState, b: PartsState): PartsState {
  if (a.salt !== b.salt)
    throw new StateError(
      'The states have different salts, so their values cannot be compared: measure all parts of a batch in the same way',
    );
  const known = new Set(a.parts);
  const twice = b.parts.find(part => known.has(part));
  if (twice !== undefined)
    throw new StateError(
      `Part ${twice} is in both states: merge each part once, and measure each with a number of its own`,
    );
  const parts = [...a.parts, ...b.parts].sort((x, y) => x - y);
  return { salt: a.salt, parts, state: mergeStates(a.state, b.state) };
}

function checkSize(length: number): void {
  if (length > MAX_STATE_BYTES)
    throw new StateError(
      `The state has ${length} bytes, of ${MAX_STATE_BYTES} at most: measure fewer columns`,
    );
}

function checkSum(bytes: Uint8Array): void {
  const content = bytes.subarray(0, Math.max(0, bytes.length - CHECKSUM_BYTES));
  const given = bytes.subarray(content.length);
  if (given.length < CHECKSUM_BYTES || new ByteReader(given).u32() !== crc32(content))
    throw new StateError('The state is damaged: copy it again, or measure its part again');
}
