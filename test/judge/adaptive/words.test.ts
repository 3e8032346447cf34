import { expect, test } from 'bun:test';
import { FIELD_MEASURES, PAIR_MEASURES } from '../../../src/judge/adaptive/measures.ts';
import { wordsFor } from '../../../src/judge/adaptive/words.ts';

test('no statistic is told by the name that programs have for it, and no two by the same', () => {
  const names = new Set([...FIELD_MEASURES, ...PAIR_MEASURES].map(({ name }) => name));
  const words = [...names].map(wordsFor);
  expect(words.filter(each => /_|\b(share|mix|rate)$/.test(each))).toEqual([]);
  expect(new Set(words).size).toBe(names.size);
});
