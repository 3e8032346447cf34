/** What a sentence says would have passed, passes; what lies beyond it does not. */
import { expect, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import { randomOf, type Row, Source } from './streams.ts';

const ROWS = 200;

/** Numbers of one deviation around a level that wanders, and some rows without one. */
function day(seed: number, number: number, { wander, missing }: Shape): Row[] {
  const random = randomOf(seed * 1000 + number);
  const level = 100 + wander * random.normal();
  return Array.from({ length: ROWS }, (_, i) => ({
    id: i,
    x: random.unit() < missing ? null : level + random.normal(),
  }));
}

interface Shape {
  days: number;
  wander: number;
  missing: number;
}

const shape = fc.record({
  days: fc.integer({ min: 2, max: 20 }),
  wander: fc.constantFrom(0, 0.1, 1, 10),
  missing: fc.constantFrom(0, 0.02, 0.3),
});

type Changed = (rows: readonly Row[], to: number) => Row[];

/** All numbers are moved until their mean is this. */
const withMean: Changed = (rows, to) => {
  const numbers = rows.flatMap(({ x }) => (x === null ? [] : [x as number]));
  const moved = to - numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return rows.map(row => (row.x === null ? row : { ...row, x: (row.x as number) + moved }));
};

/** So many rows have no number. */
const withNulls: Changed = (rows, share) =>
  rows.map((row, i) => ({ ...row, x: i < Math.round(share * ROWS) ? null : (row.x ?? 100) }));

test.each<[string, Changed, number[], number]>([
  // The line is that of as many statistics as are judged of a batch, and a far one has one or two more.
  ['mean', withMean, [-1000, 1200], 0],
  // A row more or less.
  ['null_rate', withNulls, [0.9], 1 / ROWS],
])('the range of %s', (statistic, changed, far, cell) => {
  let compared = 0;
  fc.assert(
    fc.property(fc.nat(1e6), shape, (seed, of) => {
      const source = new Source();
      for (let i = 0; i < of.days; i++) source.judge(day(seed, i, of));
      const next = day(seed, of.days, of);
      const told = (to: number) => {
        const { anomalies = [] } = source.judge(changed(next, to), false);
        return anomalies.find(each => each.field === 'x' && each.statistic === statistic);
      };
      const isAlarm = (to: number) => !['info', undefined].includes(told(to)?.severity);
      for (const to of far) {
        // After a few batches that differ much by chance, even this is usual: once in a thousand shapes.
        const found = told(to);
        if (!found) continue;
        const [low, high] = found.expected!;
        const slack = 0.02 * (high - low) + cell;
        const [edge, out] = to < low ? [low, -slack] : [high, slack];
        if (edge + out > 1 && cell > 0) continue;
        expect([edge, isAlarm(edge - out), isAlarm(edge + out)]).toEqual([edge, false, true]);
        compared++;
      }
    }),
    { numRuns: 12 },
  );
  expect(compared).toBeGreaterThan(5);
});
