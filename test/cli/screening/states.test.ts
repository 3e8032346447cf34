/** The states of the parts of a batch, judged as one batch: the answer is that of the same rows in one file, whatever the parts. */
import { afterAll, describe, expect, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import { MAX_ROWS } from '../../../assembly/abi.ts';
import { type Local, openLocal } from '../../../src/cli/screening/local.ts';
import { copiedMemory, type Memory, memoryIn } from '../../../src/cli/screening/local-store.ts';
import { measuredPart } from '../../../src/cli/screening/measured-part.ts';
import type { JsonObject } from '../../../src/cli/screening/named-batch.ts';
import { renumbered } from './renumber.ts';
import { resultsOf } from '../../../src/cli/screening/results.ts';
import { statesResult } from '../../../src/cli/screening/whole-states.ts';
import { mergedStates, writeState } from '../../../src/cli/states/state-file.ts';
import { Terminal } from '../../../src/cli/terminal.ts';
import type { Report } from '../../../src/report-schema/report.ts';
import { READING } from '../quiet-reading.ts';
import { Folder } from '../sluice.ts';

const terminal = new Terminal({ noColour: true });
terminal.tell = () => {};
const folder = new Folder();
afterAll(() => folder.remove());

/** From 0 to 1, repeatable. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const HEADER = 'id,amount,region,code,note,kind,size';
const TOWNS = ['north', 'south', 'east', 'west'];
/** Of a day; sorted by region. */
function linesOf(count: number, seed: number): string[] {
  const next = uniform(seed);
  return Array.from({ length: count }, (_, i) => {
    const amount = (50 + 10 * (next() + next() + next())).toFixed(2);
    const code = next() < 0.05 ? 'NA' : Math.floor(next() * 90);
    const rest = `${next() < 0.1 ? '' : 'a note'},${'abc'[Math.floor(next() * 3)]},${5 * Math.floor(next() * 20)}`;
    return `${seed}-${i},${amount},${TOWNS[Math.floor((4 * i) / count)]},${code},${rest}`;
  });
}

const RULES = { fields: { id: { unique: true }, amount: { maximum: 90 } }, rows: { min: 20_000 } };
const ROWS = 3 * MAX_ROWS + 2000;
const TODAY = linesOf(ROWS, 77);
const cells = (line: string, place: number, cell: string): string =>
  line.split(',').with(place, cell).join(',');
type Damage = (line: string, i: number) => string;
const DAMAGE: Record<string, [Report['status'], Damage]> = {
  nothing: ['PASS', line => line],
  'texts from row 15,000 on': ['BLOCK', (line, i) => (i < 15_000 ? line : cells(line, 1, 'n.v.'))],
  'nulls in a stretch': ['WARN', (line, i) => (i > 12_000 && i < 17_000 ? cells(line, 4, '') : line)],
  'the same rows again': ['BLOCK', (line, i) => (i < 21_000 ? line : TODAY[i - 21_000]!)],
  'an id again, far away': ['BLOCK', (line, i) => (i === 31_000 ? cells(line, 0, '77-5') : line)],
  'a new region': ['WARN', (line, i) => (i % 301 === 17 ? cells(line, 2, 'centre') : line)],
  'another unit from row 20,000 on': [
    'BLOCK',
    (line, i) => (i < 20_000 ? line : cells(line, 1, `${100 * i}`)),
  ],
  'rows with too many cells': ['PASS', (line, i) => (i % 9001 === 5000 ? `${line},more` : line)],
  'codes that are NA in a part': [
    'WARN',
    (line, i) => (i >= 10_000 && i < 20_000 ? cells(line, 3, 'NA') : line),
  ],
  'the header again': ['WARN', (line, i) => (i === 25_000 ? HEADER : line)],
};

const LEARNED = folder.at('learned.sqlite');
const learned = (async () => {
  const memory = memoryIn(LEARNED);
  const local = await openLocal(memory);
  for (const seed of [11, 12, 13, 14]) {
    const file = await folder.write(`day ${seed}.csv`, `${HEADER}\n${linesOf(ROWS, seed).join('\n')}\n`);
    for await (const { report } of resultsOf(file, READING, { source: 's', options: {} }, local, terminal))
      expect(report.status).toBe('PASS');
  }
  memory.close();
})();

/** With a copy of what was learned of four days. */
async function withPast<Result>(
  use: (opened: { local: Local; memory: Memory }) => Promise<Result>,
): Promise<Result> {
  await learned;
  const memory = copiedMemory(LEARNED);
  try {
    return await use({ local: await openLocal(memory), memory });
  } finally {
    memory.close();
  }
}

const same = ({ request_id: _, batch_id, timestamp, latency_ms, ...report }: Report) => report;

/** As rows of a batch of several texts are numbered: from 0. */
function byIndex(report: Report): Report {
  if (report.stats.row_numbers !== 'line') return report;
  const indexes = renumbered(report, line => line - 2);
  const text = JSON.stringify({ ...indexes, stats: { ...report.stats, row_numbers: 'index' } });
  const moved = text.replace(
    /"(first|last)_row":(\d+)/g,
    (_, end: string, line: string) => `"${end}_row":${Number(line) - 2}`,
  );
  return JSON.parse(
    moved
      .replace(/"first_line":\d+/, '"first_line":0')
      .replace(/, the first at line \d+/g, '')
      .replace(/"lines":\[[\d,]*\],/g, '')
      .replace(/ on line \d+(,\d{3})*/g, ''),
  ) as Report;
}

async function inOneFile(lines: readonly string[], options: JsonObject): Promise<Report> {
  const file = await folder.write('whole.csv', `${HEADER}\n${lines.join('\n')}\n`);
  return withPast(async ({ local }) => {
    const results = resultsOf(file, READING, { source: 's', options }, local, terminal);
    for await (const { report } of results) return report;
    throw new Error('a file has a report');
  });
}

/** Files of states of these parts of the lines. `ends`: of each part. */
async function statesOf(
  lines: readonly string[],
  ends: readonly number[],
  options: JsonObject,
  opened: { local: Local; memory: Memory },
): Promise<string[]> {
  const files: string[] = [];
  for (const [part, end] of ends.entries()) {
    const rows = lines.slice(ends[part - 1] ?? 0, end);
    const file = await folder.write(`part.csv`, `${HEADER}\n${rows.join('\n')}\n`);
    const state = await measuredPart(file, READING, { part, source: 's', options }, opened, terminal);
    files.push(folder.at(`${part}.state`));
    await writeState(files.at(-1)!, state, terminal);
  }
  return files;
}

/** Merges some of the files first, in an order that follows from `seed`. */
async function grouped(files: readonly string[], seed: number): Promise<string[]> {
  const next = uniform(seed + 1);
  const left = [...files];
  for (let i = 0; left.length > 1 && next() < 0.7; i++) {
    const [a, b] = [
      left.splice(Math.floor(next() * left.length), 1)[0]!,
      left.splice(Math.floor(next() * left.length), 1)[0]!,
    ];
    const both = folder.at(`merged ${i}.state`);
    await writeState(both, await mergedStates([a, b]), terminal);
    left.push(both);
  }
  return left;
}

const inStates = (
  lines: readonly string[],
  ends: readonly number[],
  options: JsonObject,
  seed: number,
): Promise<Report> =>
  withPast(async opened => {
    const files = await grouped(await statesOf(lines, ends, options, opened), seed);
    const typed = { source: 's', options };
    const { report } = await statesResult({ name: 'states', files, parts: ends.length }, typed, opened);
    return report;
  });

const OPTIONS = { rules: RULES };

describe('states are judged as the file with the same rows', () => {
  test.each(Object.entries(DAMAGE))(
    '%s',
    async (_, [status, damage]) => {
      const lines = TODAY.map(damage);
      const whole = await inOneFile(lines, OPTIONS);
      expect(whole.status).toBe(status);
      expect(same(await inStates(lines, [ROWS], OPTIONS, 0))).toEqual(same(whole));
      for (const [seed, ends] of [
        [MAX_ROWS, 2 * MAX_ROWS, ROWS],
        [2 * MAX_ROWS, ROWS],
      ].entries())
        expect(same(await inStates(lines, ends, OPTIONS, seed))).toEqual(same(byIndex(whole)));
    },
    60_000,
  );

  test('a batch in a hundred parts is no other batch than those of one part before it', async () => {
    const ends = Array.from({ length: 100 }, (_, part) => ((part + 1) * ROWS) / 100);
    const { status, anomalies } = await inStates(TODAY, ends, OPTIONS, 5);
    expect([status, anomalies]).toEqual(['PASS', undefined]);
  }, 60_000);

  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: ROWS - 1 }), { minLength: 1, maxLength: 4 });
  test('parts of any length: their order and grouping change nothing, and what is counted is exact', async () => {
    await fc.assert(
      fc.asyncProperty(
        cuts,
        fc.constantFrom(...Object.values(DAMAGE)),
        fc.nat(),
        async (at, [status, damage], seed) => {
          const lines = TODAY.map(damage);
          const ends = [...at.sort((a, b) => a - b), ROWS];
          const whole = byIndex(await inOneFile(lines, OPTIONS));
          const report = await inStates(lines, ends, OPTIONS, seed);
          expect(same(await inStates(lines, ends, OPTIONS, seed + 1))).toEqual(same(report));
          expect(report.status).toBe(status);
          const { issues, schema, stats } = whole;
          expect<unknown>(withoutSpans(report.issues)).toEqual(withoutSpans(issues));
          expect([report.schema, report.stats]).toEqual([schema, stats]);
        },
      ),
      { numRuns: 3 },
    );
  }, 120_000);
});

/** A stretch of rows begins and ends with those that are measured at once. */
const withoutSpans = (issues: Report['issues']): unknown =>
  JSON.parse(JSON.stringify(issues ?? {}, (name, value: unknown) => (name === 'span' ? undefined : value)));
