/** Files as they are read, and what is left of them. */
import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { cutFile } from '../../../src/cli/input/cut-file.ts';
import { FileThreads } from '../../../src/cli/screening/file-threads.ts';
import { openInput } from '../../../src/cli/input/input.ts';
import { READING } from '../quiet-reading.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const csv = `id;note\n${Array.from({ length: 20_007 }, (_, i) => `${i};"${i % 3},\né"\n`).join('')}`;

test('a file that becomes shorter while it is read is an error, not a verdict on its beginning', async () => {
  const file = await folder.write('shrinking.csv', csv);
  const { pieces } = await openInput(file);
  await folder.write('shrinking.csv', csv.slice(0, 1000));
  const read = async () => {
    for await (const piece of pieces) piece.length;
  };
  await expect(read()).rejects.toThrow(/became shorter while it was read/);
});

test('what nobody asks for is not read', async () => {
  const text = csv.repeat(20);
  const { records } = await FileThreads.open();
  let bytes = 0;
  const input = await openInput(await folder.write('early.csv', text));
  const { batches } = await cutFile(input, READING, records, more => {
    bytes += more;
  });
  for await (const { number, last } of batches) {
    expect([number, last]).toEqual([1, false]);
    break;
  }
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
  const args = ['screen', '--source', 's', '--format', 'csv', '--json'];
  const [fromFile, piped] = await Promise.all([
    sluice([...args, await folder.write('large.csv', text)]),
    sluice([...args, '-'], { stdin: text }),
  ]);
  const report = ({ stdout }: { stdout: string }) =>
    stdout.replaceAll(/"(request_id|batch_id|timestamp|latency_ms)":\s*("[^"]*"|\d+)/g, '"$1":0');
  expect(report(fromFile)).toBe(report(piped));
  expect(fromFile.code).toBe(piped.code);
  expect(JSON.parse(fromFile.stdout).stats.rows_received).toBe(20_001);
});
