/** The memory in which a thread decodes columns. */
import { describe, expect, test } from 'bun:test';
import { Fault } from '../../assembly/abi.ts';
import type { ColumnsError } from '../../src/columns/columns-error.ts';
import { MAX_SCRATCH_BYTES, Scratch, ScratchBytes } from '../../src/columns/scratch.ts';

const MIB = 1024 * 1024;

function faultOf(work: () => unknown): Fault | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as ColumnsError).fault;
  }
}

describe('memory for columns', () => {
  test('is 192 MiB for all that is decoded of a body', () => {
    expect(MAX_SCRATCH_BYTES).toBe(192 * MIB);
    const all = new ScratchBytes(8 * MIB);
    const [one, other] = [new Scratch(all), new Scratch(all)];
    one.bytes(5 * MIB);
    expect(faultOf(() => other.integers((3 * MIB) / 4))).toBeNull();
    expect(faultOf(() => other.bytes(1))).toBe(Fault.TEXTS);
    expect(faultOf(() => other.bytes(Number.NaN))).toBe(Fault.TEXTS);
    expect(all.used).toBe(8 * MIB);
    one.free();
    expect(all.used).toBe(3 * MIB);
    expect(faultOf(() => other.bytes(MIB))).toBeNull();
    other.free();
    expect(all.used).toBe(0);
  });

  test('is freed at once, all of it or one array', () => {
    const all = new ScratchBytes(8 * MIB);
    const scratch = new Scratch(all);
    const [bytes, integers, others] = [scratch.bytes(3 * MIB), scratch.integers(MIB / 4), scratch.bytes(MIB)];
    scratch.release(bytes);
    expect([bytes.length, integers.length, all.used]).toEqual([0, MIB / 4, 2 * MIB]);
    scratch.free();
    expect([integers.length, others.length, all.used]).toEqual([0, 0, 0]);
  });
});
