/** Texts between offsets, as hostile bodies have them. */
import { describe, expect, test } from 'bun:test';
import { LargeUtf8, makeData, RecordBatchStreamWriter, Table, Utf8, Vector } from 'apache-arrow';
import { Fault, Format, Tag } from '../../assembly/abi.ts';
import { newEngine, screenBytes } from '../engine/screen-bytes.ts';

const PADDING = 40;

interface Texts {
  bytes: number[];
  offsets: number[];
  /** Whether each is valid; absent: all are. */
  valid?: boolean[];
}

const bitmapOf = (valid: boolean[]): Uint8Array =>
  valid.reduce((bits, isValid, i) => {
    bits[i >> 3]! |= +isValid << (i & 7);
    return bits;
  }, new Uint8Array(PADDING));

function bodyOf(isLarge: boolean, { bytes, offsets, valid }: Texts): Uint8Array<ArrayBuffer> {
  const length = offsets.length - 1;
  const data = Uint8Array.from(bytes);
  const validity = valid && { nullBitmap: bitmapOf(valid), nullCount: valid.filter(each => !each).length };
  const vector = isLarge
    ? new Vector([
        makeData({
          type: new LargeUtf8(),
          length,
          data,
          valueOffsets: BigInt64Array.from(offsets, BigInt),
          ...validity,
        }),
      ])
    : new Vector([
        makeData({ type: new Utf8(), length, data, valueOffsets: Int32Array.from(offsets), ...validity }),
      ]);
  const table = new Table({ text: vector as Vector });
  return new RecordBatchStreamWriter().writeAll(table).toUint8Array(true).slice();
}

const screened = (isLarge: boolean, texts: Texts) => {
  const engine = newEngine();
  return { engine, ...screenBytes(engine, bodyOf(isLarge, texts), { format: Format.ARROW }) };
};

const EUROS = [0x61, 0xe2, 0x82, 0xac, 0x62];

describe.each([false, true])('texts between offsets (of 64 bits: %p)', isLarge => {
  test.each<[string, number[], string]>([
    ['that decrease', [0, 4, 1, 5], 'has a value outside of its buffer'],
    ['that leave the buffer for one text', [0, 90, 5], 'has a value outside of its buffer'],
    ['that end within a character', [0, 2, 5], 'has a text that is not UTF-8'],
    ['that end within a character, before an empty text', [0, 2, 2, 5], 'has a text that is not UTF-8'],
    ['that begin within a character', [2, 5], 'has a text that is not UTF-8'],
  ])('%s are refused', (_, offsets, reason) => {
    const { refused } = screened(isLarge, { bytes: EUROS, offsets });
    expect(refused?.fault).toBe(Fault.COLUMNS);
    expect(refused?.reason).toContain(reason);
  });

  test('may have any bytes under a null', () => {
    const { engine, refused } = screened(isLarge, {
      bytes: [...EUROS, 0xff, 0x63],
      offsets: [0, 5, 6, 7],
      valid: [true, false, true],
    });
    expect(refused).toBeUndefined();
    expect(engine.cells(0).map(cell => cell.value)).toEqual(['a€b', null, 'c']);
  });

  test('may begin behind the first byte, and be empty', () => {
    const { engine } = screened(isLarge, { bytes: EUROS, offsets: [1, 1, 4, 4, 5, 5] });
    expect(engine.cells(0).map(cell => cell.value)).toEqual(['', '€', '', 'b', '']);
  });

  test('are null where a bit of the validity is 0, in every place', () => {
    const valid = Array.from({ length: 100 }, (_, i) => i % 3 !== 0 && i % 7 !== 0);
    const { engine } = screened(isLarge, {
      bytes: Array(100).fill(0x61),
      offsets: Array.from({ length: 101 }, (_, i) => i),
      valid,
    });
    expect(engine.cells(0).map(cell => cell.tag === Tag.STRING)).toEqual(valid);
  });
});
