/** Files that hold no batch, or never end: each is an error that names the file and what is wrong with it, and exit code 3. */
import { afterAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { MAX_DOCUMENT_BYTES } from '../../../src/documents/document-text.ts';
import { parquetOf } from '../../columns/parquet-bytes.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const parquet = parquetOf(['id'], [{ id: 1 }]);
const CSV_EMPTY = 'The CSV is empty';
const FILE_EMPTY = 'The file is empty';
const HOSTILE: [name: string, content: Uint8Array, said: string][] = [
  ['empty.csv', Buffer.of(), FILE_EMPTY],
  ['empty.parquet', Buffer.of(), FILE_EMPTY],
  ['empty.csv.gz', Buffer.of(), FILE_EMPTY],
  ['of-nothing.csv.gz', gzipSync(''), CSV_EMPTY],
  ['of-nothing.csv.zst', zstdCompressSync(''), CSV_EMPTY],
  ['of-nothing.parquet.gz', gzipSync(''), 'The Parquet file is cut'],
  ['cut.csv.gz', gzipSync('id\n1\n').subarray(0, 12), 'not complete gzip data'],
  ['mark-alone.csv', Buffer.from('\ufeff'), CSV_EMPTY],
  ['wide-mark-alone.csv', Buffer.from('\ufeff', 'utf16le'), CSV_EMPTY],
  ['four-bytes.parquet', parquet.slice(0, 4), 'The Parquet file is cut'],
  ['directory-alone.parquet', parquet.slice(-20), 'does not begin as a file of its format does'],
];
for (const [name, content] of HOSTILE) await folder.write(name, content);
symlinkSync('loop.csv', folder.at('loop.csv'));
const FILES = [
  ...HOSTILE.map(([name, , said]) => [folder.at(name), said] as const),
  [folder.at('loop.csv'), 'ELOOP'] as const,
  ['/dev/null', FILE_EMPTY] as const,
];

const COMMANDS = [['screen', '-q'], ['profile'], ['rules', 'suggest'], ['diff', folder.at('good.csv')]];
await folder.write('good.csv', 'id\n1\n');

test('screen says of each what is wrong with it, and goes on with the next', async () => {
  const files = FILES.map(([file]) => file);
  const { code, stderr } = await sluice(['screen', '-q', ...files]);
  expect(code).toBe(3);
  const said = stderr.trimEnd().split('\n');
  expect(said).toEqual(
    FILES.map(([file, words]) => expect.stringMatching(new RegExp(`${file}\\S*: .*${words}`))),
  );
});

test.each(COMMANDS)('%s ends with 3 where the file is empty, or nothing compressed', async (...command) => {
  for (const name of ['empty.parquet', 'of-nothing.csv.gz']) {
    const { code, stdout, stderr } = await sluice([...command, folder.at(name)]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/is empty/);
  }
});

test.each(COMMANDS)('%s reads a pipe that has a name', async (...command) => {
  for (const [name, content] of [
    ['pipe.csv', 'id\n1\n'],
    ['pipe.parquet', parquet],
  ] as const) {
    const pipe = folder.at(`${command[0]}-${name}`);
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    const [{ code }] = await Promise.all([
      sluice([...command, pipe]),
      Bun.spawn(['sh', '-c', `cat "$0" > "$1"`, await folder.write(`of-${name}`, content), pipe]).exited,
    ]);
    expect(code).toBe(0);
  }
});

const document = (bytes: number) => `description: ${'x'.repeat(bytes - 14)}\n`;

test('a document may have 262,144 bytes, and no more than one more is read', async () => {
  const atMost = await folder.write('most.yaml', document(MAX_DOCUMENT_BYTES));
  const tooLong = await folder.write('more.yaml', document(MAX_DOCUMENT_BYTES + 1));
  const said = async (file: string) => {
    const { code, stderr } = await sluice(['rules', 'export', '--as', 'json-schema', file]);
    return [code, stderr];
  };
  expect(await said(atMost)).not.toEqual([3, expect.stringContaining('262,144 bytes, the most')]);
  for (const file of [tooLong, '/dev/zero'])
    expect(await said(file)).toEqual([3, expect.stringContaining('262,144 bytes, the most')]);
});

test('JSON that ends early says so, wherever it is cut', async () => {
  const text = '[{"id": 1, "city": "Oslo", "amt": 8.5, "ok": true}, {"id": 2}]';
  for (const length of [1, 2, 8, 9, 18, 30, 37, 47, 50, 51, 52, 61]) {
    const file = await folder.write('cut.json', text.slice(0, length));
    const { code, stderr } = await sluice(['screen', file]);
    expect([code, stderr]).toEqual([
      3,
      `sluice: ${file}:1: The file is not JSON: it ends inside a value, at byte offset ${length}\n`,
    ]);
  }
});
