/** What is held of fits: so much, and the newest of each source. */
import { expect, test } from 'bun:test';
import type { Baseline } from '../../src/baseline/baseline.ts';
import { FittedCache, type Fitter, SIZE_BYTES } from '../../src/baseline/fitted-cache.ts';
import { mergeStates } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import { fitHistory, HISTORY_FITTER } from '../../src/rules/learned/history.ts';
import { WIDTH } from '../../src/statistics/registry.ts';
import { batchState, idOf, numberField } from './batches.ts';

interface Fit {
  /** What was held of the source. */
  before: Fit | undefined;
}

const FITTER: Fitter<Fit> = {
  fit: (_baseline, _settleAfter, before) => ({ before }),
  isFor: () => true,
  sizeOf: () => 1,
};

function learned(count: number, fields: number): Baseline {
  const all = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`f${i}`, numberField([i, 1, 2])]));
  const states = Array.from({ length: count }, (_, i) => batchState(idOf(i), 3, all));
  return baselineOf({ record: mergeStates(EMPTY_RECORD, states), provisional: false });
}

test('fits are held up to the limit, and one more makes the oldest go', () => {
  const cache = new FittedCache(FITTER, 4);
  const baselines = Array.from({ length: 5 }, () => learned(1, 1));
  const fit = (i: number) => cache.of(`s${i}`, baselines[i]!, 5);
  const first = fit(0);
  for (const i of [1, 2, 3]) fit(i);
  expect(fit(0)).toBe(first);
  const second = fit(1);
  fit(4);
  expect(fit(1)).toBe(second);
  expect(fit(0)).not.toBe(first);
});

test('a fit follows from the one before of the same source', () => {
  const cache = new FittedCache(FITTER);
  const first = cache.of('a', learned(1, 1), 5);
  expect(cache.of('a', learned(2, 1), 5).before).toBe(first);
  expect(cache.of('b', learned(2, 1), 5).before).toBeUndefined();
});

test('the size of a history counts its statistics and its batches', () => {
  const [few, many] = [fitHistory(learned(8, 3)), fitHistory(learned(16, 3))];
  for (const history of [few, many])
    expect(HISTORY_FITTER.sizeOf(history)).toBe(
      history.tests + Math.ceil((history.batches.length * 3 * WIDTH * 4) / SIZE_BYTES),
    );
  expect(many.batches.length - few.batches.length).toBe(8);
});
