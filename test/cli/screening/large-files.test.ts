/** Every command that reads files says of a file that another thread reads what it says of a small one. */
import { afterAll, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { LARGE_BYTES } from '../../../src/cli/screening/file-threads.ts';
import { parquetOf } from '../../columns/parquet-bytes.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

/** Two slices. */
const ROWS = 10_050;
const NOTE = 'x'.repeat(Math.ceil(LARGE_BYTES / ROWS));
const rows = Array.from({ length: ROWS }, (_, i) => ({ id: i, note: `${NOTE}${i}` }));

const csv = `id,note\n${rows.map(({ id, note }) => `${id},${note}\n`).join('')}`;
const json = JSON.stringify(rows);
const ndjson = rows.map(row => `${JSON.stringify(row)}\n`).join('');
const arrow = tableToIPC(
  tableFromArrays({ id: rows.map(({ id }) => id), note: rows.map(({ note }) => note) }),
  'file',
);
const parquet = parquetOf(['id', 'note'], rows);
/** As many bytes as before. */
const gz = (content: string | Uint8Array) => gzipSync(content, { level: 0 });

const CONTENTS: Record<string, string | Uint8Array> = {
  'plain.csv': csv,
  'wide.csv': Buffer.from(`\ufeff${csv}`, 'utf16le'),
  'compressed.csv.gz': gz(csv),
  'lines.ndjson': ndjson,
  'array.json': json,
  'object.json': `{"source":"s","rows":${json}}`,
  'columns.arrow': arrow,
  'compressed.arrow.gz': gz(arrow),
  'columns.parquet': parquet,
};
const NAMES = Object.keys(CONTENTS);
await Promise.all(NAMES.map(name => folder.write(name, CONTENTS[name]!)));
const FILES = NAMES.map(folder.at);

test.each(NAMES)('%s is large', name => {
  expect(statSync(folder.at(name)).size).toBeGreaterThan(LARGE_BYTES);
});

/** A batch of these, too, has its memory alone, and a screening takes it. */
const SMALL = ['small.json', 'small.parquet'];
await folder.write('small.json', JSON.stringify(rows.slice(0, 500)));
await folder.write('small.parquet', parquetOf(['id', 'note'], rows.slice(0, 500)));

test.each([...NAMES, ...SMALL])('rules suggest %s', async name => {
  const { code, stdout, stderr } = await sluice(['rules', 'suggest', folder.at(name)]);
  const count = SMALL.includes(name) ? '500' : '10,050';
  expect([code, stderr]).toEqual([0, expect.stringContaining(` suggested from ${count} rows\n`)]);
  expect(Bun.YAML.parse(stdout)).toMatchObject({ fields: { id: { unique: true, nullable: false } } });
});

test.each(NAMES)('profile %s', async name => {
  const second = await sluice(['profile', '--json', '--batch', '2', folder.at(name)]);
  expect(second.code).toBe(0);
  expect(JSON.parse(second.stdout).fields.id.numbers).toMatchObject({ min: 10_000, max: 10_049 });
  const whole = await sluice(['profile', '--json', folder.at(name)]);
  expect(whole.code).toBe(0);
  expect(JSON.parse(whole.stdout).fields.id.numbers).toMatchObject({ count: 10_050, min: 0, max: 10_049 });
});

/** Each file is one batch. */
const allRows = FILES.map(file => [file, ROWS]);
interface Result {
  file: string;
  stats: { rows_received: number };
}
const rowsIn = (stdout: string) =>
  (JSON.parse(stdout).results as Result[]).map(({ file, stats }) => [file, stats.rows_received]);

test.each([
  ['by several threads', []],
  ['one file after the other', ['-b', folder.at('baselines.sqlite')]],
])('screen %s', async (_, baseline) => {
  const { code, stdout } = await sluice(['screen', '--json', ...baseline, '-s', 's', ...FILES]);
  expect([code, rowsIn(stdout)]).toEqual([0, allRows]);
});

test('check', async () => {
  const sources = FILES.map((file, i) => `  source${i}: { files: ${JSON.stringify(file)} }\n`);
  const document = `sources:\n${sources.join('')}outputs: [{ format: json }]\n`;
  const config = await folder.write('sluice.yaml', document);
  const { code, stdout } = await sluice(['check', '-c', config]);
  expect([code, rowsIn(stdout)]).toEqual([0, allRows]);
});

test.each([
  ['plain.csv', 'columns.parquet'],
  ['columns.arrow', 'array.json'],
  ['lines.ndjson', 'compressed.csv.gz'],
])('diff %s %s', async (before, after) => {
  const { code, stdout } = await sluice(['diff', '--json', folder.at(before), folder.at(after)]);
  expect([code, JSON.parse(stdout).stats.rows_received]).toEqual([0, ROWS]);
});

const TEXT = ['plain.csv', 'wide.csv', 'compressed.csv.gz', 'lines.ndjson'];

test.each(TEXT)('--good and --held divide %s', async name => {
  const rules = await folder.write('rules.yaml', 'fields: { id: { minimum: 10 } }\n');
  const [good, held] = [folder.at(`good-${name}`), folder.at(`held-${name}`)];
  const parts = ['--good', good, '--held', held, '--rules', rules];
  const { code } = await sluice(['screen', '-q', ...parts, folder.at(name)]);
  expect(code).toBe(2);
  const linesIn = async (file: string) => {
    const bytes = await Bun.file(file).bytes();
    const plain = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    const label = name === 'wide.csv' ? 'utf-16le' : 'utf-8';
    return new TextDecoder(label).decode(plain).trimEnd().split('\n');
  };
  const header = name.endsWith('.ndjson') ? 0 : 1;
  expect((await linesIn(held)).length).toBe(10 + header);
  expect((await linesIn(good)).length).toBe(ROWS - 10 + header);
});

test('accept takes a large file that was BLOCKed', async () => {
  const baseline = folder.at('accepted.sqlite');
  const broken = await folder.write('broken.csv', csv.replaceAll(/^\d+,/gm, ','));
  const screen = (file: string) => sluice(['screen', '-q', '-b', baseline, '-s', 's', file]);
  expect((await screen(folder.at('plain.csv'))).code).toBe(0);
  expect((await screen(broken)).code).toBe(2);
  const { code, stdout } = await sluice(['accept', '-b', baseline]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Accepted: the batch of 's'/)]);
});
