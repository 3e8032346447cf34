/**
 * Approximate distinct counts by HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007) over REGISTERS = 512
 * registers, one byte each in memory: the top 9 bits of a value's hash choose the register, which keeps the
 * largest position of the first 1 bit among the remaining 55 (1..56, 0: nothing seen). Registers of two
 * batches merge by their maximum, so the union's estimate never depends on the order. Standard error
 * 1.04 / √512 = 4.6%.
 *
 * Kept packed: few registers as (index, value) pairs, many as 6 bits each.
 */
import { REGISTERS } from '../../assembly/abi.ts';

const VALUE_BITS = 6;
const VALUE_MASK = 0x3f;
/** Four registers of 6 bits fill three bytes. */
export const DENSE_BYTES = (REGISTERS * VALUE_BITS) / 8;
/** The bias correction for 128 registers and more (Flajolet et al. 2007, figure 3). */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/** The smaller of both packed forms. Their lengths tell them apart: pairs are always shorter than DENSE_BYTES. */
export function packRegisters(registers: Uint8Array): Uint8Array {
  return packPairs(registers) ?? packDense(registers);
}

/** Null where the pairs would be as long as the dense form. */
function packPairs(registers: Uint8Array): Uint8Array | null {
  const packed = new Uint8Array(DENSE_BYTES);
  let at = 0;
  for (let index = 0; index < REGISTERS; index++) {
    const value = registers[index]!;
    if (value === 0) continue;
    if (at + 2 >= DENSE_BYTES) return null;
    const pair = (index << VALUE_BITS) | value;
    packed[at++] = pair & 0xff;
    packed[at++] = pair >> 8;
  }
  return packed.slice(0, at);
}

function packDense(registers: Uint8Array): Uint8Array {
  const packed = new Uint8Array(DENSE_BYTES);
  for (let index = 0, at = 0; index < REGISTERS; index += 4, at += 3) {
    const four =
      registers[index]! |
      (registers[index + 1]! << 6) |
      (registers[index + 2]! << 12) |
      (registers[index + 3]! << 18);
    packed[at] = four & 0xff;
    packed[at + 1] = (four >> 8) & 0xff;
    packed[at + 2] = four >> 16;
  }
  return packed;
}

/** Packed sketches and their union. Never changed: `with` makes another one. */
export class Sketches {
  readonly packed: readonly Uint8Array[];
  /** Made when it is first asked for. */
  #union: Uint8Array | undefined;

  constructor(packed: readonly Uint8Array[]) {
    this.packed = packed;
  }

  /** The registers of everything that any of the sketches has seen. Do not write to them. */
  union(): Uint8Array {
    if (this.#union) return this.#union;
    const registers = new Uint8Array(REGISTERS);
    for (const packed of this.packed) raisePacked(registers, packed);
    this.#union = registers;
    return registers;
  }

  /** These and one more. A union that is known is continued: every batch asks for it. */
  with(packed: Uint8Array): Sketches {
    const longer = new Sketches([...this.packed, packed]);
    if (this.#union) {
      longer.#union = this.#union.slice();
      raisePacked(longer.#union, packed);
    }
    return longer;
  }
}

function raisePacked(registers: Uint8Array, packed: Uint8Array): void {
  if (packed.length === DENSE_BYTES) raiseDense(registers, packed);
  else raisePairs(registers, packed);
}

function raisePairs(registers: Uint8Array, packed: Uint8Array): void {
  for (let at = 0; at < packed.length; at += 2) {
    const pair = packed[at]! | (packed[at + 1]! << 8);
    raise(registers, pair >> VALUE_BITS, pair & VALUE_MASK);
  }
}

function raiseDense(registers: Uint8Array, packed: Uint8Array): void {
  for (let index = 0, at = 0; index < REGISTERS; index += 4, at += 3) {
    const four = packed[at]! | (packed[at + 1]! << 8) | (packed[at + 2]! << 16);
    raise(registers, index, four & VALUE_MASK);
    raise(registers, index + 1, (four >> 6) & VALUE_MASK);
    raise(registers, index + 2, (four >> 12) & VALUE_MASK);
    raise(registers, index + 3, four >> 18);
  }
}

function raise(registers: Uint8Array, index: number, value: number): void {
  if (value > registers[index]!) registers[index] = value;
}

/** Distinct values behind the registers. Hashes of 64 bits need no correction at the upper end. */
export function estimateDistinct(registers: Uint8Array): number {
  let sum = 0;
  let unseen = 0;
  for (const value of registers) {
    sum += 2 ** -value;
    if (value === 0) unseen++;
  }
  const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
  // Linear counting (Whang et al. 1990): far better while many registers are still empty.
  return raw <= 2.5 * REGISTERS && unseen > 0 ? REGISTERS * Math.log(REGISTERS / unseen) : raw;
}
