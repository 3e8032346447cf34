/** What is held of fits: so much, the newest of each source, and nothing of a source that was reset. */
import { expect, test } from 'bun:test';
import type { Baseline } from '../../src/baseline/baseline.ts';
import { BaselineCache } from '../../src/baseline/baseline-cache.ts';
import { FittedCache, type Fitter, MAX_SIZE, SIZE_BYTES } from '../../src/baseline/fitted-cache.ts';
import { CooperativeYield } from '../../src/cooperative-yield.ts';
import { fitHistory, HISTORY_FITTER } from '../../src/rules/learned/history.ts';
import { WIDTH } from '../../src/statistics/registry.ts';
import { EmbeddedBaselines } from '../../src/stores/embedded.ts';
import { batchState, idOf, numberField } from './batches.ts';

interface Fit {
  /** What was held of the source. */
  before: Fit | undefined;
}

const fitter = (size: number): Fitter<Fit> => ({
  // biome-ignore lint/correctness/useYield: nothing to pause in
  *fit(_baseline, _settleAfter, before) {
    return { before };
  },
  isFor: () => true,
  sizeOf: () => size,
});

async function learned(count: number, fields: number): Promise<Baseline> {
  const cache = new BaselineCache(new EmbeddedBaselines(':memory:'));
  const all = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`f${i}`, numberField([i, 1, 2])]));
  for (let i = 0; i < count; i++) await cache.learn('acc', 'orders', batchState(idOf(i), 3, all));
  return (await cache.load('acc', 'orders'))!;
}

test('fits are held up to the limit, and one more makes the oldest go', async () => {
  const cache = new FittedCache(fitter(MAX_SIZE / 4));
  const baselines = await Promise.all(Array.from({ length: 5 }, () => learned(1, 1)));
  const fit = (i: number, baseline = baselines[i]!) => cache.of(`s${i}`, baseline, new CooperativeYield(), 5);
  const first = await fit(0);
  for (const i of [1, 2, 3]) await fit(i);
  expect(await fit(0)).toBe(first);
  await fit(4);
  expect(cache.sources()).toEqual(['s1', 's2', 's3', 's4']);
  expect(await fit(0)).not.toBe(first);
});

test('the size of a history counts its statistics and its batches', async () => {
  const [few, many] = [fitHistory(await learned(8, 3)), fitHistory(await learned(16, 3))];
  for (const history of [few, many])
    expect(HISTORY_FITTER.sizeOf(history)).toBe(
      history.tests + Math.ceil((history.batches.length * 3 * WIDTH * 4) / SIZE_BYTES),
    );
  expect(many.batches.length - few.batches.length).toBe(8);
});

test.each([
  ['a source', 'orders'],
  ['an account', undefined],
])(
  'after a reset of %s nothing is held of its fits, whether its baseline is held or not',
  async (_, reset) => {
    for (const maxBytes of [0, undefined]) {
      const cache = new BaselineCache(new EmbeddedBaselines(':memory:'), {
        fitter: fitter(1),
        ...(maxBytes !== undefined && { maxBytes }),
      });
      const fitNext = async (account: string, i: number) => {
        await cache.learn(account, 'orders', batchState(idOf(i), 3, { x: numberField([i, 1, 2]) }));
        return cache.historyOf(account, 'orders', (await cache.load(account, 'orders'))!, 5);
      };
      for (const account of ['acc', 'other']) await fitNext(account, 1);
      expect((await fitNext('acc', 2)).before).toBeDefined();
      await cache.reset('acc', reset);
      expect((await fitNext('acc', 3)).before).toBeUndefined();
      expect((await fitNext('other', 2)).before).toBeDefined();
    }
  },
);
