/** `sluice screen` and `sluice profile` of Parquet and Arrow files. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Utf8 } from 'apache-arrow';
import { Service } from '../../http/service.ts';
import { arrowOf, type RandomTable } from '../../columns/tables.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const FILES = join(import.meta.dir, '../../columns/files');
const at = (name: string): string => join(FILES, name);

/** What is said of a file, without what differs from one run to the next. */
async function reportOf(...args: string[]) {
  const words = ['screen', '--json', '--full-scan', '--source', 's', ...args];
  const { code, stdout, stderr } = await sluice(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { request_id: _, batch_id, latency_ms, timestamp, ...same } = JSON.parse(stdout);
  return same;
}

test('a file is one batch, whatever its row groups, pages and record batches are', async () => {
  const parquet = await reportOf(at('groups.parquet'));
  expect(parquet.stats.rows_received).toBe(12_345);
  expect(await reportOf(at('groups.feather'))).toEqual(parquet);
});

test('every type is screened as in a request', async () => {
  const service = new Service();
  const { body } = await service.post(await Bun.file(at('all.arrows')).bytes(), {
    'Content-Type': 'application/vnd.apache.arrow.stream',
    'X-Source': 's',
  });
  const { stdout } = await sluice([
    'screen',
    '--json',
    '--mode',
    'contract',
    '--source',
    's',
    at('all.arrows'),
  ]);
  const { issues, schema, stats } = JSON.parse(stdout);
  expect({ issues, schema, rows: stats.rows_received }).toEqual({
    issues: body.issues,
    schema: body.schema,
    rows: body.stats.rows_received,
  });
});

test('a profile shows the declared types of the file', async () => {
  const { stdout } = await sluice(['profile', '--json', at('all.arrows')]);
  const { fields } = JSON.parse(stdout);
  const types = (names: string[]) => names.map(name => fields[name].physical_type);
  expect(types(['dict', 'ls', 'sv', 'list', 'tsz', 'ree'])).toEqual([
    'dictionary<values=string, indices=int32, ordered=0>',
    'large_string',
    'string_view',
    'list<item: int64>',
    'timestamp[ns, tz=Europe/Berlin]',
    'run_end_encoded<run_ends: int64, values: string>',
  ]);
  const parquet = await sluice(['profile', '--json', at('groups.parquet')]);
  expect(JSON.parse(parquet.stdout).fields.tags.physical_type).toBe('list<element: int64>');
});

test('columns can be chosen', async () => {
  const { stdout } = await sluice(['profile', '--json', '--columns', 'price,id', at('groups.parquet')]);
  expect(Object.keys(JSON.parse(stdout).fields)).toEqual(['id', 'price']);
});

test('standard input and compressed files are read too', async () => {
  const bytes = await Bun.file(at('groups.parquet')).bytes();
  const zipped = await folder.write('groups.parquet.gz', Bun.gzipSync(bytes));
  const piped = await sluice(['screen', '-', '--format', 'parquet'], { stdin: bytes });
  expect(piped.stdout).toStartWith('PASS   -  12,345 rows  health');
  expect((await sluice(['screen', zipped])).stdout).toContain('  12,345 rows  health');
});

test('the texts of a file may be more than a body may have', async () => {
  const text = 'x'.repeat(20_000);
  const table: RandomTable = {
    text: { type: () => new Utf8(), cells: Array.from({ length: 4000 }, () => text) },
  };
  const file = await folder.write('long.arrows', arrowOf(table));
  const { stdout } = await sluice(['screen', file]);
  expect(stdout).toContain('  4,000 rows  health');
});

test('one row of too many bytes is an error', async () => {
  const table: RandomTable = { text: { type: () => new Utf8(), cells: ['a', 'b', 'x'.repeat(34_000_000)] } };
  const { code, stderr } = await sluice(['screen', await folder.write('wide.arrows', arrowOf(table))]);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /: Row 2 \(from 0\) is too large for a batch of 33,\d{3},\d{3} bytes: its longest value, in 'text', takes 34,000,004\n/,
  );
});

test.each([
  [
    ['--columns', 'id,prise', at('groups.parquet')],
    "There is no column 'prise'; the file has 'id', 'price', 'status'",
  ],
  [
    ['--columns', 'id', join(FILES, '../../../examples/orders-clean.json')],
    '--columns is for Parquet and Arrow files',
  ],
  [['--delimiter', ';', at('groups.parquet')], '--delimiter is for text, not for Parquet and Arrow files'],
  [['--format', 'parquet', at('all.feather')], 'The file is an Arrow file, not Parquet; add --format arrow'],
  [['--format', 'csv', at('all.parquet')], 'The file is a Parquet file, not CSV; add --format parquet'],
])('%p is an error', async (args, message) => {
  const { code, stderr } = await sluice(['screen', ...args]);
  expect(code).toBe(3);
  expect(stderr).toStartWith(`sluice: ${args.at(-1)}: ${message}`);
});

test.each(['groups.parquet', 'groups.feather'])('%s that is cut is an error', async name => {
  const bytes = await Bun.file(at(name)).bytes();
  const file = await folder.write(name, bytes.subarray(0, bytes.length / 2));
  const { code, stderr } = await sluice(['screen', file]);
  expect(code).toBe(3);
  expect(stderr).toStartWith(`sluice: ${file}: The`);
  expect(stderr).toContain('is cut: it does not end with its');
});
