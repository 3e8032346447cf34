/** CSV with backslashes, as Spark and MySQL write it, becomes that of RFC 4180. */
import { expect, test } from 'bun:test';
import { Unescape } from '../../src/intake/unescape.ts';

function unescaped(text: string, size = text.length || 1): string {
  const unescape_ = new Unescape(0x2c, 0x5c);
  const bytes = new TextEncoder().encode(text);
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(unescape_.next(bytes.subarray(at, at + size)));
  out.push(unescape_.finish());
  return Buffer.concat(out).toString();
}

test.each([
  ['a,b\n1,2\n', 'a,b\n1,2\n'],
  ['"say \\"hi\\"",2\n', '"say ""hi""",2\n'],
  ['"a ""b"" c",2\n', '"a ""b"" c",2\n'],
  ['"C:\\\\dir\\\\",2\n', '"C:\\dir\\",2\n'],
  ['a\\,b,2\n', '"a,b",2\n'],
  ['\\"a\\",2\n', '"""a""",2\n'],
  ['a\\\nb,2\n', '"a\nb",2\n'],
  ['\\N,2\n', '\\N,2\n'],
  ['a\\nb\\tc,2\n', 'a\\nb\\tc,2\n'],
  ['a"b,c\n', 'a"b,c\n'],
  ['last\\', 'last\\'],
  ['"é\\"",ü\n', '"é""",ü\n'],
])('%j', (text, expected) => {
  for (const size of [1, 2, 3, 100]) expect(unescaped(text, size)).toBe(expected);
});
