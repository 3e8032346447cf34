/** Columns of CSV whose cells look like numbers in some batches and not in others: clean ones are no alarm, whatever the size of a batch, and real changes are found. */
import { describe, expect, test } from 'bun:test';
import { Gate } from '../../../bench/accuracy/gate.ts';
import type { Report } from '../../../src/report-schema/report.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';
import { type Random, randomOf } from './streams.ts';

type Column = (random: Random) => string;

const oneOf = (random: Random, ...list: string[]): string => list[random.below(list.length)]!;
const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

const CLEAN: Record<string, Column> = {
  'zip codes': random => padded(random.below(100_000), 5),
  'zip codes with four more digits': random =>
    `${padded(random.below(100_000), 5)}${random.unit() < 0.2 ? `-${padded(random.below(10_000), 4)}` : ''}`,
  tickets: random =>
    `${random.unit() < 0.26 ? oneOf(random, 'PC ', 'A/5 ', 'W/C ') : ''}${2000 + random.below(400_000)}`,
  ages: random => {
    const age = 10 + random.below(60);
    return random.unit() < 0.08 ? `${age}-${age + 1}` : String(age);
  },
  'ages with an open end': random => {
    const age = 1 + random.below(99);
    return age >= 85 ? '85+' : String(age);
  },
  sizes: random => oneOf(random, 'S', 'M', 'L', 'XL', '36', '38', '40', '42', '44'),
  'house numbers': random =>
    `${1 + random.below(150)}${random.unit() < 0.25 ? oneOf(random, 'a', 'b', 'c') : ''}`,
  'lines of a subway': random => oneOf(random, 'A-C', '1-2', 'N', '4', '7', 'B-D', 'L', 'G', '2-3'),
  hashes: random =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  versions: random =>
    `${random.below(9)}.${random.below(20)}${random.unit() < 0.5 ? `.${random.below(9)}` : ''}`,
  'numbers without a zero': random => (0.4 * random.normal()).toFixed(2).replace('0.', '.'),
  'numbers and blanks': random => (random.unit() < 0.05 ? ' ' : String(random.below(8))),
};

const DAMAGED: Record<string, Column> = {
  counts: random => String(random.below(5000)),
  amounts: random => (100 * random.unit()).toFixed(2),
  names: random => oneOf(random, 'Ann', 'Bob', 'Carl Smith', 'Dora', 'Eve', 'Hans Meyer'),
  words: () => 'n.v.',
  'marked amounts': random => `n/a ${(100 * random.unit()).toFixed(2)}`,
  'long tickets': random => `${oneOf(random, 'PC ', 'A/5 ')}${2000 + random.below(400_000)}`,
  'some words': random => (random.unit() < 0.5 ? 'n.v.' : String(random.below(5000))),
  'padded counts': random => padded(random.below(5000), 6),
  'decimal commas': random => `"${(100 * random.unit()).toFixed(2).replace('.', ',')}"`,
  ...CLEAN,
};

class Stream {
  readonly #random: Random;
  readonly #gate = new Gate(ENGINE, 'contract');
  readonly #rows: number;
  #id = 1000;

  constructor(seed: number, rows: number) {
    this.#random = randomOf(seed);
    this.#rows = rows;
  }

  next(column: Column): Report {
    const line = () => `${++this.#id},${oneOf(this.#random, 'Rome', 'Oslo', 'Bonn')},${column(this.#random)}`;
    return this.#gate.judgeCsv(['id,city,value', ...Array.from({ length: this.#rows }, line)].join('\n'));
  }
}

test.each([
  [12, 20],
  [30, 15],
  [100, 8],
  [1000, 3],
])('of clean batches of %d rows one in a hundred is WARN at most, and none BLOCK', (rows, batches) => {
  const verdicts: string[] = [];
  for (const [i, column] of Object.values(CLEAN).entries()) {
    const stream = new Stream(100 * rows + i, rows);
    for (let batch = 0; batch < batches; batch++) verdicts.push(stream.next(column).status);
  }
  expect(verdicts.filter(verdict => verdict === 'BLOCK')).toEqual([]);
  expect(verdicts.filter(verdict => verdict === 'WARN').length).toBeLessThanOrEqual(verdicts.length / 100);
});

