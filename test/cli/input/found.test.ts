/** What is found in the bytes of a file: compression, format, encoding, delimiter. */
import { afterAll, describe, expect, test } from 'bun:test';
import { Format } from '../../../assembly/abi.ts';
import { charsetIn, codingIn, dialectIn, formatIn, lastCharacterEnd } from '../../../src/cli/input/found.ts';
import { Folder, sluice } from '../sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());

const COMMA = ','.charCodeAt(0);
const utf8 = (text: string) => new TextEncoder().encode(text);
const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const wide = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));

describe('the delimiter', () => {
  const found = (text: string) => String.fromCharCode(dialectIn(text, COMMA, false).delimiter);

  test.each([
    ['a;b\n1;2\n', ';'],
    ['a\tb\n1\t2\n', '\t'],
    ['a|b\n1|2\n', '|'],
    ['"a"|"b"\n"1"|"2"\n', '|'],
    ['id;price\n1;2,50\n2;3,99\n', ';'],
    ['"Smith, John";x\n"Doe, Jane";y\n', ';'],
    ['\ufeff"a;b";c\r\n"1";2\r\n', ';'],
    ['a;b\r1;2\r', ';'],
    ['a;b', ';'],
  ])('of %j is %j', (text, delimiter) => expect(found(text)).toBe(delimiter));

  test.each([
    ['that divides the rows evenly wins over others that do', 'id,list\n1,a;b\n2,c;d\n'],
    ['even if another makes more columns', 'id,a|b|c\n1,x|y|z\n'],
    ['where the rows of another are not even', 'id,note\n1,a;b;c\n2,d\n3,e;f\n'],
    ['of one column', 'note\nx;y\n'],
    ['inside quotes does not count', '"a;b"\n"1;2"\n'],
    ['of nothing', ''],
  ])('that is usual, %s', (_, text) => expect(found(text)).toBe(','));

  test('nine rows of ten must be even', () => {
    expect(found(`a;b\n${'1;2\n'.repeat(9)}x\n`)).toBe(';');
    expect(found(`a;b\n${'1;2\n'.repeat(8)}x\ny\n`)).toBe(',');
  });
});

describe('the encoding', () => {
  test.each([
    ['a,b\n', 'ascii', utf8('a,b\n')],
    ['Zoë', 'utf-8', utf8('n\nZoë\n')],
    ['Zoë in one byte', 'windows-1252', latin('n\nZoë\n')],
    ['UTF-16 with a mark', 'utf-16le', wide('\ufeffa,b\n1,2\n')],
    ['UTF-16 without a mark', 'utf-16le', wide('a,b\n1,2\n')],
    ['UTF-8 with one broken byte', 'utf-8', Buffer.concat([utf8('Zoë Zoë Zoë\n'), latin('ë\n')])],
    ['a byte that windows-1252 leaves free', 'unknown', latin('n\n\x81\x8d\n')],
    ['UTF-32', 'unknown', new Uint8Array(Buffer.from('a\0\0\0,\0\0\0b\0\0\0'))],
  ] as const)('of %s is %s', (_, charset, bytes) => expect(charsetIn(bytes, COMMA)).toBe(charset));

  test.each([1, 2, 3])('a character cut after %d bytes is no fault', length => {
    const bytes = utf8('x😀').subarray(0, 1 + length);
    expect(lastCharacterEnd(bytes)).toBe(1);
    expect(lastCharacterEnd(utf8('x😀'))).toBe(5);
  });
});

test('the compression is found by its first bytes', () => {
  expect(codingIn(Bun.gzipSync('x'))).toBe('gzip');
  expect(codingIn(Bun.zstdCompressSync('x'))).toBe('zstd');
  expect(codingIn(utf8('a,b\n'))).toBeNull();
});

