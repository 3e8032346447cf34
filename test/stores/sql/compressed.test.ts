import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../../property/seed.ts';
import { compressed, decompressed, packed, unpacked } from '../../../src/stores/sql/compressed.ts';

test('two JSON texts survive packing byte for byte', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), fc.nat(200), (first, second, times) => {
      const long = `[${Array(times + 1).fill(second)}]`;
      expect(unpacked(packed(first, long))).toEqual([first, long]);
    }),
  );
  const forms = ['{"a":1.0,"b":1e2,"__proto__":-0, "\\u0061":"\\ud800"}', '  null '] as const;
  expect(unpacked(packed(...forms))).toEqual([...forms]);
});

test('long texts become smaller', () => {
  const text = JSON.stringify(Array(1000).fill('the same again'));
  expect(packed(text, text).length).toBeLessThan(text.length / 10);
});

test('a value survives compression', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(decompressed<unknown>(compressed(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
