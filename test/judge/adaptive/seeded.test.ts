/** A history of old files that were screened in a loop, and the files of the days after it. */
import { expect, test } from 'bun:test';
import { Gate } from '../../../bench/accuracy/gate.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';
import { type Row, randomOf } from './streams.ts';

const HOUR_MS = 3_600_000;

function orders(day: number, random: ReturnType<typeof randomOf>): Row[] {
  const begin = Date.UTC(2025, 11, 20 + day);
  return Array.from({ length: 180 + random.below(40) }, (_, i) => ({
    id: 1000 * day + i,
    placed_at: new Date(begin + 24 * HOUR_MS * random.unit()).toISOString(),
    amount: Math.round(100 * Math.exp(3 + 0.5 * random.normal())) / 100,
  }));
}

test.each([1, 60])(
  'old files screened every %p s, then a file a day: none is BLOCK, and the next one passes',
  seconds => {
    const random = randomOf(4);
    const gate = new Gate(ENGINE, 'contract', seconds / 3600, Date.UTC(2026, 0, 3, 6));
    for (let day = 0; day < 14; day++) gate.judge(orders(day, random));
    const verdicts = [14, 15, 16, 17, 18, 19].map(day => {
      gate.wait(24);
      return gate.judge(orders(day, random)).status;
    });
    expect(verdicts[0]).toBe('PASS');
    expect(verdicts).not.toContain('BLOCK');
  },
);
