/** The memory in which all batches of a process decode columns. */
import { describe, expect, test } from 'bun:test';
import { Fault } from '../../assembly/abi.ts';
import type { ColumnsError } from '../../src/columns/columns-error.ts';
import { processScratch, Scratch, SharedBytes } from '../../src/columns/scratch.ts';

const MIB = 1024 * 1024;
/** What each has besides. */
const OWN_BYTES = 2 * MIB;

function faultOf(work: () => unknown): Fault | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as ColumnsError).fault;
  }
}

describe('memory for columns', () => {
  test('is 192 MiB for all batches together, plus 2 MiB for each', () => {
    expect(processScratch.max).toBe(192 * MIB);
    const shared = new SharedBytes(8 * MIB);
    const [one, other] = [new Scratch(shared), new Scratch(shared)];
    one.bytes(OWN_BYTES + 5 * MIB);
    other.bytes(OWN_BYTES);
    expect(faultOf(() => other.bytes(3 * MIB))).toBeNull();
    expect(faultOf(() => other.bytes(1))).toBe(Fault.BUSY);
    expect(shared.bytes).toBe(8 * MIB);
    one.free();
    expect(shared.bytes).toBe(3 * MIB);
    expect(faultOf(() => other.bytes(MIB))).toBeNull();
    other.free();
    expect(shared.bytes).toBe(0);
  });

  test('may all be used by one batch', () => {
    const scratch = new Scratch(new SharedBytes(8 * MIB));
    expect(faultOf(() => scratch.bytes(8 * MIB))).toBeNull();
    expect(faultOf(() => scratch.integers(1))).toBe(Fault.TEXTS);
    scratch.free();
  });

  test('is freed at once, all of it or one array', () => {
    const shared = new SharedBytes(8 * MIB);
    const scratch = new Scratch(shared);
    const [bytes, integers, others] = [scratch.bytes(3 * MIB), scratch.integers(MIB / 4), scratch.bytes(MIB)];
    scratch.release(bytes);
    expect([bytes.length, integers.length, shared.bytes]).toEqual([0, MIB / 4, 0]);
    scratch.free();
    expect([integers.length, others.length]).toEqual([0, 0]);
  });
});
