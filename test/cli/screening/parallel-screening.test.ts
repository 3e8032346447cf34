/** Several threads give the same results and errors of a file as one. */
import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import { MAX_ROWS } from '../../../assembly/abi.ts';
import { failureOf } from '../../../src/cli/failure.ts';
import { LARGE_BYTES } from '../../../src/cli/screening/file-threads.ts';
import { openLocal } from '../../../src/cli/screening/local.ts';
import { noMemory } from '../../../src/cli/screening/local-store.ts';
import type { FileResult, JsonObject } from '../../../src/cli/screening/named-batch.ts';
import { resultsOf } from '../../../src/cli/screening/results.ts';
import { Terminal } from '../../../src/cli/terminal.ts';
import { ThreadEnded, WorkerThread } from '../../../src/threads/thread.ts';
import { READING } from '../quiet-reading.ts';
import { Folder } from '../sluice.ts';

const terminal = new Terminal({ noColour: true });
const one = await openLocal(noMemory());
const several = await openLocal(noMemory());
await several.threads.start();
const folder = new Folder();
afterAll(() => {
  several.threads.close();
  folder.remove();
});

async function saidOf(file: string, results: AsyncIterable<FileResult>): Promise<unknown[]> {
  const said: unknown[] = [];
  try {
    for await (const { report, body, ...place } of results) {
      expect(JSON.parse(body)).toEqual(report);
      const { request_id: _, batch_id, timestamp, latency_ms, ...same } = report;
      said.push({ ...place, ...same });
    }
  } catch (error) {
    const failure = failureOf(error, file);
    if (failure === null) throw error;
    said.push({ shown: failure.shown });
  }
  return said;
}

const saidBy = (screener: typeof one, file: string, options: JsonObject): Promise<unknown[]> =>
  saidOf(file, resultsOf(file, READING, { source: 's', options }, screener, terminal));
const inOneThread = (file: string, options: JsonObject) => saidBy(one, file, options);
const inParallel = (file: string, options: JsonObject) => saidBy(several, file, options);

const lines = (count: number, line: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));
const COUNT = 3 * MAX_ROWS + 7;
const plain = lines(COUNT, i => `${i},${(i * 7919) % 1000},${i % 3 ? 'a' : ''}`);
const noted = lines(COUNT, i => `${i},"${i % 2 ? `one\n\n"",two ${i}é` : i}"`);
const broken = plain.with(2 * MAX_ROWS + 5, '1,"2"3,4');

const FILES: [string, string | Uint8Array][] = [
  ['plain', `a,b,c\n${plain.join('\n')}\n`],
  ['no end of line', `a,b,c\n${plain.join('\n')}`],
  ['a mark and CRLF', `\ufeffa,b,c\r\n${plain.join('\r\n')}\r\n`],
  ['lone CR', `a,b,c\r${plain.join('\r')}\r`],
  ['blank lines', `\n\na,b,c\n\n${plain.join('\n\r\n\n')}\n\n\n`],
  ['line feeds in cells', `a,"b\nc"\n${noted.join('\r\n')}\n`],
  ['exactly two slices', `a,b,c\n${plain.slice(0, 2 * MAX_ROWS).join('\n')}\n`],
  ['exactly two slices, then blank lines', `a,b,c\n${plain.slice(0, 2 * MAX_ROWS).join('\n')}\n\r\n\n`],
  ['two slices and a row', `a,b,c\n${plain.slice(0, 2 * MAX_ROWS + 1).join('\n')}`],
  [
    'ragged rows',
    `a,b,c\n${plain.map((row, i) => (i % 4001 === 3 ? `${row},x` : i % 9001 === 5 ? '1' : row)).join('\n')}`,
  ],
  ['a giant row', `a,b,c\n${plain.with(MAX_ROWS + 3, `1,"${'x\n'.repeat(500_000)}",2`).join('\n')}\n`],
  ['a broken row in the third slice', `a,b,c\n${broken.join('\n')}\n`],
  ['an open quote at the end', `a,b,c\n${plain.join('\n')}\n1,"2`],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(`a,b,c\n${plain.with(0, 'é,é,é').join('\n')}\né,`), Buffer.of(0xff, 0x0a)]),
  ],
  ['semicolons', `a;b;c\n${plain.join('\n').replaceAll(',', ';')}\n`],
  ['one column', `a\n${lines(COUNT, i => String(i)).join('\n')}\n`],
  [
    'too many cells for 10,000 rows',
    `${lines(300, i => `c${i}`).join(',')}\n${`${lines(300, i => String(i)).join(',')}\n`.repeat(14_000)}`,
  ],
  ['no rows', 'a,b,c\n'],
];