test.each([
  ['[{"a":1}]', Format.JSON],
  [' \n{"source":"x","rows":[]}', Format.JSON],
  ['{"a":1}\n{"a":2}\n', Format.NDJSON],
  ['a,b\n1,2\n', Format.CSV],
  ['a;b\n1;2\n', Format.CSV],
  ['some words\n', null],
])('the format of %j is %p', (text, format) => expect(formatIn(text)).toBe(format));

describe('a file is read as it is, and what was found is said', () => {
  /** Field names, and what was said. */
  async function read(name: string, content: string | Uint8Array, ...options: string[]) {
    const file = await folder.write(name, content);
    const { stdout, stderr } = await sluice(['profile', '--json', ...options, file]);
    return [Object.keys(JSON.parse(stdout).fields), stderr.replaceAll(`sluice: ${file}: `, '')];
  }

  test.each<[string, string | Uint8Array, string]>([
    ['plain.csv', 'id,näme\n1,2\n', ''],
    ['marked.csv', '\ufeffid,näme\n1,2\n', 'found a byte order mark\n'],
    ['semicolons.csv', 'id;näme\n1;2\n', 'found delimiter ;\n'],
    ['bars.tsv', 'id|näme\n1|2\n', 'found delimiter |\n'],
    ['latin.csv', latin('id;näme\n1;2\n'), 'found delimiter ;, charset windows-1252 (likely)\n'],
    ['wide.csv', wide('\ufeffid\tnäme\n1\t2\n'), 'found delimiter tab, charset utf-16le\n'],
    ['packed.csv', Bun.gzipSync('id,näme\n1,2\n'), 'found compression gzip\n'],
    ['rows.dat', '[{"id":1,"näme":2}]', 'found format json\n'],
    ['lines.dat', '{"id":1,"näme":2}\n', 'found format ndjson\n'],
  ])('%s', async (name, content, said) => {
    expect(await read(name, content)).toEqual([['id', 'näme'], said]);
  });

  test('standard input needs no --format', async () => {
    const { code, stderr } = await sluice(['screen', '-'], { stdin: 'a;b\n1;2\n' });
    expect([code, stderr]).toEqual([0, 'sluice: -: found format csv, delimiter ;\n']);
  });

  test('--quiet says nothing of it, and options are not doubted', async () => {
    const file = await folder.write('said.csv', latin('id;näme\n1;2\n'));
    expect((await sluice(['screen', '-q', file])).stderr).toBe('');
    expect(await read('said.csv', latin('id;näme\n1;2\n'), '-d', ';', '--charset', 'latin1')).toEqual([
      ['id', 'näme'],
      '',
    ]);
    const wrong = await sluice(['screen', '--charset', 'utf-8', file]);
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('bytes that are not utf-8')]);
  });

  test('a file on disk is looked through to its first letter beyond ASCII', async () => {
    const rows = `${'1,2\n'.repeat(600_000)}`;
    const late = await read('late.csv', latin(`id,n\n${rows}ë,ä\n`));
    expect(late).toEqual([['id', 'n'], 'found charset windows-1252 (likely)\n']);
    // The first scan ends inside this character.
    const filler = 'x'.repeat(64 * 1024 + 1024 * 1024 - 6);
    expect(await read('split.csv', `id,n\n${filler}ë,2\n`)).toEqual([['id', 'n'], '']);
  });
});

test.each([
  '<!doctype html>\n<title>502</title>\n',
  '<html><body>Sign in</body></html>\n',
  '\ufeff\n<HTML lang="en">\n<head>\n',
  '<head><title>x</title></head>\n',
  '<table><tr><td>1</td></tr></table>\n',
  '<meta charset="utf-8"><table>\n',
  '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
  '<Error><Code>AccessDenied</Code></Error>',
])('a page saved as CSV is refused as what it is: %j', async page => {
  const file = await folder.write('page.csv', page);
  const { code, stdout, stderr } = await sluice(['screen', file]);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toBe(
    `sluice: ${file}: The file is an HTML or XML page, not CSV; look where it comes from, and screen the rows themselves\n`,
  );
});
