/** Batches whose bytes are kept in `version-3.json`: see `encode.test.ts`. */
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import { encodeState } from '../../src/baseline/encode-state.ts';
import { fold, mergeState } from '../../src/baseline/merge.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import type { BatchState, FieldState } from '../../src/baseline/state.ts';
import { MEASUREMENTS } from '../../src/statistics/registry.ts';
import { batchState, fieldState, idOf, numberField, textField } from './batches.ts';
import version3 from './version-3.json' with { type: 'json' };

export const recordOf = (states: Parameters<typeof mergeState>[1][]) =>
  fold(states.reduce(mergeState, EMPTY_RECORD));

/** Where each measurement was in the first program of version 3; those added since follow in the order of the layout. */
const firstPlaces = new Map<string, number>();
let firstEnd = 0;
for (const isFirst of [true, false])
  for (const { id, width } of MEASUREMENTS) {
    if (version3.first_layout.includes(id) !== isFirst) continue;
    firstPlaces.set(id, firstEnd);
    firstEnd += width;
  }

/** Every measurement has another value, which stays when others are added. */
export function golden(i: number): BatchState {
  const field = (from: FieldState): FieldState => {
    for (const { id, place, width, group, storage } of MEASUREMENTS) {
      if (group === 'rows' || group === 'numbers') continue;
      for (let offset = 0; offset < width; offset++) {
        const at = firstPlaces.get(id)! + offset;
        from.numbers[place + offset] = storage === 'f32' ? at / 64 : (at * 37 + i) % 300;
      }
    }
    return from;
  };
  return batchState(
    idOf(i),
    3,
    {
      x: field(numberField([i, 1.5, 2])),
      y: field(textField([i % 7, 1, 2])),
      z: fieldState({ present: 3, values: 3, onlyCharged: true }),
    },
    i === 1 ? { chunk: true, verdict: 'WARN', health: 0.75 } : {},
  );
}

/** What this program writes. */
export const writtenBytes = () => ({
  layout: MEASUREMENTS.map(({ id, storage, width, group }) => `${id} ${storage} ${width} ${group}`),
  state: textOf(encodeState(golden(1))),
  record: textOf(encodeRecord(recordOf([0, 1, 2].map(golden)))),
});

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
