/** The same table as JSON, CSV, Arrow and Parquet: equal reports of the service, but for what a format cannot say. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../property/seed.ts';
import fc from 'fast-check';
import { Service } from '../http/service.ts';
import { arrowOf, type RandomTable, randomTable, rowsOf } from './tables.ts';

const ARROW = 'application/vnd.apache.arrow.stream';
const PARQUET = 'application/vnd.apache.parquet';
const HEADERS = { 'X-Source': 's', 'X-Options': '{"full_scan":true,"dry_run":true}' };
const service = new Service();

/** The report, without what names the request or the format. */
async function reportOf(body: string | Uint8Array, type: string): Promise<object> {
  const { status, body: report } = await service.post(body as string, {
    'Content-Type': type,
    ...HEADERS,
  });
  if (status !== 200) throw new Error(JSON.stringify(report));
  const { request_id: _, batch_id: __, latency_ms: ___, timestamp: ____, stats, ...rest } = report;
  return { ...rest, stats: { ...stats, row_numbers: null } };
}

const ndjsonOf = (table: RandomTable): string =>
  rowsOf(table)
    .map(row => `${JSON.stringify(row)}\n`)
    .join('');

// ---- CSV ----

const quotedCell = (cell: unknown): string =>
  cell === null ? '' : `"${String(cell).replaceAll('"', '""')}"`;

function csvOf(table: RandomTable): string {
  const names = Object.keys(table);
  const lines = rowsOf(table).map(row =>
    names
      .map(name => (typeof row[name] === 'string' ? quotedCell(row[name]) : String(row[name] ?? '')))
      .join(),
  );
  return `${names.join()}\n${lines.join('\n')}\n`;
}

/** CSV has no nested values, and its texts have no type: one that looks like a number or a word for null is read as such, and one of 18 digits as a code. A row of one empty cell is no row, and rows without values at its end may be notes. */
const isForCsv = (table: RandomTable): boolean =>
  Object.keys(table).length > 1 &&
  Object.values(table).every(({ cells }) => cells.slice(-3).every(cell => cell !== null)) &&
  Object.entries(table).every(
    ([name, { cells }]) =>
      !/^(list|object)/.test(name) &&
      cells.every(cell => typeof cell === 'string' || !/^-?\d{18,}$/.test(String(cell))) &&
      cells.every(cell => typeof cell !== 'string' || /^\p{L}[\s\S]*\p{L}$/u.test(cell)) &&
      cells.every(
        cell =>
          typeof cell !== 'string' ||
          !/^(true|false|null|none|nan|na|nil|inf|infinity|undefined|unknown|missing|nat)$/i.test(cell),
      ),
  );

test('JSON, CSV and Arrow give equal reports', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(randomTable(40).map(wordsOnly), async table => {
      fc.pre(isForCsv(table));
      const json = await reportOf(ndjsonOf(table), 'application/x-ndjson');
      expect(await reportOf(arrowOf(table), ARROW)).toEqual(json);
      expect(asIndexes(await reportOf(csvOf(table), 'text/csv'))).toEqual(json);
      compared++;
    }),
    { numRuns: 15 },
  );
  expect(compared).toBeGreaterThan(5);
});

/** Reports of CSV name lines, the first row being line 2. */
const asIndexes = (report: object): object =>
  JSON.parse(JSON.stringify(report), (key, value) =>
    key === 'rows' && Array.isArray(value) ? value.map(line => line - 2) : value,
  );

/** Texts that CSV can say: letters at both ends. */
const wordsOnly = (table: RandomTable): RandomTable =>
  Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => !/^(list|object)/.test(name))
      .map(([name, { type, cells }]) => [
        name,
        {
          type,
          cells: cells.map(cell => (typeof cell === 'string' ? `w${cell.replace(/[\r\n]/g, ' ')}w` : cell)),
        },
      ]),
  );

// ---- Parquet ----

const PYTHON = process.env.PARQUET_PYTHON ?? join(import.meta.dir, '../../build/python/bin/python');
const hasPython = existsSync(PYTHON) && Bun.spawnSync([PYTHON, '-c', 'import pyarrow']).exitCode === 0;

const options = fc.record({
  compression: fc.constantFrom('snappy', 'gzip', 'zstd', 'lz4', 'brotli', 'none'),
  data_page_version: fc.constantFrom('1.0', '2.0'),
  use_dictionary: fc.boolean(),
  row_group_size: fc.constantFrom(1, 7, 1000),
  data_page_size: fc.constantFrom(1, 100, 1_000_000),
});

describe.skipIf(!hasPython)(
  `Parquet of pyarrow${hasPython ? '' : ' (skipped: no Python with pyarrow)'}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-same-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    test('gives the report of JSON, whatever its pages are', async () => {
      const writer = Bun.spawn([PYTHON, join(import.meta.dir, 'parquet-of.py')], {
        stdin: 'pipe',
        stdout: 'pipe',
      });
      const answers = writer.stdout.getReader();
      let tables = 0;
      await fc.assert(
        fc.asyncProperty(randomTable(40), options, async (table, chosen) => {
          const file = join(folder, `${tables++}.parquet`);
          const columns = Object.fromEntries(
            Object.entries(table).map(([name, { cells }]) => [name, { type: name.split('_')[0], cells }]),
          );
          writer.stdin.write(`${JSON.stringify({ file, columns, options: chosen })}\n`);
          await writer.stdin.flush();
          let answer = '';
          while (!answer.endsWith(`${file}\n`))
            answer += new TextDecoder().decode((await answers.read()).value);
          const json = await reportOf(ndjsonOf(table), 'application/x-ndjson');
          expect(await reportOf(await Bun.file(file).bytes(), PARQUET)).toEqual(json);
        }),
        { numRuns: 15 },
      );
      writer.stdin.end();
      await writer.exited;
    });
  },
);