describe.each([
  [1, 12],
  [5, 100],
])('after %d batches of %d rows', (batches, rows) => {
  function after(before: string, now: string): Report {
    const stream = new Stream(batches, rows);
    for (let batch = 0; batch < batches; batch++) stream.next(DAMAGED[before]!);
    return stream.next(DAMAGED[now]!);
  }
  const changes = ({ drift = [] }: Report): string[] =>
    drift.filter(({ kind }) => kind === 'type_changed').map(({ detail }) => detail);

  test.each([
    ['counts', 'words'],
    ['counts', 'names'],
    ['counts', 'padded counts'],
  ])('%s that become %s have changed their type', (before, now) => {
    const report = after(before, now);
    expect([report.status, changes(report)]).toEqual([
      'BLOCK',
      ["Field 'value' changed from number to string"],
    ]);
  });

  test.each([
    ['names', 'counts'],
    ['names', 'amounts'],
  ])('%s that become %s have changed their type', (before, now) => {
    const report = after(before, now);
    expect([report.status, changes(report)]).toEqual([
      'BLOCK',
      ["Field 'value' changed from string to number"],
    ]);
  });

  test.each([
    ['counts', 'some words'],
    ['amounts', 'decimal commas'],
  ])('%s that become %s are mismatches', (before, now) => {
    const report = after(before, now);
    expect([report.status, report.issues?.type_mismatches?.value?.expected]).toEqual(['BLOCK', 'number']);
  });

  test.each([
    ['padded counts', 'counts'],
    ['zip codes', 'names'],
  ])('%s that become %s are unusual texts', (before, now) => {
    const report = after(before, now);
    expect(report.status).not.toBe('PASS');
    expect(report.issues?.type_mismatches).toBeUndefined();
  });
});

describe('in a first batch of 1,000 rows', () => {
  /** `isText`: by row. */
  function first(number: Column, text: Column, isText: (row: number) => boolean): Report {
    let row = -1;
    return new Stream(1, 1000).next(random => (isText(++row) ? text : number)(random));
  }

  test.each([
    ['amounts', 'names', (row: number) => row >= 300],
    ['amounts', 'words', (row: number) => row < 520],
    ['counts', 'words', (row: number) => row >= 200 && row < 900],
    ['amounts', 'marked amounts', (row: number) => row >= 450],
  ])('%s that turn to %s are mismatches', (before, now, isText) => {
    const { status, issues } = first(DAMAGED[before]!, DAMAGED[now]!, isText);
    expect([status, issues?.type_mismatches?.value]).toEqual(['BLOCK', expect.anything()]);
  });

  const names = DAMAGED.names!;
  test.each([
    ['names among counts', DAMAGED.counts!, names, (row: number) => row % 3 > 0],
    ['in two runs', DAMAGED.counts!, names, (row: number) => row % 500 > 200],
    ['49 numbers', DAMAGED.counts!, names, (row: number) => row >= 49],
    ['codes in order', DAMAGED.counts!, DAMAGED['long tickets']!, (row: number) => row >= 450],
  ])('texts are no mismatches: %s', (_, number, text, isText) => {
    const { status, schema } = first(number, text, isText);
    expect([status, schema.value!.type]).toEqual(['PASS', 'string']);
  });
});

test('once a column holds codes, its type is string, in batches without one too', () => {
  const stream = new Stream(1, 12);
  expect(stream.next(DAMAGED.counts!).schema.value!.type).toBe('number');
  expect(stream.next(DAMAGED['zip codes']!).schema.value!.type).toBe('string');
  const { status, schema, issues } = stream.next(random => String(90_000 + random.below(6000)));
  expect([schema.value!.type, issues?.type_mismatches]).toEqual(['string', undefined]);
  expect(status).not.toBe('BLOCK');
});
