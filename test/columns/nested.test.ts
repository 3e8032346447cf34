import { expect, test } from 'bun:test';
import { ColumnsError } from '../../src/columns/columns-error.ts';
import type { Field, Vector } from '../../src/columns/field.ts';
import { nestedTexts } from '../../src/columns/nested.ts';
import { HEAP } from '../../src/columns/scratch.ts';
import { NOTHING } from '../../src/columns/field.ts';
import { Layout } from '../../assembly/abi.ts';

const fieldOf = (layout: Layout | null, nesting: Field['nesting'], children: Field[] = []): Field => ({
  name: 'a',
  physicalType: '',
  layout,
  parameter: 0,
  nesting,
  children,
  dictionary: null,
  isJson: false,
});
const vectorOf = (field: Field, length: number, children: Vector[], offsets = NOTHING): Vector => ({
  field,
  length,
  validity: null,
  offsets,
  values: NOTHING,
  buffers: [],
  children,
});

test.each([
  ['of one list', 1],
  ['of many lists', 1000],
])('100,000 values %s are written if there is room for their texts', (_, rows) => {
  const memory = new Uint8Array((rows + 1) * 4);
  new Uint32Array(memory.buffer).set(Array.from({ length: rows + 1 }, (_, i) => (i * 100_000) / rows));
  const nulls = vectorOf(fieldOf(Layout.NULL, null), 100_000, []);
  const list = vectorOf(fieldOf(null, 'list', [nulls.field]), rows, [nulls], {
    at: 0,
    length: memory.length,
  });
  const bytes = 500_000 + rows;
  const written = (room: number) =>
    nestedTexts(list, { memory, dictionaries: new Map(), scratch: HEAP }, room).bytes.length;
  expect(written(bytes)).toBe(bytes);
  expect(() => written(bytes - 1)).toThrow(ColumnsError);
});
