import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { RowBuffer, type RowFormat } from '../../src/stream/socket/row-buffer.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';

const NDJSON: RowFormat = { isCsv: false, delimiter: 0 };
const CSV: RowFormat = { isCsv: true, delimiter: 0x2c };
const LIMITS = { rows: 3, bytes: 1024 };

function* cut(bytes: Uint8Array, lengths: readonly number[]) {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length]!;
    yield bytes.slice(at, at + length);
    at += length;
  }
}

/** The bodies of all windows. */
function windowsOf(text: string, format: RowFormat, lengths = [1], limits = LIMITS): string[] {
  const rows = new RowBuffer(format, limits);
  const windows: string[] = [];
  const take = (count: number) => {
    if (count === 0) return;
    windows.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(rows.body(count)));
    rows.drop(count);
  };
  for (const piece of cut(new TextEncoder().encode(text), lengths)) {
    rows.add(piece);
    while (rows.full > 0) take(rows.full);
  }
  rows.finish();
  while (rows.most > 0) take(rows.most);
  return windows;
}

/** Line ends after a window depend on how its bytes came. */
const trimmed = (windows: string[]) => windows.map(window => window.trimEnd());

describe('rows that come cut anywhere', () => {
  test('a window of NDJSON has whole lines; blank ones are no rows, and the last needs no line end', () => {
    const text = '\ufeff\n{"a":1}\n \t\r\n{"a":2}\r\n{"a":3}\n\n\n{"a":4}';
    for (const length of [1, 2, 7, 1000])
      expect(trimmed(windowsOf(text, NDJSON, [length]))).toEqual([
        '{"a":1}\n \t\r\n{"a":2}\r\n{"a":3}',
        '{"a":4}',
      ]);
  });

  test('each window of CSV begins with the header; a quoted line end ends no row', () => {
    const text = '\ufeffid,"no\nte"\r\n1,a\r\n\r\n2,"b\r\n""c"\r\n3,d"\r\n4,"e"';
    for (const length of [1, 2, 7, 1000])
      expect(trimmed(windowsOf(text, CSV, [length]))).toEqual([
        'id,"no\nte"\r1,a\r\n\r\n2,"b\r\n""c"\r\n3,d"',
        'id,"no\nte"\r4,"e"',
      ]);
  });

  test('a window ends before it has too many bytes', () => {
    const row = `{"a":"${'x'.repeat(492)}"}\n`;
    expect(row).toHaveLength(501);
    expect(windowsOf(row.repeat(5), NDJSON, [100]).map(({ length }) => length)).toEqual([1002, 1002, 501]);
  });

  test('a row may be as large as a window, and no larger, also if its end does not come', () => {
    const rowOf = (bytes: number) => `{"a":"${'x'.repeat(bytes - 9)}"}\n`;
    expect(windowsOf(rowOf(1024), NDJSON)).toEqual([rowOf(1024)]);
    expect(() => windowsOf(rowOf(1025), NDJSON)).toThrow('a row may have at most 1,024 bytes');
    expect(() => windowsOf('"'.repeat(1100), CSV, [50])).toThrow('a row may have at most 1,024 bytes');
  });

  test('blank lines without end take no memory', () => {
    const rows = new RowBuffer(NDJSON, LIMITS);
    const blank = new Uint8Array(1000).fill(0x0a);
    for (let i = 0; i < 10_000; i++) rows.add(blank);
    expect(rows.isFull).toBe(false);
    rows.finish();
    expect(rows.rows).toBe(0);
  });

  test('the rows of all windows are those of the engine', () => {
    const piece = fc.constantFrom('a', '"', '""', ',', '\n', '\r', '\r\n', ' ', '1', '"x\ny"');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (pieces, lengths) => {
          const text = `h,i\n${pieces.join('')}`;
          const whole = screenBytes(ENGINE, new TextEncoder().encode(text), { format: Format.CSV });
          if (!whole.profile) return;
          const windows = windowsOf(text, CSV, lengths);
          const rows = windows.map(each => {
            const { profile } = screenBytes(ENGINE, new TextEncoder().encode(each), { format: Format.CSV });
            return profile?.rows ?? Number.NaN;
          });
          expect(rows.reduce((sum, each) => sum + each, 0)).toBe(whole.profile.rows);
        },
      ),
      { numRuns: 500 },
    );
  });
});
