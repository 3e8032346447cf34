/** An enumeration as `assembly/rules/allowed.ts` reads it: its header, its hash table, values, then the bytes of texts. */
import { ALLOWED_BYTES, ENUMERATION_BYTES, Tag } from '../../assembly/abi.ts';

const TEXT = 0;
const NUMBER = 1;

export function enumerationOf(values: readonly (string | number | boolean)[]): Uint8Array {
  const slots = 2 ** Math.ceil(Math.log2(2 * values.length + 1));
  const entries = ENUMERATION_BYTES + 2 * slots;
  const texts = entries + ALLOWED_BYTES * values.length;
  const characters = values.reduce<number>(
    (sum, each) => sum + (typeof each === 'string' ? each.length : 0),
    0,
  );
  const data = new Uint8Array(texts + 3 * characters);
  const view = new DataView(data.buffer);
  const encoder = new TextEncoder();
  let end = texts;
  let kinds = 0;
  for (const [i, value] of values.entries()) {
    const entry = entries + ALLOWED_BYTES * i;
    if (typeof value === 'string') {
      const { written } = encoder.encodeInto(value, data.subarray(end));
      view.setUint32(entry + 8, end, true);
      view.setUint32(entry + 12, written, true);
      end += written;
    } else if (typeof value === 'number') view.setFloat64(entry + 8, value, true);
    view.setUint32(entry + 16, kindOf(value), true);
    kinds |= 1 << kindOf(value);
  }
  view.setUint32(0, slots, true);
  view.setUint32(4, values.length, true);
  view.setUint32(8, kinds, true);
  return data.subarray(0, end);
}

function kindOf(value: string | number | boolean): number {
  if (typeof value === 'boolean') return value ? Tag.TRUE : Tag.FALSE;
  return typeof value === 'string' ? TEXT : NUMBER;
}
