/** Which other delimiter every record of a one-column CSV holds: the engine against an obvious counterpart. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Format } from '../../assembly/abi.ts';
import { arrivals } from '../property/pieces.ts';
import { ENGINE as engine, screenBytes, type Way } from './screen-bytes.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The other delimiter; '' without one. Null if the CSV is rejected. */
function otherIn(text: string, way: Way = {}): string | null {
  const { refused } = screenBytes(engine, bytesOf(text), { ...way, format: Format.CSV });
  const other = engine.otherDelimiter;
  return refused ? null : other === 0 ? '' : String.fromCharCode(other);
}

/** Cells in quotes are replaced by a letter, then lines are records. */
function expectedIn(text: string, delimiter: string): string {
  const quotedCell = new RegExp(`(?<=^|[\\r\\n${delimiter}])"(?:[^"]|"")*"`, 'g');
  const plain = text.replace(/^\ufeff/, '').replace(quotedCell, 'x');
  const records = plain.split(/[\r\n]/).filter(record => record !== '');
  if (records[0]!.includes(delimiter)) return '';
  return [';', '\t', '|'].find(one => records.every(record => record.includes(one))) ?? '';
}

test.each([
  [';', 'a;b\n1;2\n'],
  ['\t', 'a\tb\n1\t2'],
  ['|', '\ufeffa|b\r\n1|2\r\n\r\n3|4'],
  [';', 'a;b|c\n1;2|3\n'],
  ['|', 'a;b|c\n1|2\n'],
])('finds %p in %j', (delimiter, text) => {
  expect(otherIn(text)).toBe(delimiter);
});

test('a decimal comma in a row does not hide it', () => {
  expect(otherIn('id;price\n1;2,50\n2,5;3\n')).toBe(';');
});

test.each([
  ['the header lacks it', 'note\na;b\nc;d\n'],
  ['one row lacks it', 'a;b\n1;2\n3\n4;5\n'],
  ['the last row lacks it', 'a;b\n1;2\n3'],
  ['one row is null', 'a;b\n1;2\nNULL\n'],
  ['the cells of one row are in quotes', 'a;b\n"1;2"\n3;4\n'],
  ['the header is in quotes', '"a;b"\n1;2\n'],
  ['there are two columns', 'a;b,c\n1;2,3\n'],
  ['records hold different ones', 'a;b\n1|2\n'],
])('finds none where %s', (_, text) => {
  expect(otherIn(text)).toBe('');
});

test('is known when row 10,001 is refused, of the rows before it', () => {
  const body = `a;b\n${'1;2\n'.repeat(10_000)}`;
  expect(otherIn(`${body}3;4\n`)).toBeNull();
  expect(engine.otherDelimiter).toBe(0x3b);
  expect(otherIn(`${body}3\n`)).toBeNull();
  expect(engine.otherDelimiter).toBe(0x3b);
});

test('agrees with the obvious counterpart, however the body arrives', () => {
  const text = fc
    .array(fc.constantFrom('a', ';', '|', '\t', ',', '"', '\n', '\r\n', 'a;b\n', '"a;b"\n', '1;2\n', 'x|y'), {
      maxLength: 30,
    })
    .map(parts => parts.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(',', ';'), arrivals, (body, delimiter, arrival) => {
      const found = otherIn(body, { ...arrival, delimiter });
      fc.pre(found !== null);
      expect(found).toBe(expectedIn(body, delimiter));
    }),
  );
});

test('CSV that is refused for text behind a quote says which byte it is', () => {
  const refused = (text: string) => screenBytes(engine, bytesOf(text), { format: Format.CSV }).refused;
  expect(refused('"a";"b"\n1;2\n')!.afterQuote).toBe(0x3b);
  expect(refused('a\n"1"x\n')!.afterQuote).toBe('x'.charCodeAt(0));
  expect(refused('a\n"1\n')!.afterQuote).toBe(0);
});
