/** A source as it was is kept as it was. */
import { expect, test } from 'bun:test';
import { decodeBegun, encodeBegun } from '../../src/batches/begun.ts';
import type { StoredBaseline } from '../../src/stores/ports.ts';

const NOTES = { settings: '{"mode":"adaptive"}', rules: null, pinned: true, run: null };

test.each<[string, StoredBaseline]>([
  [
    'nothing',
    { generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [], notes: NOTES },
  ],
  [
    'a record and a tail',
    {
      ...{ generation: 'g', version: 3, sequence: 9, complete: true, folded: Uint8Array.of(0, 255, 10) },
      ...{ tail: [{ id: 'req_1', state: Uint8Array.of(1) }], notes: NOTES },
    },
  ],
])('%s', (_, stored) => {
  expect(decodeBegun(encodeBegun(stored))).toEqual(stored);
  const buffers = {
    ...stored,
    tail: stored.tail.map(({ id, state }) => ({ id, state: Buffer.from(state) })),
  };
  expect(decodeBegun(encodeBegun(buffers))).toEqual(stored);
});
