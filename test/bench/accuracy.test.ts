/** A tiny run: that it works and that its figures are figures; and what they are made by. */
import { describe, expect, test } from 'bun:test';
import { DAMAGES } from '../../bench/accuracy/damage.ts';
import { accuracyOf, areaUnder, type Scored } from '../../bench/accuracy/scores.ts';
import { SOURCES } from '../../bench/accuracy/sources.ts';
import { benchAccuracy } from '../../bench/accuracy.ts';
import { Random } from '../../bench/random.ts';

test('the accuracy bench separates damaged batches from clean ones better than chance', async () => {
  const sources = SOURCES.filter(({ name }) => name === 'orders' || name === 'freight');
  const damages = DAMAGES.filter(({ name }) => ['nulls_50', 'times_1000_100', 'dropped'].includes(name));
  const effort = { history: 6, positions: 2, cleanPositions: 3, batches: 12, sources, damages };
  const { looked_at, left_out, probes, recall, ...more } = await benchAccuracy(7, effort);
  expect(probes).toBeGreaterThan(20);
  for (const figures of [looked_at, left_out]) {
    expect(Object.keys(figures)).toEqual(['adaptive', 'contract', 'three_sigma', 'last_batch']);
    expect(figures.adaptive!.auc).toBeGreaterThan(0.9);
    expect(figures.adaptive!.walk.batches).toBe(9);
  }
  expect(Object.keys(recall)).toEqual(damages.map(({ name }) => name));
  expect(Object.keys(more.sources)).toEqual(['orders', 'freight']);
});

describe('damage', () => {
  const batches = SOURCES[0]!.batches(5, 10);
  const clean = batches.at(-1)!;

  test.each(DAMAGES.map(damage => [damage.name, damage] as const))(
    '%s changes the batch, the same for the same seed',
    (_, damage) => {
      const damaged = damage.apply(clean, batches.slice(0, -1), new Random(3))!;
      expect(damaged.rows).not.toEqual([...clean]);
      expect(damaged.touched.length).toBeGreaterThan(0);
      expect(damage.apply(clean, batches.slice(0, -1), new Random(3))).toEqual(damaged);
    },
  );
});

describe('scores', () => {
  const of = (damage: string | null, score: number, level: number): Scored => ({
    source: 's',
    damage,
    score,
    level,
    named: null,
  });
  const clean = [of(null, 0, 0), of(null, 0.1, 0), of(null, 0.3, 1), of(null, 0.1, 0)];
  const bad = [of('x', 0.5, 2), of('x', 0.1, 0)];

  test('a tie counts half', () => {
    expect(areaUnder(clean, bad)).toBe((4 + 1 + 0.5 + 0.5) / 8);
  });

  test('each rate is a share of its own kind, and precision assumes as many bad as clean batches', () => {
    const accuracy = accuracyOf([...clean, ...bad]);
    expect(accuracy).toMatchObject({ recall: 0.5, clean_warn: 25, clean_block: 0, recall_at_1: 0.5 });
    expect(accuracy.f1).toBeCloseTo((2 * (0.5 / 0.75) * 0.5) / (0.5 / 0.75 + 0.5), 10);
  });
});
