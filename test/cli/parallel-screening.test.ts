/** Several threads give the same results and errors of a CSV file as one thread that cuts each batch and parses it again. */
import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import { pathToFileURL } from 'node:url';
import '../property/seed.ts';
import fc from 'fast-check';
import { MAX_ROWS } from '../../assembly/abi.ts';
import { failureOf } from '../../src/cli/failure.ts';
import { GuessedStarts } from '../../src/cli/guessed-starts.ts';
import { localScreener } from '../../src/cli/local-screener.ts';
import { noMemory } from '../../src/cli/local-store.ts';
import type { Position } from '../../src/cli/file-batch.ts';
import type { FileResult, JsonObject, Screener } from '../../src/cli/named-batch.ts';
import { resultsOf } from '../../src/cli/screening.ts';
import { Terminal } from '../../src/cli/terminal.ts';
import { LARGE_BYTES, sharedFile } from '../../src/cli/shared-file.ts';
import type { CompiledEngine } from '../../src/engine/engine.ts';
import { OtherThread } from '../../src/cli/turn-takers.ts';
import { resultsInParallel } from '../../src/cli/parallel-screening.ts';
import { type Shared, takeTurn } from '../../src/cli/turn.ts';
import { READING } from './quiet-reading.ts';
import { Folder } from './sluice.ts';

const terminal = new Terminal({ noColour: true });
const local = await localScreener(noMemory());
/** Parses each batch again, from its bytes. */
const parsing: Screener = {
  ...local,
  isForgetful: false,
  screen: batch => local.screen({ ...batch, held: null }),
};
const folder = new Folder();
afterAll(() => folder.remove());

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

function inOneThread(file: string, options: JsonObject): Promise<unknown[]> {
  return saidOf(file, resultsOf(file, READING, { source: 's', options }, parsing, terminal));
}

async function sharedBy(file: string, options: JsonObject = {}): Promise<Shared> {
  return { ...(await sharedFile(file, READING, 0))!, typed: { source: 's', options } };
}

async function readyThreads(shared: Shared, count = 1, program?: URL): Promise<OtherThread[]> {
  const order = { shared, module: local.module };
  const threads = Array.from({ length: count }, () => new OtherThread(order, program));
  while (!threads.every(({ isReady }) => isReady)) await Bun.sleep(1);
  return threads;
}

/** `count`: of threads beside this one. */
async function inParallel(file: string, options: JsonObject, count = 1): Promise<unknown[]> {
  const shared = await sharedBy(file, options);
  const threads = await readyThreads(shared, count);
  return saidOf(file, resultsInParallel(shared, local, terminal, threads));
}

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
  ['exactly two batches', `a,b,c\n${plain.slice(0, 2 * MAX_ROWS).join('\n')}\n`],
  ['exactly two batches, then blank lines', `a,b,c\n${plain.slice(0, 2 * MAX_ROWS).join('\n')}\n\r\n\n`],
  ['two batches and a row', `a,b,c\n${plain.slice(0, 2 * MAX_ROWS + 1).join('\n')}`],
  [
    'ragged rows',
    `a,b,c\n${plain.map((row, i) => (i % 4001 === 3 ? `${row},x` : i % 9001 === 5 ? '1' : row)).join('\n')}`,
  ],
  ['a giant row', `a,b,c\n${plain.with(MAX_ROWS + 3, `1,"${'x\n'.repeat(500_000)}",2`).join('\n')}\n`],
  ['a broken row in the third batch', `a,b,c\n${broken.join('\n')}\n`],
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

  const ODD: [string, number[], string][] = [
    ['a quote in a cell that is not quoted', [4], '5" pipe,1'],
    ['such quotes in two batches', [4, 8], '5" pipe,1'],
    ['such quotes in most batches', [4, 5, 8, 9, 12, 13, 16, 17, 20, 21], '5" pipe,1'],
    ['a blank line', [4], '\n1,2'],
    ['blank lines in many batches', [4, 8, 12, 16, 20], '\n1,2'],
  ];
  test.each(ODD)(
    'many batches with %s, which make guesses wrong',
    async (name, batches, odd) => {
      const rows = lines(40 * MAX_ROWS + 7, i => `${i},"${i % 9 ? i : 'one\n""two"" three'}"`);
      for (const batch of batches) rows[batch * MAX_ROWS + 5000] = odd;
      const file = await folder.write(`${name}.csv`, `a,b\n${rows.join('\n')}\n`);
      const said = await inParallel(file, {}, 2);
      expect(said).toHaveLength(41);
      expect(said).toEqual(await inOneThread(file, {}));
    },
    60_000,
  );

  test.each([2, 3])(
    'many batches that this and %d other threads screen',
    async count => {
      const rows = lines(20 * MAX_ROWS, i => `${i},"${i % 5 ? i : 'one\n""two""\n'}"`);
      const file = await folder.write(`many ${count}.csv`, `a,b\n${rows.join('\n')}`);
      const said = await inParallel(file, {}, count);
      expect(said).toHaveLength(20);
      expect(said).toEqual(await inOneThread(file, {}));
    },
    60_000,
  );

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
        expect(await inParallel(file, {}, 2)).toEqual(await inOneThread(file, {}));
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

