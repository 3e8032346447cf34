/** Columns that count: their level goes on, and how far they reach follows from the number of rows. */
import { expect, test } from 'bun:test';
import { Gate } from '../../../bench/accuracy/gate.ts';
import type { Report } from '../../../src/report-schema/report.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';
import { type Random, randomOf, type Row } from './streams.ts';

/** Consecutive numbers, and a price. */
class Counter {
  readonly #gate = new Gate(ENGINE, 'contract');
  readonly #random: Random = randomOf(7);
  #next: number;

  constructor(
    first: number,
    readonly step: number,
  ) {
    this.#next = first;
  }

  /** `factor`: of the unit. */
  batch(rows: number, factor = 1): Report {
    const row = (): Row => {
      this.#next += this.step;
      return {
        count: this.#next * factor,
        price: Math.round(100 * Math.exp(3 + 0.5 * this.#random.normal())) / 100,
      };
    };
    return this.#gate.judge(Array.from({ length: rows }, row));
  }

  skip(rows: number): void {
    this.#next += rows * this.step;
  }
}

const causes = ({ anomalies = [] }: Report): string[] =>
  anomalies
    .filter(({ severity }) => severity !== 'info')
    .map(({ field, statistic }) => `${field} ${statistic}`);

test.each([
  [1, 1000, 'WARN'],
  [2, 1000, 'WARN'],
  [3, 1000, 'BLOCK'],
  [4, 1000, 'BLOCK'],
  [5, 1000, 'BLOCK'],
  [3, 1 / 1000, 'BLOCK'],
  [5, 1 / 1000, 'BLOCK'],
])('after %d batches of a counter, another unit (times %d) is %s', (batches, factor, verdict) => {
  const times = new Counter(1_772_323_200_000, 432_000);
  for (let batch = 0; batch < batches; batch++) expect(times.batch(200).status).toBe('PASS');
  const report = times.batch(200, factor);
  expect([report.status, causes(report)[0]]).toEqual([verdict, 'count mean']);
});

test('a counter that begins at 1 and goes on, with a gap or without one, is no alarm', () => {
  const ids = new Counter(0, 1);
  for (const [rows, gap] of [
    [200, 0],
    [210, 300],
    [190, 0],
    [205, 500],
    [200, 0],
    [195, 100],
  ] as const) {
    ids.skip(gap);
    expect(ids.batch(rows).status).toBe('PASS');
  }
});

test('a batch of few rows is a WARN for its rows, not for how far its counter reaches', () => {
  const ids = new Counter(0, 1);
  for (let batch = 0; batch < 20; batch++) ids.batch(230 + ((batch * 37) % 60));
  const few = ids.batch(25);
  expect([few.status, causes(few)]).toEqual(['WARN', ['* row_count']]);
});

test('a counter that reaches farther in as many rows is unusual', () => {
  const ids = new Counter(0, 1);
  for (let batch = 0; batch < 20; batch++) ids.batch(230 + ((batch * 37) % 60));
  const wide = ids.batch(250, 40);
  expect(causes(wide)).toContain('count standard_deviation');
});
