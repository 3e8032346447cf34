import { describe, expect, test } from 'bun:test';
import { Gate } from '../../../bench/accuracy/gate.ts';
import { ENGINE as engine } from '../../engine/screen-bytes.ts';
import type { Baseline } from '../../../src/baseline/baseline.ts';
import { FIT_EVERY, SETTLE_AFTER } from '../../../src/terms/policy.ts';
import { fitHistory, fitPart, type History } from '../../../src/rules/learned/history.ts';
import { shopDay } from '../../judge/adaptive/streams.ts';
import { saidOf } from './said-of.ts';

const HISTORY = 32;

/** The baselines after each of so many days; `damaged`: days with negative quantities, which are WARN. */
function baselinesOf(days: number, damaged: readonly number[] = []): Baseline[] {
  const gate = new Gate(engine, 'adaptive');
  return Array.from({ length: days }, (_, day) => {
    const rows = shopDay(1, day);
    gate.judge(
      damaged.includes(day) ? rows.map((row, i) => (i % 5 > 0 ? row : { ...row, quantity: -1 })) : rows,
    );
    return gate.baseline!;
  });
}

const next = (baseline: Baseline, before?: History): History => fitHistory(baseline, SETTLE_AFTER, before);

describe('a history', () => {
  test.each([
    ['calm', []],
    ['with an alarm', [41]],
  ])('that is moved on batch by batch, %s, is the one that the baseline alone gives', (_, damaged) => {
    const baselines = baselinesOf(HISTORY + 2 * FIT_EVERY + 3, damaged);
    let before: History | undefined;
    for (const baseline of baselines.slice(HISTORY - 3)) {
      before = next(baseline, before);
      expect(saidOf(before)).toEqual(saidOf(fitHistory(baseline)));
    }
  });

  test('of 32 batches is fitted once in eight', () => {
    const fitted = new Set<number>();
    let before: History | undefined;
    for (const baseline of baselinesOf(HISTORY + 2 * FIT_EVERY).slice(HISTORY - 1)) {
      before = next(baseline, before);
      if (before.newer === 0) fitted.add(baseline.batches);
    }
    expect([...fitted]).toEqual([HISTORY, HISTORY + FIT_EVERY, HISTORY + 2 * FIT_EVERY]);
  });

  test('is not fitted again after a fold, which makes new objects of the same batches', () => {
    const baseline = baselinesOf(HISTORY + FIT_EVERY).at(-1)!;
    const before = next(baseline);
    const folded = { ...baseline, recent: structuredClone(baseline.recent) };
    expect(next(folded, before).fields).toBe(before.fields);
    folded.recent[5]!.numbers[7]! += 1;
    expect(next(folded, before).fields).not.toBe(before.fields);
    const accepted = baseline.recent.with(5, { ...baseline.recent[5]!, accepted: true });
    expect(next({ ...baseline, recent: accepted }, before).fields).not.toBe(before.fields);
  });

  test('fits anew a field that strayed in an alarm, as that field alone is fitted, and moves on the others', () => {
    const baselines = baselinesOf(HISTORY + 5, [HISTORY + 2]);
    const [before, alarmed, after] = baselines.slice(-4);
    expect(alarmed!.recent.at(-1)!.verdict).toBe('WARN');
    const strayed = ({ fields }: History) => fields.filter(each => each.hasStrayed).map(({ field }) => field);
    expect(strayed(next(before!))).toEqual([]);
    const history = next(after!, next(alarmed!, next(before!)));
    expect([history.newer, strayed(history)]).toEqual([4, ['quantity']]);
    const quantity = history.fields.find(({ field }) => field === 'quantity')!;
    const alone = fitPart(after!, 'quantity', SETTLE_AFTER);
    const said = (fields: History['fields']) => saidOf({ ...history, fields }).forecasts;
    expect(said([quantity])).toEqual(said([alone]));
  });

  test('knows a field that came with an alarm', () => {
    const gate = new Gate(engine, 'adaptive');

    for (let day = 0; day < HISTORY + 3; day++) {
      const rows = shopDay(1, day);
      const { status } = gate.judge(day < HISTORY + 1 ? rows : rows.map(row => ({ ...row, extra: 1 })));
      if (day === HISTORY + 1) expect(status).toBe('WARN');
    }
    expect(next(gate.baseline!).fields.map(({ field }) => field)).toContain('extra');
  });

  test('is moved on by several batches at once, but not from one with other batches or another setting', () => {
    const [first, , third] = baselinesOf(HISTORY + 4).slice(-3);
    const moved = next(third!, next(first!));
    expect(saidOf(moved)).toEqual(saidOf(fitHistory(third!)));
    const other = baselinesOf(HISTORY + 4, [2]).at(-3)!;
    expect(saidOf(next(third!, next(other)))).toEqual(saidOf(moved));
    const never = fitHistory(first!, Number.POSITIVE_INFINITY);
    expect(next(third!, never).settleAfter).toBe(SETTLE_AFTER);
  });
});
