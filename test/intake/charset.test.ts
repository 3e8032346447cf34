import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { Transcoder } from '../../src/intake/charset.ts';

const bytesOf = (text: string) => Uint8Array.from(text, character => character.charCodeAt(0));

function transcode(charset: string, pieces: Uint8Array[]): string {
  const transcoder = new Transcoder(charset);
  const out = pieces.flatMap(piece => [...transcoder.next(piece)]);
  return Buffer.concat([...out, transcoder.finish()]).toString();
}

const utf16 = (text: string): Uint8Array => Buffer.from(text, 'utf16le');

describe('decoding', () => {
  test('windows-1252 knows the euro sign', () => {
    expect(transcode('windows-1252', [bytesOf('\x80 caf\xe9')])).toBe('€ café');
  });

  test('utf-16le leaves out its byte-order mark', () => {
    expect(transcode('utf-16le', [utf16('\ufeffa,b\n😀,1')])).toBe('a,b\n😀,1');
  });

  test('any cut into pieces gives the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat({ max: 3 })), (text, lengths) => {
        const bytes = utf16(text.toWellFormed());
        const pieces: Uint8Array[] = [];
        let at = 0;
        for (const length of lengths) {
          pieces.push(bytes.subarray(at, at + length));
          at += length;
        }
        expect(transcode('utf-16le', [...pieces, bytes.subarray(at)])).toBe(transcode('utf-16le', [bytes]));
      }),
    );
  });
});

describe('bytes that the charset does not allow', () => {
  /** In windows-1253 0xAA is no character; in shift_jis 0x82 begins one that 0x0A cannot end. */
  test.each([
    ['windows-1253', 'a\n\xaa', 2],
    ['windows-1253', 'a\r\nb\rc\n\xaa', 4],
    ['windows-1253', '\xaa\n\n\n', 1],
    ['shift_jis', 'a\n\x82\xa0\n\xff', 3],
    ['gb18030', 'a\n\x84\x31\xa4\x37\n\xff\xff', 3],
  ])('in %s are found on their line, in one piece or byte by byte', (charset, text, line) => {
    const bytes = bytesOf(text);
    const singles = [...bytes].map(byte => Uint8Array.of(byte));
    for (const pieces of [[bytes], singles])
      expect(() => transcode(charset, pieces)).toThrow(new RegExp(`^Line ${line} .*${charset}`));
  });

  test('are found beyond the first slice', () => {
    const text = `${'x\r\n'.repeat(50_000)}\xaa`;
    expect(() => transcode('windows-1253', [bytesOf(text)])).toThrow(/^Line 50001 /);
  });

  test('include half a character at the end', () => {
    expect(() => transcode('shift_jis', [bytesOf('a\nb\n\x82')])).toThrow(/^Line 3 /);
    expect(() => transcode('utf-16le', [utf16('a\nb'), Uint8Array.of(0x41)])).toThrow(/^Line 2 /);
  });
});
