/** Batches whose bytes are kept in `version-5.json`: see `encode.test.ts`. */
import { reduced } from '../../src/baseline/collect-statistics.ts';
import { STANDARD } from '../../src/baseline/detail.ts';
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import { encodeState } from '../../src/baseline/encode-state.ts';
import { fold, mergeState } from '../../src/baseline/merge.ts';
import { type BaselineRecord, EMPTY_RECORD, withDetail } from '../../src/baseline/record.ts';
import { type BatchState, briefly, type FieldState } from '../../src/baseline/state.ts';
import { MEASUREMENTS } from '../../src/statistics/registry.ts';
import { batchState, fieldState, idOf, numberField, textField } from './batches.ts';
import version4 from './version-4.json' with { type: 'json' };

export const recordOf = (states: Parameters<typeof mergeState>[1][]) =>
  fold(states.reduce(mergeState, EMPTY_RECORD));

/** Where each measurement was in the first program of version 4; those added since follow in the order of the layout. */
const firstPlaces = new Map<string, number>();
let firstEnd = 0;
const since = MEASUREMENTS.map(({ id }) => id).filter(id => !version4.first_layout.includes(id));
for (const id of [...version4.first_layout, ...since]) {
  firstPlaces.set(id, firstEnd);
  firstEnd += MEASUREMENTS.find(each => each.id === id)?.width ?? 0;
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
    { duplicateRows: i, ...(i === 1 && { chunk: true, verdict: 'WARN', health: 0.75 }) },
  );
}

/** The same, with a field that has only types, presence and nulls. */
export function goldenWithBrief(i: number): BatchState {
  const state = golden(i);
  return { ...state, fields: new Map([...state.fields, ['w', briefly(state.fields.get('y')!)]]) };
}

/** A record with a brief, a standard and two full fields. */
export function goldenRecord(): BaselineRecord {
  const record = recordOf([0, 1, 2].map(goldenWithBrief));
  const fields = new Map(record.fields).set('y', withDetail(record.fields.get('y')!, STANDARD));
  return { ...record, fields, recent: reduced(record.recent, fields) };
}

/** What this program writes. */
export const writtenBytes = () => ({
  layout: MEASUREMENTS.map(({ id, storage, width, group }) => `${id} ${storage} ${width} ${group}`),
  state: textOf(encodeState(goldenWithBrief(1))),
  record: textOf(encodeRecord(goldenRecord())),
});

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