describe('the same is said of', () => {
  test.each(FILES)('%s', async (name, content) => {
    const file = await folder.write(`${name}.csv`, content);
    const options = { thresholds: { null_rate_warn: 0.2 } };
    expect(await inParallel(file, options)).toEqual(await inOneThread(file, options));
  });

  test('rules and row verdicts', async () => {
    const file = await folder.write('ruled.csv', `a,b,c\n${plain.join('\n')}\n`);
    const rules = { fields: { b: { maximum: 900 }, a: { unique: true } } };
    const options = { rules, row_verdicts: true, full_scan: true };
    const said = await inParallel(file, options);
    expect(said).toEqual(await inOneThread(file, options));
    expect(JSON.stringify(said[0])).toContain('"quarantine"');
  });

  test('any rows', async () => {
    const cell = fc.oneof(
      fc.constantFrom('', '1', '2.5', 'true', 'x y', '""', '"a\n"', '"\r\n,"', 'é'),
      fc.integer().map(String),
    );
    const row = fc.array(cell, { minLength: 1, maxLength: 4 }).map(cells => cells.join(','));
    const end = fc.constantFrom('\n', '\r\n', '\n\n', '\r');
    const block = fc.array(fc.tuple(row, end), { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(block, fc.integer({ min: 1, max: 3000 }), async (rows, more) => {
        const text = rows.map(([cells, ends]) => cells + ends).join('');
        const repeats = Math.ceil((MAX_ROWS + more) / rows.length);
        const file = await folder.write('any.csv', `h,i\n${text.repeat(repeats)}`);
        expect(await inParallel(file, {})).toEqual(await inOneThread(file, {}));
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

const row = (i: number, fields: number): string =>
  JSON.stringify(Object.fromEntries(lines(fields, k => `f${k}`).map((name, k) => [name, (i + k) % 10])));

test.each<[string, string, (rows: string[]) => string]>([
  ['NDJSON', 'ndjson', rows => rows.join('\n')],
  ['an array', 'json', rows => `[${rows.join(',\n')}]`],
  ['a request object', 'json', rows => `{"source":"s","rows":[${rows.join(',')}]}`],
])(
  'rows of %s that have more cells than the first one are read in slices that fit, and are one batch',
  async (name, ending, textOf) => {
    const rows = lines(5000, i => row(i, i < 3 ? 2 : 500));
    const file = await folder.write(`${name}.${ending}`, textOf(rows));
    const said = (await inParallel(file, {})) as FileResult[];
    expect(said).toMatchObject([{ stats: { rows_received: 5000 } }]);
    expect<unknown>(said).toEqual(await inOneThread(file, {}));
  },
  60_000,
);

test.each([`"${'x'.repeat(40_000_000)}"`, 'x'.repeat(40_000_000)])(
  'a row that is too large is an error, whatever it ends with',
  async cell => {
    const file = await folder.write('too large.csv', `a,b\n1,2\n3,${cell}\n`);
    const shown = expect.stringMatching(/Row 2 is too large: a row may have at most 33,554,432 bytes$/);
    expect(await inOneThread(file, {})).toEqual([{ shown }]);
  },
);

test('a file of many bytes gets threads of its own', async () => {
  const local = await openLocal(noMemory());
  const ask = spyOn(WorkerThread.prototype, 'ask');
  const text = `a,b\n${'1,2\n'.repeat(10_000_000)}`;
  expect(text.length).toBeGreaterThan(LARGE_BYTES);
  const said = await saidBy(local, await folder.write('large.csv', text), {});
  expect(said).toMatchObject([{ stats: { rows_received: 10_000_000 } }]);
  expect(ask).toHaveBeenCalled();
  ask.mockRestore();
  local.threads.close();
}, 60_000);

test('a thread that ends while it has a batch ends the screening with an error', async () => {
  const local = await openLocal(noMemory());
  await local.threads.start();
  const file = await folder.write('fine.csv', `a,b,c\n${plain.join('\n')}\n`);
  const ask = spyOn(WorkerThread.prototype, 'ask').mockImplementation(function (this: WorkerThread) {
    this.end();
    return Promise.reject(new ThreadEnded(false));
  });
  const said = await saidBy(local, file, {});
  ask.mockRestore();
  expect(said).toEqual([{ shown: expect.stringContaining('The thread that did this request ended') }]);
  local.threads.close();
});
