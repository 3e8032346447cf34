/** One trait stands in three lists, which are copied from one to the next by their order. */
import { expect, test } from 'bun:test';
import { Column } from '../../assembly/abi.ts';
import { FIRST_TRAIT, Statistic } from '../../src/baseline/statistics.ts';
import { Trait } from '../../src/profile/profile.ts';

type Places = Record<string, string | number>;

/** Names and their places behind that of `first`. */
const placesFrom = (list: object, first: number): [string, number][] =>
  Object.entries(list as Places).flatMap(([name, place]): [string, number][] =>
    typeof place === 'number' && place >= first && name !== 'LENGTH' ? [[name, place - first]] : [],
  );

const TRAITS = placesFrom(Trait, 0);

test("a trait has the place that it has in the engine's record; true values are counted before it", () => {
  expect(placesFrom(Column, Column.CONTENT)).toEqual(TRAITS.filter(([name]) => name !== 'TRUES'));
});

test('a statistic is kept where its trait is; a deviation takes the place of the squares, and fresh values come last', () => {
  const kept = TRAITS.map(([name, place]) => [name === 'LENGTH_M2' ? 'LENGTH_DEVIATION' : name, place]);
  expect(placesFrom(Statistic, FIRST_TRAIT)).toEqual([
    ...(kept as [string, number][]),
    ['FRESH', Trait.LENGTH],
  ]);
});
