import { describe, expect, test } from 'bun:test';
import { advise } from '../../src/judge/advice.ts';
import {
  type Cause,
  causesOf,
  isOver,
  type BlockedRun,
  type KeptRun,
  runOf,
} from '../../src/judge/blocked-run.ts';
import { THRESHOLDS } from '../../src/terms/policy.ts';
import { assessed, baselineOf, judged } from './batch.ts';

const BATCH = {
  ...{ at: 0, chunk: false, verdict: 'PASS' as const, health: 1, rows: 1, duplicateRows: 0 },
  ...{ places: new Map(), numbers: new Float32Array(), brief: new Float32Array() },
};

const kept = ({ causes, ...rest }: BlockedRun): KeptRun => ({ ...rest, causes: JSON.stringify(causes) });
const of = (...fields: string[]): Cause[] => fields.map(field => ({ field }));

describe('causes', () => {
  test('are the fields that block, with their rates, and not those that warn', () => {
    const before = baselineOf(Array.from({ length: 50 }, (_, id) => ({ id, a: 1, b: 'x', c: id })));
    const rows = Array.from({ length: 50 }, (_, id) => ({
      id,
      a: id % 10 ? null : 1,
      b: id % 2 ? null : 'x',
      c: 'y',
    }));
    const causes = causesOf(assessed(rows, before).findings);
    expect(causes).toEqual([
      { field: 'a', null_rate: 0.9 },
      { field: 'c', type_mismatch: 1 },
    ]);
  });

  test('of a batch that health alone blocks are all its findings', () => {
    const rows = Array.from({ length: 20 }, (_, id) => ({ a: id % 2 ? null : 1, b: id % 2 ? 1 : null }));
    const options = { thresholds: { health_warn: 0.99, health_block: 0.98 } };
    expect(judged(rows, null, options).status).toBe('BLOCK');
    expect(causesOf(assessed(rows, null, options).findings).map(({ field }) => field)).toEqual(['a', 'b']);
  });

  test('of hostile names are few and short, and none is lost to a prototype', () => {
    const row = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}${'n'.repeat(500)}`, null]));
    const causes = causesOf(assessed([row]).findings);
    expect(causes.length).toBe(16);
    expect(causesOf(assessed([JSON.parse('{"__proto__":null}')]).findings)).toEqual([
      { field: '__proto__', null_rate: 1 },
    ]);
    expect(JSON.stringify(causes).length).toBeLessThan(3000);
  });
});

describe('a run', () => {
  test('goes on with a field that goes on, and keeps its highest rate', () => {
    const first = runOf('r1', [{ field: 'a', null_rate: 0.8 }, { field: 'b' }], null, null);
    expect(first).toMatchObject({ since: 'r1', last: 'r1', batches: 1 });
    const second = runOf('r2', [{ field: 'a', null_rate: 0.75 }], kept(first), null);
    expect(second).toEqual({ since: 'r1', last: 'r2', batches: 2, causes: [{ field: 'a', null_rate: 0.8 }] });
    expect(runOf('r3', of('b'), kept(second), null)).toMatchObject({ since: 'r3', batches: 1 });
    expect(runOf('r3', of('c', 'a'), kept(second), null)).toMatchObject({ since: 'r1', batches: 3 });
  });

  test('is over once a later batch was learned, but not by an earlier one, nor by what is provisional', () => {
    const run = kept(runOf('r5', of('a'), null, null));
    const learned = (id: string, provisional = false) =>
      baselineOf([{ a: 1 }], { provisional, recent: [{ ...BATCH, id }] });
    expect(isOver(run, null)).toBe(false);
    expect(isOver(run, learned('r4'))).toBe(false);
    expect(isOver(run, learned('r6'))).toBe(true);
    expect(isOver(run, learned('r6', true))).toBe(false);
  });
});

describe('advice', () => {
  const run = (batches: number, causes: Cause[]): BlockedRun => ({
    since: 'r1',
    last: 'r9',
    batches,
    causes,
  });

  test('needs a third batch, lies above the highest rate, and never above 1', () => {
    const causes = [{ field: 'a', null_rate: 0.75 }];
    expect(advise(['a'], null, run(2, causes), THRESHOLDS)).toEqual([]);
    const [first, second] = advise(['a'], null, run(3, causes), THRESHOLDS);
    expect(first).toMatchObject({
      fields: ['a'],
      set: { thresholds: { null_rate_warn: 0.8, null_rate_block: 0.9 } },
    });
    expect(first!.detail).toContain("75% of 'a'");
    expect(second).toMatchObject({ fields: ['a'], set: { mode: 'adaptive' } });
    expect(advise(['b'], null, run(3, causes), THRESHOLDS)).toEqual([]);
    const all = advise(['a'], null, run(3, [{ field: 'a', null_rate: 1 }]), THRESHOLDS);
    expect(all[0]!.set.thresholds).toEqual({ null_rate_warn: 1, null_rate_block: 1 });
  });

  test('is one for all fields that cross the same threshold: the highest decides, and a looser block line stays', () => {
    const causes = [
      { field: 'a', type_mismatch: 0.1 },
      { field: 'b', type_mismatch: 0.3 },
    ];
    const [first] = advise(['a', 'b'], null, run(5, causes), { ...THRESHOLDS, type_mismatch_block: 0.9 });
    expect(first).toMatchObject({
      fields: ['a', 'b'],
      set: { thresholds: { type_mismatch_warn: 0.35, type_mismatch_block: 0.9 } },
    });
    expect(first!.detail).toContain("'b' and 1 more");
  });
});
