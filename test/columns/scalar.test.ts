import { describe, expect, test } from 'bun:test';
import { Layout } from '../../assembly/abi.ts';
import type { Vector } from '../../src/columns/field.ts';
import { scalarText } from '../../src/columns/scalar.ts';
import { quoted } from '../../src/terms/errors.ts';

const NAME = `a'\u202e\n${'x'.repeat(1000)}`;
const NONE = { at: 0, length: 0 };

/** A vector with one text. Its memory holds 255 in every byte, so every offset that is read points outside. */
function damagedText(layout: Layout): Vector {
  const field = { name: NAME, layout, nesting: null, parameter: 0, children: [], dictionary: null };
  const physical = { isJson: false, physicalType: 'utf8' };
  const values = { at: 0, length: 16 };
  return {
    field: { ...field, ...physical },
    length: 1,
    validity: null,
    offsets: NONE,
    values,
    buffers: [],
    children: [],
  };
}

describe('a text that lies outside of its buffers', () => {
  test.each([
    ['its offsets', Layout.TEXT32],
    ['its large offsets', Layout.TEXT64],
    ['its view', Layout.TEXT_VIEW],
    ['the view of its bytes', Layout.BYTES_VIEW],
  ])('by %s is refused with the name of its column escaped and cut', (_, layout) => {
    const memory = new DataView(new Uint8Array(64).fill(255).buffer);
    expect(() => scalarText(damagedText(layout), 0, memory)).toThrow(
      `The column ${quoted(NAME)} is damaged: a value lies outside of its buffers`,
    );
  });
});
