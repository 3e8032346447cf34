/** `--good` and `--held`: a file divided into two, in its own format, the rows byte by byte. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { Format } from '../../../assembly/abi.ts';
import { encoderOf } from '../../../src/cli/parts/encode.ts';
import { rowBytesOf } from '../../../src/cli/parts/row-bytes.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const utf8 = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const of = (format: Format, delimiter = 0x2c) => ({
  format,
  delimiter,
  isDelimiterGiven: true,
  coding: null,
});
const rowsIn = (body: string, format: Format) =>
  rowBytesOf(utf8(body), of(format), 'x').rows.map(({ number, bytes }) => [number, text(bytes)]);

describe('rows in the bytes of a batch', () => {
  test('of CSV have their line, whatever ends lines', () => {
    expect(rowsIn('a,b\r\n1,"x\r\ny"\r\n\r\n2,z\r3,w\n4,"a""b"', Format.CSV)).toEqual([
      [2, '1,"x\r\ny"\r\n'],
      [5, '2,z\r'],
      [6, '3,w\n'],
      [7, '4,"a""b"'],
    ]);
  });

  test.each([
    ['names', '\ufeffa,b\n1,2\n', '\ufeffa,b\n', 2],
    ['an empty line', '\ufeff\r\n\na,b\n1,2\n', '\ufeffa,b\n', 4],
    ['a name with a line end', '\ufeff"a\nx",b\n1,2\n', '\ufeff"a\nx",b\n', 3],
  ])('of CSV follow a header that has the byte order mark: before %s', (_, body, header, line) => {
    const { header: found, rows: after } = rowBytesOf(utf8(body), of(Format.CSV), 'x');
    expect([text(found), after.map(({ number }) => number)]).toEqual([header, [line]]);
  });

  test('of NDJSON have their index, blank lines left out', () => {
    expect(rowsIn('{"a":1}\n\n {"a":2} \r\n{"a":3}', Format.NDJSON)).toEqual([
      [0, '{"a":1}\n'],
      [1, ' {"a":2} \r\n'],
      [2, '{"a":3}'],
    ]);
    expect(rowsIn('\ufeff\n{"a":1}\n{"a":2}', Format.NDJSON)).toEqual([
      [0, '\ufeff{"a":1}\n'],
      [1, '{"a":2}'],
    ]);
  });

  test('of JSON are the elements of rows, as they are written', () => {
    const body =
      '{"options":{"rows":[{"x":1}]},"source":"rows","ro\\u0077s" : [ {"a":"]}\\"{"}, {"b":[{"c":1}]}\n] ,"z":[{}]}';
    expect(rowsIn(body, Format.JSON)).toEqual([
      [0, '{"a":"]}\\"{"}'],
      [1, '{"b":[{"c":1}]}'],
    ]);
  });
});

describe('an encoding is written as it was read', () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  test.each(['windows-1252', 'iso-8859-2', 'windows-1251', 'koi8-r', 'macintosh'])('%s', charset => {
    const decoded = new TextDecoder(charset as Bun.Encoding).decode(all);
    expect(encoderOf(charset, 'x')(utf8(decoded))).toEqual(all);
  });
  test.each(['utf-16le', 'utf-16be'])('%s', charset => {
    const bytes = encoderOf(charset, 'x')(utf8('Zoë 😀'));
    expect(new TextDecoder(charset as Bun.Encoding).decode(bytes)).toBe('Zoë 😀');
  });
  test('others are refused', () => {
    for (const charset of ['shift_jis', 'gb18030', 'big5'])
      expect(() => encoderOf(charset, 'x')).toThrow(
        `cannot write ${charset}: convert the file to UTF-8 first`,
      );
  });
});

/** Runs with both options, and gives what they wrote. */
async function divided(name: string, content: string | Uint8Array, ...options: string[]) {
  const [good, held] = [folder.at(`good-${name}`), folder.at(`held-${name}`)];
  const ended = await sluice([
    ...['screen', '--good', good, '--held', held, ...options],
    await folder.write(name, content),
  ]);
  const read = (file: string) => (existsSync(file) ? Bun.file(file).bytes() : null);
  return { ...ended, good: await read(good), held: await read(held) };
}

