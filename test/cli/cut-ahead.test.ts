/** A file that is cut in another thread has the batches, and the errors, of one that is cut in this thread. */
import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import type { FileBatch } from '../../src/cli/file-batch.ts';
import { cutAhead } from '../../src/cli/cut-ahead.ts';
import { openEngine } from '../../src/cli/open-engine.ts';
import { openInput } from '../../src/cli/input.ts';
import type { Reading } from '../../src/cli/reading.ts';
import { type CutFile, cutFile } from '../../src/cli/cut-file.ts';
import { parquetOf } from '../columns/parquet-bytes.ts';
import { Folder, sluice } from './sluice.ts';

const READING: Reading = {
  format: undefined,
  delimiter: undefined,
  charset: undefined,
  columns: undefined,
  isQuiet: false,
};
const CUTTERS = { ...(await openEngine()), salt: new Uint8Array(32) };
const folder = new Folder();
afterAll(() => folder.remove());

type Cut = (file: string, onBytes: (bytes: number) => void) => Promise<CutFile>;
const here: Cut = async (file, onBytes) => cutFile(await openInput(file), READING, CUTTERS, onBytes);
const ahead: Cut = (file, onBytes) => cutAhead({ file, reading: READING, module: CUTTERS.module }, onBytes);

/** All that a cut says of a file, its error included. */
async function saidOf(cut: Cut, file: string): Promise<unknown[]> {
  let bytes = 0;
  const said: unknown[] = [];
  try {
    const { batches, ...opened } = await cut(file, more => {
      bytes += more;
    });
    said.push(opened);
    for await (const { body, held: _, ...batch } of batches)
      said.push({ ...batch, body: new Uint8Array(body) });
    said.push(bytes);
  } catch (error) {
    const { name, message, file, line } = error as Error & { file: string; line: number };
    said.push({ name, message, file, line });
  }
  return said;
}

const rows = Array.from({ length: 20_007 }, (_, i) => ({ id: i, note: i % 3 === 0 ? `"${i}",\né` : null }));
const csv = `id;note\n${rows.map(({ id, note }) => `${id};${note === null ? '' : `"${note.replaceAll('"', '""')}"`}`).join('\n')}\n`;
const ndjson = rows.map(row => JSON.stringify(row)).join('\n');

const arrow = tableToIPC(
  tableFromArrays({ id: rows.map(({ id }) => id), note: rows.map(({ note }) => note) }),
  'file',
);
const parquet = parquetOf(['id', 'note'], rows);

test.each<[string, string | Uint8Array]>([
  ['semicolons.csv', csv],
  ['compressed.csv.gz', gzipSync(csv)],
  ['western.csv', Buffer.from(csv, 'latin1')],
  ['lines.ndjson', ndjson],
  ['array.json', JSON.stringify(rows)],
  ['object.json', JSON.stringify({ source: 'shop', options: { full_scan: true }, rows })],
  ['columns.arrow', arrow],
  ['columns.parquet', parquet],
  ['columns.parquet.gz', gzipSync(parquet)],
  ['small.csv', 'id\n1\n'],
  ['error-on-a-line.ndjson', `${ndjson}\n{"id":}\n`],
  ['damaged.parquet', parquet.slice(0, -3)],
  ['empty.csv', ''],
  ['page.csv', '<!doctype html><html><body>Not found</body></html>'],
  ['damaged.csv.gz', gzipSync(csv).subarray(0, 40_000)],
])('%s', async (name, content) => {
  const file = await folder.write(name, content);
  expect(await saidOf(ahead, file)).toEqual(await saidOf(here, file));
});

test('a file that is missing', async () => {
  const file = folder.at('missing.csv');
  expect(await saidOf(ahead, file)).toEqual(await saidOf(here, file));
});

test('a file that becomes shorter while it is read is an error, not a verdict on its beginning', async () => {
  const file = await folder.write('shrinking.csv', csv);
  const { pieces } = await openInput(file);
  await folder.write('shrinking.csv', csv.slice(0, 1000));
  const read = async () => {
    for await (const piece of pieces) piece.length;
  };
  await expect(read()).rejects.toThrow(/became shorter while it was read/);
});

test('batches that nobody asks for are not cut', async () => {
  const text = csv.repeat(20);
  let bytes = 0;
  const { batches } = await ahead(await folder.write('early.csv', text), more => {
    bytes += more;
  });
  const seen: FileBatch[] = [];
  for await (const batch of batches) {
    seen.push(batch);
    break;
  }
  expect(seen.map(({ number, last }) => [number, last])).toEqual([[1, false]]);
  expect(bytes).toBeLessThan(text.length / 4);
});

test('the copy of a large compressed file is removed, though only its first batch is wanted', async () => {
  const notes = Array.from({ length: 12_000 }, () => randomBytes(1000).toString('base64'));
  const large = gzipSync(tableToIPC(tableFromArrays({ note: notes }), 'file'), { level: 0 });
  const file = await folder.write('large.arrow.gz', large);
  const copies = new Folder();
  try {
    const { code } = await sluice(['profile', file], { environment: { TMPDIR: copies.path } });
    expect(code).toBe(0);
    expect(readdirSync(copies.path)).toEqual([]);
  } finally {
    copies.remove();
  }
});

test('sluice screen says the same of a large file as of its bytes on standard input', async () => {
  const line = `${'x'.repeat(900)}\n`;
  const text = `note\n${line.repeat(20_000)}"${line.repeat(10)}"\n`;
  const file = await folder.write('large.csv', text);
  const args = ['screen', '--source', 's', '--format', 'csv', '--each', '--json'];
  const [fromFile, piped] = await Promise.all([
    sluice([...args, file]),
    sluice([...args, '-'], { stdin: text }),
  ]);
  const reports = ({ stdout }: { stdout: string }) =>
    stdout.replaceAll(/"(request_id|batch_id|timestamp|latency_ms|file)":\s*("[^"]*"|\d+)/g, '"$1":0').trim();
  expect(reports(fromFile)).toBe(reports(piped));
  expect(fromFile.code).toBe(piped.code);
  expect(reports(fromFile).match(/"request_id"/g)).toHaveLength(3);
});

test.each([1, 2, 3])('a thread that ends at message %d ends the command with an error', async count => {
  const program = await folder.write(
    'ending.ts',
    `let left = ${count};
     const replies = [{ opened: {} }, { batch: {}, bytes: 0 }];
     self.onmessage = () => (--left === 0 ? process.exit(0) : self.postMessage(replies.shift()));`,
  );
  const order = { file: 'any.csv', reading: READING, module: CUTTERS.module };
  const cutting = (async () => {
    const { batches } = await cutAhead(order, () => {}, pathToFileURL(program));
    await Array.fromAsync(batches);
  })();
  await expect(cutting).rejects.toThrow('thread of this command has ended');
});
