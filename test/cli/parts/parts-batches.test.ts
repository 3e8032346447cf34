/** `--good` and `--held` of files of several batches: every row is in exactly one part, byte for byte, whatever the file is. */
import { afterAll, describe, expect, test } from 'bun:test';
import { LARGE_BYTES } from '../../../src/cli/screening/file-threads.ts';
import { Folder, sluice, type Surroundings } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const ROWS = 23_456;
const isBad = (i: number): boolean => i % 997 === 3;
const state = (i: number): string => (isBad(i) ? 'bad' : 'ok');

/** Bad rows are named by a rule, and nothing else is judged: no batch is held whole. */
const OPTIONS = [
  ...['--quiet', '--health-warn', '0', '--health-block', '0', '--null-rate-block', '1'],
  ...['--rules', await folder.write('rules.json', '{"fields":{"state":{"enum":["ok"],"severity":"warn"}}}')],
];

interface Kind {
  rows: string[];
  /** A file of these rows. */
  whole(rows: string[]): string;
  /** A part of these rows. */
  part(rows: string[]): string;
}

const rowsOf = (row: (i: number) => string, count = ROWS) => Array.from({ length: count }, (_, i) => row(i));
const jsonRow = (i: number) =>
  i % 5 === 0
    ? `{"id" : ${i}, "text": "},{\\"]\\\\", "state":"${state(i)}"}`
    : `{"state":"${state(i)}","id":${i}}`;
const csvRow = (delimiter: string) => (i: number) =>
  `${i}${delimiter}${i % 7 === 0 ? `"a ""b""\r\n${delimiter}c"` : 'text'}${delimiter}${state(i)}${i % 3 === 0 ? '\r\n' : '\n'}`;
const table = (delimiter: string): Kind => {
  const header = `id${delimiter}text${delimiter}state\r\n`;
  const whole = (rows: string[]) => header + rows.join('');
  return { rows: rowsOf(csvRow(delimiter)), whole, part: whole };
};

const KINDS: Record<string, Kind> = {
  'json of an array': {
    rows: rowsOf(jsonRow),
    whole: rows => `[ ${rows.join(' ,\n')} ]\n`,
    part: rows => `[\n${rows.join(',\n')}\n]\n`,
  },
  'json of a request object': {
    rows: rowsOf(jsonRow),
    whole: rows =>
      `{"source":"s","options":{"full_scan":true},"rows" : [${rows.join(',')}],"more":[{"a":1}]}`,
    part: rows => `{"source":"s","options":{"full_scan":true},"rows":[\n${rows.join(',\n')}\n]}\n`,
  },
  ndjson: {
    rows: rowsOf(i => `${jsonRow(i)}${i % 3 === 0 ? '\r\n' : '\n'}`),
    whole: rows => rows.join(''),
    part: rows => rows.join(''),
  },
  csv: table(','),
  tsv: table('\t'),
};

type Way = (
  name: string,
  format: string,
  bytes: Uint8Array<ArrayBuffer>,
) => Promise<[string[], Surroundings]>;

const WAYS: Record<string, Way> = {
  'a file': async (name, format, bytes) => [[await folder.write(`${name}.${format}`, bytes)], {}],
  'standard input': async (_, format, stdin) => [['--format', format, '-'], { stdin }],
  gzip: async (name, format, bytes) => [
    [await folder.write(`${name}.${format}.gz`, Bun.gzipSync(bytes, { level: 1 }))],
    {},
  ],
  zstd: async (name, format, bytes) => [
    [await folder.write(`${name}.${format}.zst`, Bun.zstdCompressSync(bytes, { level: 1 }))],
    {},
  ],
};

async function expectDivided(name: string, kind: Kind, way: Way): Promise<void> {
  const [good, held] = [folder.at(`${name}.good`), folder.at(`${name}.held`)];
  const bytes = new TextEncoder().encode(kind.whole(kind.rows));
  const [words, surroundings] = await way(name, name.split(' ')[0]!, bytes);
  const ended = await sluice(['screen', ...OPTIONS, '--good', good, '--held', held, ...words], surroundings);
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' });
  const parts = [false, true].map(isHeld => kind.part(kind.rows.filter((_, i) => isBad(i) === isHeld)));
  // A difference of megabytes is not printed.
  expect((await Bun.file(good).text()) === parts[0]).toBe(true);
  expect((await Bun.file(held).text()) === parts[1]).toBe(true);
}

describe.each(Object.keys(KINDS))('%s', name => {
  test.each(Object.keys(WAYS))('from %s', way => expectDivided(name, KINDS[name]!, WAYS[way]!));
});

test('an array of JSON that another thread cuts', async () => {
  const kind = KINDS['json of an array']!;
  const text = 'x'.repeat(1000);
  const rows = rowsOf(i => `{"id":${i},"text":"${text}","state":"${state(i)}"}`, 17_000);
  expect(rows.join('').length).toBeGreaterThan(LARGE_BYTES);
  await expectDivided('json of many bytes', { ...kind, rows }, WAYS['a file']!);
});
