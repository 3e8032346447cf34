/** A batch of which a part is missing: what shows it, and what is usual. */
import { expect, test } from 'bun:test';
import { type Row, randomOf, Source } from './streams.ts';

const HOUR = 3_600_000;
const WIDE = Array.from({ length: 40 }, (_, i) => `f${i}`);

/** About 90 rows of a day that begins at `begin`, in the order of time; their number differs by a third. */
function dayFrom(begin: number, hours: number, random: ReturnType<typeof randomOf>): Row[] {
  const size = Math.round(90 * Math.exp(0.3 * random.normal()));
  return Array.from({ length: size }, () => begin + hours * HOUR * random.unit())
    .sort((a, b) => a - b)
    .map(at => ({
      at: new Date(at).toISOString(),
      amount: Math.round(100 * Math.exp(3 + 0.8 * random.normal())) / 100,
      state: ['open', 'paid', 'sent'][random.below(3)],
    }));
}

test('half of the rows are missed among hundreds of statistics, where volumes differ by a tenth', () => {
  const random = randomOf(1);
  const batch = (size: number): Row[] =>
    Array.from({ length: size }, () => Object.fromEntries(WIDE.map(name => [name, random.below(1000)])));
  const source = new Source();
  for (let i = 0; i < 14; i++) source.judge(batch(Math.round(100 * Math.exp(0.12 * random.normal()))));
  expect(source.judge(batch(90), false).status).toBe('PASS');
  const { status, anomalies } = source.judge(batch(48), false);
  expect(status).toBe('WARN');
  expect(anomalies).toMatchObject([{ field: '*', statistic: 'row_count', observed: 48 }]);
});

test.each([
  ['first', 0],
  ['second', 1],
])(
  'the %s half of a day is a day too short, whenever the file comes and however many rows days have',
  (_, part) => {
    const random = randomOf(2);
    const source = new Source();
    const begin = (day: number): number => Date.UTC(2025, 11, 31) + (24 * day + 8 * random.unit()) * HOUR;
    for (let day = 0; day < 24; day++) source.judge(dayFrom(begin(day), 24, random));
    const rows = dayFrom(begin(24), 24, random);
    expect(source.judge(rows, false).status).toBe('PASS');
    const half = rows.slice(...(part ? [rows.length >> 1] : [0, rows.length >> 1]));
    const { status, anomalies } = source.judge(half, false);
    expect(status).toBe('WARN');
    expect(anomalies!.map(({ statistic }) => statistic)).toContain('date_range');
  },
);

test('a file of two days passes behind a day without a file', () => {
  const random = randomOf(3);
  const source = new Source();
  const begin = (day: number): number => Date.UTC(2025, 11, 31) + 24 * day * HOUR;
  for (let day = 0; day < 24; day++) source.judge(dayFrom(begin(day), 24, random));
  expect(source.judge(dayFrom(begin(23), 48, random), false).status).toBe('PASS');
});

test('a fifth of the rows missing here and there leaves gaps in a sequence, however many rows days have', () => {
  const random = randomOf(31);
  let next = 5_000_000_000;
  // One number in fifty was never given.
  const day = (): Row[] =>
    Array.from({ length: Math.round(100 * Math.exp(0.5 * random.normal())) }, () => {
      next += random.unit() < 0.02 ? 2 : 1;
      return { id: next, price: random.normal() };
    });
  const source = new Source();
  for (let i = 0; i < 20; i++) source.judge(day());
  expect(source.judge(day(), false).status).toBe('PASS');
  const { status, anomalies } = source.judge(
    day().filter(() => random.unit() < 0.8),
    false,
  );
  expect(status).toBe('WARN');
  expect(anomalies).toMatchObject([{ field: 'id', statistic: 'sequence_completeness' }]);
});