const wide = Array.from({ length: 60 }, (_, i) => `a column with a long name ${i}`).join(',');
const LENGTHS: [string, string, (i: number) => string][] = [
  ['rows of 3 bytes', 'a\n', i => `${(i % 90) + 10}\n`],
  ['rows of 20 bytes', 'a,b,c\n', i => `${100_000 + i},12345678,abc\n`],
  ['rows of 20 bytes with CRLF', 'a,b,c\r\n', i => `${100_000 + i},1234567,abc\r\n`],
  ['rows of 200 bytes', 'a,b\n', i => `${100_000 + i},${'x'.repeat(192)}\n`],
  ['rows that are shorter than the header', `${wide}\n`, i => `${i % 10}${','.repeat(59)}\n`],
  ['line feeds in cells', 'a,"b\nc"\n', i => `${i},"one\n\ntwo\n""${i % 7 ? '' : '\n\n\n'}"\n`],
  ['ragged rows', 'a,b,c\n', i => (i % 11 ? `${i},1,abc\n` : `${i}\n`)],
];

describe('no batch is parsed twice of', () => {
  test.each(LENGTHS)('%s', async (name, header, row) => {
    const count = 3 * MAX_ROWS + 7;
    const file = await folder.write(`${name}.csv`, `${header}${lines(count, row).join('')}`);
    const shared = await sharedBy(file);
    // The only one.
    const { engine } = local;
    const begun: number[] = [];
    let from: Position | null = null;
    do {
      const before = engine.begun;
      const turn = await takeTurn(shared, from, local);
      await turn.screened();
      begun.push(engine.begun - before);
      from = turn.next;
    } while (from !== null);
    expect(begun).toEqual([1, 1, 1, 1]);

    const before = engine.begun;
    await saidOf(file, resultsOf(file, READING, shared.typed, local, terminal));
    expect(engine.begun - before).toBe(4);
  });
});

test('only a plain CSV file on disk in UTF-8, and a large one, is shared', async () => {
  const text = `a,b\n${'1,é\n'.repeat(4_000_000)}`;
  const large = await folder.write('large.csv', text);
  expect(Bun.file(large).size).toBeGreaterThan(LARGE_BYTES);
  expect(await sharedFile(large, READING)).toMatchObject({ file: large, found: '' });
  for (const [name, bytes] of [
    ['small.csv', 'a,b\n1,2\n'],
    ['western.csv', Buffer.from(text, 'latin1')],
    ['packed.csv.gz', text],
    ['lines.ndjson', text],
  ] as const)
    expect(await sharedFile(await folder.write(name, bytes), READING)).toBeNull();
});

test('guessing ends after three batches if rows have no line feed', async () => {
  const file = await folder.write('returns.csv', `a,b\r${'1,2\r'.repeat(40 * MAX_ROWS)}`);
  const begin = spyOn(GuessedStarts.prototype, 'begin');
  const said = await inParallel(file, {});
  expect(begin).toHaveBeenCalledTimes(3);
  begin.mockRestore();
  expect(said).toHaveLength(40);
});

test('threads begin later batches before the first result', async () => {
  const file = await folder.write('ahead.csv', `a,b,c\n${plain.join('\n')}\n`);
  const shared = await sharedBy(file);
  const silent = "self.onmessage = ({ data }) => 'shared' in data && self.postMessage({ ready: true });";
  const program = pathToFileURL(await folder.write('silent.ts', silent));
  const threads = await readyThreads(shared, 2, program);
  for await (const { batch } of resultsInParallel(shared, local, terminal, threads)) {
    expect(batch).toBe(1);
    expect(threads.map(({ taken }) => taken)).toEqual([2, 1]);
    break;
  }
});

test('an error of another thread is an error of the screening', async () => {
  const file = await folder.write('fine.csv', `a,b,c\n${plain.join('\n')}\n`);
  const shared = await sharedBy(file);
  const threads = await readyThreads({ ...shared, file: folder.at('gone.csv') });
  const said = await saidOf(file, resultsInParallel(shared, local, terminal, threads));
  expect(said).toHaveLength(2);
  expect(said[1]).toEqual({ shown: expect.stringMatching(/gone.csv: There is no such file/) });
});

const ENDINGS: [string, string, string][] = [
  ['ends before its first reply', '() => process.exit(0)', 'thread of this command has ended'],
  [
    'ends at its first turn',
    "({ data }) => 'shared' in data ? self.postMessage({ ready: true }) : process.exit(0)",
    'thread of this command has ended',
  ],
  [
    'has a bug in each turn',
    `({ data }) => {
      if ('shared' in data) return self.postMessage({ ready: true });
      for (let i = 0; i < 2; i++) self.postMessage({ bug: new Error('a bug of the test') });
    }`,
    'a bug of the test',
  ],
];

test.each(ENDINGS)('a thread that %s ends the screening with an error', async (name, program, message) => {
  const file = await folder.write('fine.csv', `a,b,c\n${plain.join('\n')}\n`);
  const shared = await sharedBy(file);
  const url = pathToFileURL(await folder.write(`${name}.ts`, `self.onmessage = ${program};`));
  const threads = await readyThreads(shared, 1, url);
  const screening = Array.fromAsync(resultsInParallel(shared, local, terminal, threads));
  await expect(screening).rejects.toThrow(message);
});

test('a thread that gets no engine says so', async () => {
  const file = await folder.write('fine.csv', `a,b,c\n${plain.join('\n')}\n`);
  const shared = await sharedBy(file);
  const thread = new OtherThread({ shared, module: {} as CompiledEngine });
  while (!thread.isReady) await Bun.sleep(1);
  const screening = Array.fromAsync(resultsInParallel(shared, local, terminal, [thread]));
  await expect(screening).rejects.toThrow('no memory for another engine');
});
