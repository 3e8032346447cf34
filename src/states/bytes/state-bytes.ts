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
import type { SliceKeys } from '../../engine/row-keys.ts';
import { grouped } from '../../terms/wording.ts';
import { BoundedReader, count, map, nullable, record, text, u64 } from './codec.ts';
import { type KeysOfSlice, keysIn, KEYS_OF_PART } from './keys.ts';
import { MAX_PART } from './place.ts';
import { STATE } from './schema.ts';

/** Of some parts of a batch. */
export interface PartsState {
  measuredFor: MeasuredFor;
  state: State;
  /** By part. */
  keys: ReadonlyMap<number, readonly KeysOfSlice[]>;
}

/** What the parts of a batch have in common. */
export interface MeasuredFor {
  /** Of the salt that values were hashed with: see `printOf`. */
  salt: bigint;
  /** Of the declared rules that rows were checked by; 0 without rules. */
  rules: bigint;
  /** With whose past values were compared; null: with none. */
  source: string | null;
  /** Of its baseline; empty if there was none. */
  generation: string;
}

/** A state that cannot be read, written or merged. The message says why, and what to do. */
export class StateError extends Error {}

export const MAX_STATE_BYTES = 128 * 1024 * 1024;
/** Of the rows of all parts of a state: a key takes nine bytes. A batch has any number of states. */
export const MAX_KEYS = 10_000_000;

/** The first byte is that of no text. */
const MAGIC = Uint8Array.from([0x89, 0x53, 0x4c, 0x53]);
/** Raise it when the same fields come to mean something else, as after a change of a hash. A change of the fields changes the layout. */
const FORMAT = 1;
const CHECKSUM_BYTES = 4;

/** A source has 200 characters at most, and a generation far fewer. */
const NAME = text(1000);
const MEASURED_FOR = record<MeasuredFor>({
  salt: u64,
  rules: u64,
  source: nullable(NAME),
  generation: NAME,
});
const CONTENT = record<PartsState>(
  { measuredFor: MEASURED_FOR, state: STATE, keys: map(count(MAX_PART), KEYS_OF_PART) },
  content =>
    content.keys.size === content.state.parts.size &&
    [...content.keys].every(([part, slices]) => areOf(part, slices, content)),
);
const LAYOUT = crc32(CONTENT.layout);

/** Whether the rows are rows of the part. */
function areOf(part: number, slices: readonly KeysOfSlice[], content: PartsState): boolean {
  const rows = content.state.parts.get(part) ?? 0;
  const isIn = (row: number, set: SliceKeys): boolean =>
    row + Math.max(set.rows.at(-1) ?? 0, set.unsettled?.rows.at(-1) ?? 0) < rows;
  return slices.every(
    ({ row, sets }) => sets.length === setsIn(content) && sets.every(set => isIn(row, set)),
  );
}

/** Tells values apart, and says nothing of a salt: that has 256 random bits. */
export const printOf = (value: Uint8Array | string): bigint =>
  createHash('sha256').update('sluice state').update(value).digest().readBigUInt64LE();

/** Throws `StateError` for a state that is too large. */
export function encodeStateBytes(state: PartsState): Uint8Array {
  checkKeys([...state.keys.values()].reduce((sum, slices) => sum + keysIn(slices), 0));
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
  checkTogether(a, b);
  const twice = [...b.state.parts.keys()].find(part => a.state.parts.has(part));
  if (twice !== undefined)
    throw new StateError(
      `Part ${twice} is in both states: merge each part once, and measure each with a number of its own`,
    );
  return {
    measuredFor: a.measuredFor,
    state: mergeStates(a.state, b.state),
    keys: new Map([...a.keys, ...b.keys]),
  };
}

const APART: Record<keyof MeasuredFor, string> = {
  salt: 'have different salts, so their values cannot be compared',
  rules: 'were checked by different rules',
  source: 'are of different sources',
  generation: 'were measured for different baselines',
};

function checkTogether(a: PartsState, b: PartsState): void {
  const names = Object.keys(APART) as (keyof MeasuredFor)[];
  const apart =
    names.find(name => a.measuredFor[name] !== b.measuredFor[name]) ?? (haveSameRules(a, b) ? null : 'rules');
  if (apart !== null)
    throw new StateError(`The states ${APART[apart]}: measure all parts of a batch in the same way`);
}

/** The print of the rules of a crafted state says nothing. */
const haveSameRules = (a: PartsState, b: PartsState): boolean =>
  a.state.rules?.length === b.state.rules?.length && setsIn(a) === setsIn(b);

/** Sets of keys of each slice. */
const setsIn = ({ keys }: PartsState): number => keys.values().next().value?.[0]?.sets.length ?? 0;

/** Throws `StateError` for more keys than a state holds. */
export function checkKeys(count: number): void {
  if (count <= MAX_KEYS) return;
  throw new StateError(
    `A state holds ${grouped(MAX_KEYS)} keys of rows, one for each row and each rule about unique values: divide the file into more parts, or leave states apart, as sluice screen --states takes any number of them`,
  );
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
