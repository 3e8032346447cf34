import { expect, test } from 'bun:test';
import type { SourceSettings } from '../../src/dashboard/contract.ts';
import { changedWords } from '../../src/dashboard/settings-words.ts';

const SETTINGS = {
  source: 'orders',
  mode: null,
  thresholds: { null_rate_warn: 0.8 },
  false_alarm_rate: null,
  settle_after: null,
  owner: null,
  tags: null,
  version: 3,
} as SourceSettings;

test.each([
  [{ mode: 'adaptive' }, 'how the source is judged'],
  [{ thresholds: { null_rate_warn: 0.7 }, owner: 'ann' }, 'its thresholds, its owner'],
  [
    { false_alarm_rate: 0.1, settle_after: 3, tags: ['eu'] },
    'its false_alarm_rate, its settle_after, its tags',
  ],
  [{ window: { rows: 10, ms: 1000 } }, 'its window'],
  [{ version: 5 }, 'these settings'],
])('settings that become %j have changed %p', (change, words) => {
  expect(changedWords(SETTINGS, { ...SETTINGS, ...change } as SourceSettings)).toBe(words);
});