const rows = Array.from({ length: 50 }, (_, i) => (i === 7 || i === 31 ? `${i},"b ""x""\nad"` : `${i},${i}`));

test('CSV with quotes and an encoding: header and rows as they were', async () => {
  const line = (row: string) => `${row}\r\n`;
  const latin = (parts: string[]) => new Uint8Array(Buffer.from(parts.map(line).join(''), 'latin1'));
  const header = 'id,größe';
  const { code, good, held } = await divided('latin.csv', latin([header, ...rows]));
  expect(code).toBe(0);
  expect(held).toEqual(latin([header, rows[7]!, rows[31]!]));
  expect(good).toEqual(latin([header, ...rows.filter((_, i) => i !== 7 && i !== 31)]));
});

test.each([
  ['an empty line', '\n', 'id,v\n'],
  ['a name with a line end', '', '"id\r\nof it",v\n'],
])('CSV with a byte order mark before %s, in several batches', async (name, before, header) => {
  const list = Array.from({ length: 10_050 }, (_, i) => (i % 500 === 7 ? `${i},x\n` : `${i},${i}\n`));
  const part = (isHeld: boolean) =>
    `\ufeff${header}${list.filter((_, i) => (i % 500 === 7) === isHeld).join('')}`;
  const { code, good, held } = await divided(
    `mark-${name.length}.csv`,
    `\ufeff${before}${header}${list.join('')}`,
  );
  expect(code).toBe(0);
  expect(text(good!) === part(false)).toBe(true);
  expect(text(held!)).toBe(part(true));
});

describe.each(['utf-16le', 'utf-16be'])('%s', charset => {
  const encoded = (content: string) => new Uint8Array(encoderOf(charset, 'x')(utf8(content)));
  const isHeld = (i: number) => i === 3;
  const list = Array.from({ length: 40 }, (_, i) => (isHeld(i) ? 'ü' : `${i}`));
  const lines = (write: (value: string, i: number) => string) =>
    [false, true].map(held => list.map(write).filter((_, i) => isHeld(i) === held));

  test.each([
    ['with a byte order mark', '\ufeff'],
    ['without a byte order mark', ''],
  ])('CSV %s stays as it is', async (name, mark) => {
    const head = `${mark}id,value\r\n`;
    const row = (value: string, i: number) => `${i},${value}\r\n`;
    const { code, good, held } = await divided(
      `${charset}-${name.length}.csv`,
      encoded(head + list.map(row).join('')),
    );
    const parts = lines(row).map(rows => encoded(head + rows.join('')));
    expect([code, good, held]).toEqual([0, ...parts] as never);
  });

  test.each([
    ['with a byte order mark', '\ufeff'],
    ['without a byte order mark', ''],
  ])('NDJSON and JSON %s stay as they are', async (name, mark) => {
    const row = (value: string) => `{"v":${value === 'ü' ? '"ü"' : value}}`;
    const options = ['--charset', charset];
    const ndjson = `${mark}${list.map(value => `${row(value)}\n`).join('')}`;
    const ofLines = await divided(`${charset}-${name.length}.ndjson`, encoded(ndjson), ...options);
    expect([ofLines.code, ofLines.good, ofLines.held]).toEqual([
      0,
      ...lines(value => `${row(value)}\n`).map(rows => encoded(mark + rows.join(''))),
    ] as never);
    const json = `${mark}[${list.map(row).join(',')}]`;
    const ofArray = await divided(`${charset}-${name.length}.json`, encoded(json), ...options);
    expect([ofArray.code, ofArray.good, ofArray.held]).toEqual([
      0,
      ...lines(row).map(rows => encoded(`${mark}[\n${rows.join(',\n')}\n]\n`)),
    ] as never);
  });
});

