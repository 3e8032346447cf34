import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { DamagedBytes } from '../../src/baseline/bytes.ts';
import { decodeRecord, decodeState, encodeRecord, encodeState } from '../../src/baseline/encode.ts';
import { fold, mergeState } from '../../src/baseline/merge.ts';
import { type BaselineRecord, EMPTY_RECORD } from '../../src/baseline/record.ts';
import { Statistic, statistic } from '../../src/baseline/statistics.ts';
import type { BatchState } from '../../src/baseline/state.ts';
import { anyBatch, anyBatches, batchState, idOf, numberField, textField } from './batches.ts';
import version1 from './version-1.json' with { type: 'json' };

const recordOf = (states: Parameters<typeof mergeState>[1][]) =>
  fold(states.reduce(mergeState, EMPTY_RECORD));

/** Typed arrays with a NaN in them equal nothing. */
const comparable = (state: BatchState) => ({
  ...state,
  fields: new Map(
    [...state.fields].map(([name, field]) => [name, { ...field, traits: field.traits && [...field.traits] }]),
  ),
});

describe('encode', () => {
  test('a state comes back as it was', () => {
    fc.assert(
      fc.property(anyBatch('req_1'), fc.boolean(), (batch, provisional) => {
        const state = { ...batch, provisional };
        expect(comparable(decodeState(encodeState(state)))).toEqual(comparable(state));
        expect([...decodeState(encodeState(state)).fields.keys()]).toEqual([...state.fields.keys()]);
      }),
    );
  });

  test('a folded record comes back as it was, with every number of its last batches', () => {
    fc.assert(
      fc.property(anyBatches(40), states => {
        const record = recordOf(states);
        const { recent: recentBack, ...back } = decodeRecord(encodeRecord(record));
        const { recent, ...rest } = record;
        expect(back).toEqual(rest);
        expect([...back.fields.keys()]).toEqual([...rest.fields.keys()]);
        for (const [index, batch] of recent.entries()) {
          const { places: _, numbers: __, ...facts } = batch;
          expect(recentBack[index]).toMatchObject(facts);
          for (const name of record.fields.keys()) {
            for (let which = 0; which < Statistic.LENGTH; which++) {
              expect(statistic(recentBack[index]!, name, which)).toBe(statistic(batch, name, which));
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('what is encoded twice is the same bytes', () => {
    fc.assert(
      fc.property(anyBatches(5), states => {
        const bytes = encodeRecord(recordOf(states));
        expect(encodeRecord(decodeRecord(bytes))).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });

  test('any damaged byte is refused and never read as something else', () => {
    const state = batchState('r', 2, { a: numberField([1, 2]), b: textField([1, 2]) });
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, ofRecord) => {
        const bytes = ofRecord ? encodeRecord(recordOf([state])) : encodeState(state);
        bytes[at % bytes.length]! ^= change;
        expect(() => (ofRecord ? decodeRecord(bytes) : decodeState(bytes))).toThrow(DamagedBytes);
      }),
    );
  });

  test('bytes that are cut, empty, or of the other kind are refused', () => {
    const state = batchState('r', 2, { a: numberField([1, 2]) });
    const bytes = encodeState(state);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeState(bytes.subarray(0, length))).toThrow(DamagedBytes);
    }
    expect(() => decodeRecord(bytes)).toThrow(DamagedBytes);
    expect(() => decodeState(encodeRecord(recordOf([state])))).toThrow(DamagedBytes);
  });

  test('what a program without traits wrote is read as it was, and the traits are not known', () => {
    const of = (i: number) =>
      batchState(idOf(i), 3, { x: numberField([i, 1, 2]), y: textField([i % 7, 1, 2]) });
    const without = (state: BatchState): BatchState => ({
      ...state,
      fields: new Map([...state.fields].map(([name, field]) => [name, { ...field, traits: null }])),
    });
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
    expect(decodeState(bytes(version1.state))).toEqual(without(of(0)));
    const plain = ({ recent, ...record }: BaselineRecord) => ({
      ...record,
      recent: recent.map(batch => ({ ...batch, numbers: [...batch.numbers] })),
    });
    const record = plain(recordOf([0, 1, 2].map(of).map(without)));
    expect(plain(decodeRecord(bytes(version1.record)))).toEqual(record);
    // .. and it is written anew in today's version.
    expect(plain(decodeRecord(encodeRecord(decodeRecord(bytes(version1.record)))))).toEqual(record);
  });

  test('a version of a newer program is named in the error', () => {
    const bytes = encodeState(batchState('r', 1, {}));
    bytes[1] = 9;
    expect(() => decodeState(bytes)).toThrow('version 9 is unknown');
  });
});
