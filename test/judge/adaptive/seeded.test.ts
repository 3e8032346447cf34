/** A history of old files that were screened in a loop, and the files that come after it at their time. */
import { expect, test } from 'bun:test';
import { Gate } from '../../../bench/accuracy/gate.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';
import { type Row, randomOf } from './streams.ts';

const HOUR_MS = 3_600_000;
const BEGIN = Date.UTC(2026, 0, 3, 6);
const OLD = 14;

/** Of the hours until the file comes, on time or `hoursLate`. */
function orders(file: number, hours: number, random: ReturnType<typeof randomOf>, hoursLate = 0): Row[] {
  const begin = BEGIN + (file - OLD) * hours * HOUR_MS;
  return Array.from({ length: 180 + random.below(40) }, (_, i) => ({
    id: 1000 * file + i,
    placed_at: new Date(begin + (hours * random.unit() - hoursLate) * HOUR_MS).toISOString(),
    amount: Math.round(100 * Math.exp(3 + 0.5 * random.normal())) / 100,
  }));
}

const AFTER = Array.from({ length: 8 }, (_, i) => OLD + i);

test.each([
  ['a second', 1, 'day', 24],
  ['a minute', 60, 'day', 24],
  ['four minutes', 257, 'week', 168],
  ['an hour', 3600, 'day', 24],
])(
  'old files screened %s apart (%p s), then one a %s: all pass, and one that comes late is found',
  (_, seconds, __, hours) => {
    const random = randomOf(4);
    const gate = new Gate(ENGINE, 'contract', seconds / 3600, BEGIN);
    for (let file = 0; file < OLD; file++) gate.judge(orders(file, hours, random));
    const verdicts = AFTER.map(file => {
      gate.wait(hours);
      return gate.judge(orders(file, hours, random)).status;
    });
    expect(verdicts).toEqual(AFTER.map(() => 'PASS'));
    gate.wait(hours);
    const { anomalies } = gate.judge(orders(OLD + 8, hours, random, 2 * hours));
    expect(anomalies).toContainEqual(expect.objectContaining({ field: 'placed_at', statistic: 'date_age' }));
  },
);

test('after the clock was set back by weeks, a column that grows passes as before', () => {
  const random = randomOf(5);
  const gate = new Gate(ENGINE, 'contract', 1, BEGIN);
  const numbered = (file: number) => orders(file, 1, random).map(({ placed_at: _, ...row }) => row);
  for (let file = 0; file < OLD; file++) gate.judge(numbered(file));
  gate.wait(-40 * 24);
  expect(AFTER.slice(0, 4).map(file => gate.judge(numbered(file)).status)).toEqual(Array(4).fill('PASS'));
});