test('an array of JSON stays one, and a request object keeps source and options', async () => {
  const row = (i: number) => (i === 3 ? '{"n": "x"}' : `{"n":${i}.0}`);
  const list = Array.from({ length: 40 }, (_, i) => row(i));
  const array = await divided('array.json', `[${list.join(' , ')}]`);
  expect(text(array.held!)).toBe('[\n{"n": "x"}\n]\n');
  expect(text(array.good!)).toBe(`[\n${list.filter((_, i) => i !== 3).join(',\n')}\n]\n`);
  const object = await divided(
    'object.json',
    `{"source":"s","rows":[${list.join(',')}],"options":{"full_scan":true}}`,
  );
  expect(text(object.held!)).toBe('{"source":"s","options":{"full_scan":true},"rows":[\n{"n": "x"}\n]}\n');
});

test.each([
  ['as many rows', '{"rows":[{"a":1},{"a":2}],"x":{"rows":[]},"ro\\u0077s":[{"a":3},{"a":4}]}'],
  [
    'fewer rows, and other arrays',
    '{"rows":[{"a":1}],"x":[{"a":2},{"a":3}],"rows":[{"a":4},{"a":5}],"y":[]}',
  ],
])('an object with rows twice is refused: %s', async (name, content) => {
  const { code, stderr, good, held } = await divided(`twice-${name.length}.json`, content);
  expect([code, good, held]).toEqual([3, null, null]);
  expect(stderr).toEndWith('.json: The object must have rows only once\n');
});

test('an object with rows twice, the second of several batches, is refused', async () => {
  const rows = Array.from({ length: 10_001 }, (_, n) => JSON.stringify({ n })).join(',');
  const { code, stderr, good } = await divided('twice.json', `{"rows":[{"n":0}],"rows":[${rows}]}`);
  expect([code, good]).toEqual([3, null]);
  expect(stderr).toContain('The object must have rows only once');
});

test('several batches and compression', async () => {
  const lines = Array.from({ length: 20_005 }, (_, i) => (i % 5000 === 1 ? '{"n":"x"}' : `{"n":${i}}`));
  const { good, held } = await divided('many.ndjson.gz', Bun.gzipSync(`${lines.join('\n')}\n`));
  expect(text(Bun.gunzipSync(held as never))).toBe('{"n":"x"}\n'.repeat(5));
  expect(text(Bun.gunzipSync(good as never)).split('\n')).toHaveLength(20_001);
});

test('a batch that stops the gate for more than single rows is held whole', async () => {
  const csv = `a,b\n${Array.from({ length: 40 }, (_, i) => `${i},${i < 5 ? i : ''}`).join('\n')}\n`;
  const { code, good, held } = await divided('nulls.csv', csv);
  expect([code, text(good!), text(held!)]).toEqual([2, 'a,b\n', csv]);
});

test('after an error neither part is there', async () => {
  const { code, good, held } = await divided('broken.csv', 'a\n1\n"x');
  expect([code, good, held]).toEqual([3, null, null]);
  expect(readdirSync(folder.path).filter(name => name.endsWith('.unfinished'))).toEqual([]);
});

test('a folder of the name that an unfinished part has is an error, and is left as it is', async () => {
  const file = await folder.write('a.csv', 'a\n1\n');
  await folder.write('part.csv.unfinished/mine', 'kept');
  const { code, stderr } = await sluice(['screen', '--good', folder.at('part.csv'), file]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('part.csv: Writing the file failed: EISDIR')]);
  expect(await Bun.file(folder.at('part.csv.unfinished/mine')).text()).toBe('kept');
});

test.each<[string, (file: string) => string[], RegExp]>([
  ['the file itself', file => ['--good', file, file], /--good would replace \S+a.csv, which this/],
  [
    'one file for both',
    file => ['--good', `${file}.x`, '--held', `${file}.x`, file],
    /--held would replace \S+a.csv.x, which this/,
  ],
  ['two files', file => ['--good', `${file}.x`, file, file.replace('a.csv', 'b.csv')], /divide one file/],
  [
    'a folder that is not there',
    file => ['--good', `${file}/x/y`, file],
    /^sluice: [^\n]*y: Writing the file failed: [^\n]*\n$/,
  ],
])('%s is refused', async (_, args, said) => {
  const file = await folder.write('a.csv', 'a\n1\n');
  const { code, stderr } = await sluice(['screen', ...args(file)]);
  expect([code, stderr]).toEqual([3, expect.stringMatching(said)]);
  expect(await Bun.file(file).text()).toBe('a\n1\n');
});
