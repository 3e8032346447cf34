import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { DamagedBytes } from '../../src/baseline/bytes.ts';
import { type BatchStatistics, measurementOf } from '../../src/baseline/batch-statistics.ts';
import { BRIEF, FULL, STANDARD } from '../../src/baseline/detail.ts';
import { decodeRecord, encodeRecord } from '../../src/baseline/encode-record.ts';
import { decodeState, encodeState } from '../../src/baseline/encode-state.ts';
import { FIRST_MEASUREMENTS, VERSION } from '../../src/baseline/format-versions.ts';
import { fold, mergeState } from '../../src/baseline/merge.ts';
import type { BaselineRecord } from '../../src/baseline/record.ts';
import type { BatchState, FieldState } from '../../src/baseline/state.ts';
import type { UnknownNumbers } from '../../src/baseline/unknown-measurements.ts';
import { MEASUREMENTS, PLACE, WIDTH } from '../../src/statistics/registry.ts';
import { anyBatch, anyBatches, batchState, idOf, numberField, textField } from './batches.ts';
import { golden, goldenRecord, goldenWithBrief, recordOf, writtenBytes } from './golden.ts';
import version1 from './version-1.json' with { type: 'json' };
import version2 from './version-2.json' with { type: 'json' };
import drafts from './version-2-drafts.json' with { type: 'json' };
import version3 from './version-3.json' with { type: 'json' };
import version4 from './version-4.json' with { type: 'json' };
import version5 from './version-5.json' with { type: 'json' };

/** Typed arrays with a NaN in them equal nothing. */
const comparable = (state: BatchState) => ({
  ...state,
  fields: new Map(
    [...state.fields].map(([name, field]) => [name, { ...field, numbers: [...field.numbers] }]),
  ),
});

describe('encode', () => {
  test('a decoded state equals the encoded one', () => {
    fc.assert(
      fc.property(anyBatch('req_1'), fc.boolean(), fc.boolean(), (batch, provisional, proposed) => {
        const state = { ...batch, provisional, ...(proposed && { proposed }) };
        expect(comparable(decodeState(encodeState(state)))).toEqual(comparable(state));
        expect([...decodeState(encodeState(state)).fields.keys()]).toEqual([...state.fields.keys()]);
      }),
    );
  });

  test('a decoded record equals the folded one, with every number of its last batches', () => {
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
            for (let place = 0; place < WIDTH; place++) {
              expect(measurementOf(recentBack[index]!, name, place)).toBe(measurementOf(batch, name, place));
            }
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('encoding again gives the same bytes', () => {
    fc.assert(
      fc.property(anyBatches(5), states => {
        const bytes = encodeRecord(recordOf(states));
        expect(encodeRecord(decodeRecord(bytes))).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });

  test('bytes are read the same wherever they lie in a Buffer', () => {
    const state = batchState('r', 2, { a: numberField([1, 2]), b: textField([1, 2]) });
    const padded = Buffer.concat([Buffer.from('x'), encodeState(state)]).subarray(1);
    expect(comparable(decodeState(padded))).toEqual(comparable(state));
    const record = Buffer.concat([Buffer.from('xyz'), encodeRecord(recordOf([state]))]).subarray(3);
    expect(plain(decodeRecord(record))).toEqual(plain(recordOf([state])));
  });

  test('refuses any damaged byte', () => {
    const state = batchState('r', 2, { a: numberField([1, 2]), b: textField([1, 2]) });
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, ofRecord) => {
        const bytes = ofRecord ? encodeRecord(recordOf([state])) : encodeState(state);
        bytes[at % bytes.length]! ^= change;
        expect(() => (ofRecord ? decodeRecord(bytes) : decodeState(bytes))).toThrow(DamagedBytes);
      }),
    );
  });

  test('refuses bytes that are cut, empty, or of the other kind', () => {
    const state = batchState('r', 2, { a: numberField([1, 2]) });
    const bytes = encodeState(state);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeState(bytes.subarray(0, length))).toThrow(DamagedBytes);
    }
    expect(() => decodeRecord(bytes)).toThrow(DamagedBytes);
    expect(() => decodeState(encodeRecord(recordOf([state])))).toThrow(DamagedBytes);
  });

  test('names the version of a newer program in the error', () => {
    const bytes = encodeState(batchState('r', 1, {}));
    bytes[1] = VERSION + 1;
    expect(() => decodeState(bytes)).toThrow(`version ${VERSION + 1} is unknown`);
  });
});

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
/** Typed arrays with a NaN in them equal nothing. */
const plain = ({ recent, ...record }: BaselineRecord) => ({
  ...record,
  recent: recent.map(batch => ({ ...batch, numbers: [...batch.numbers], brief: [...batch.brief] })),
});

describe('the bytes of version 1', () => {
  const of = (i: number) =>
    batchState(idOf(i), 3, { x: numberField([i, 1, 2]), y: textField([i % 7, 1, 2]) });
  /** It had no optional measurements. */
  const without = (state: BatchState): BatchState => {
    const withoutOptional = ({ numbers, ...field }: FieldState): FieldState => ({
      ...field,
      numbers: numbers.map((value, i) => (isOptional[i] ? Number.NaN : value)),
    });
    return {
      ...state,
      fields: new Map([...state.fields].map(([name, field]) => [name, withoutOptional(field)])),
    };
  };
  const isOptional = MEASUREMENTS.flatMap(({ group, width }) =>
    Array<boolean>(width).fill(group !== 'rows' && group !== 'numbers'),
  );

  test('are read as they were written', () => {
    expect(comparable(decodeState(bytesOf(version1.state)))).toEqual(comparable(without(of(0))));
    const record = plain(recordOf([0, 1, 2].map(of).map(without)));
    expect(plain(decodeRecord(bytesOf(version1.record)))).toEqual(record);
  });

  test('are written again in the newest version', () => {
    const record = decodeRecord(bytesOf(version1.record));
    expect(plain(decodeRecord(encodeRecord(record)))).toEqual(plain(record));
    expect(encodeRecord(record)[1]).toBe(VERSION);
  });
});

describe('the bytes of version 2', () => {
  const record = decodeRecord(bytesOf(version2.record));
  const numbersOf = (batch: BatchStatistics, field: string) =>
    Object.fromEntries(
      MEASUREMENTS.map(({ id, place, width }) => [
        id,
        Array.from({ length: width }, (_, i) => measurementOf(batch, field, place + i)).map(orNull),
      ]),
    );
  const orNull = (value: number) => (Number.isNaN(value) ? null : value);
  const allNumbersOf = (batches: readonly BatchStatistics[]) =>
    batches.map(batch =>
      Object.fromEntries([...batch.places.keys()].map(field => [field, numbersOf(batch, field)])),
    );

  const UNMEASURED = Object.fromEntries(
    MEASUREMENTS.map(({ id, width }) => [id, Array<number | null>(width).fill(null)]),
  );
  /** What the old program measured; what was added since is not known. */
  const recorded = version2.numbers.map(batch =>
    Object.fromEntries(
      Object.entries(batch).map(([field, numbers]) => [field, { ...UNMEASURED, ...numbers }]),
    ),
  );
  test('are read with every measurement', () => {
    expect(allNumbersOf(record.recent) as unknown).toEqual(recorded);
    const [, second] = record.recent;
    expect(second).toMatchObject({ id: idOf(1), chunk: true, verdict: 'WARN', health: 0.75, rows: 3 });
    expect([...record.fields.keys()]).toEqual(['x', 'y', 'z']);
    expect(record.fields.get('y')!.known).toHaveLength(3);
  });

  test('of a state give the same measurements', () => {
    const state = decodeState(bytesOf(version2.state));
    const [batch] = recordOf([state]).recent;
    expect(allNumbersOf([batch!]) as unknown).toEqual([recorded[1]]);
    expect(state).toMatchObject({ id: idOf(1), chunk: true, verdict: 'WARN', health: 0.75, rows: 3 });
  });

  test('are written again in the newest version', () => {
    expect(plain(decodeRecord(encodeRecord(record)))).toEqual(plain(record));
    const state = decodeState(bytesOf(version2.state));
    expect(comparable(decodeState(encodeState(state)))).toEqual(comparable(state));
  });

  test('had these measurements in these positions', () => {
    expect(FIRST_MEASUREMENTS.map(([id, storage, width]) => `${id} ${storage} ${width}`)).toEqual(
      version3.first,
    );
  });
});

describe('the bytes of version 3', () => {
  const knew = new Set(version3.layout.map(line => line.split(' ')[0]));
  const known = knownTo(knew);

  test('are read as they were written', () => {
    expect(comparable(decodeState(bytesOf(version3.state)))).toEqual(comparable(known(golden(1))));
    const record = recordOf([0, 1, 2].map(golden).map(known));
    expect(plain(decodeRecord(bytesOf(version3.record)))).toEqual(plain(record));
  });

  test('of the first program of this version are read', () => {
    const state = decodeState(bytesOf(version3.first_state));
    const first = knownTo(new Set(version3.first_layout))(golden(1));
    expect(comparable(state)).toEqual(comparable(first));
  });

  test('are written again in the newest version', () => {
    const record = decodeRecord(bytesOf(version3.record));
    expect(plain(decodeRecord(encodeRecord(record)))).toEqual(plain(record));
    expect(encodeRecord(record)[1]).toBe(VERSION);
  });
});

describe.each(['first', 'second'] as const)('the bytes of the %s draft of version 2', draft => {
  const { state, record } = drafts[draft];

  test('are read, without what it measured in its own way', () => {
    const decoded = decodeState(bytesOf(state));
    expect(decoded.rows).toBe(30);
    for (const [name, type] of [
      ['x', 'numbers'],
      ['t', 'strings'],
      ['f', 'booleans'],
    ] as const) {
      const { numbers } = decoded.fields.get(name)!;
      expect([name, numbers[PLACE.present], numbers[PLACE[type]]]).toEqual([name, 30, 30]);
      expect(numbers[PLACE.content]).not.toBeNaN();
      expect(numbers[PLACE.inspected]).toBeNaN();
    }
  });

  test('are written again in the newest version', () => {
    const decoded = decodeRecord(bytesOf(record));
    expect([decoded.batches, decoded.recent.length, [...decoded.fields.keys()]]).toEqual([
      32,
      32,
      ['x', 't', 'f'],
    ]);
    expect(decoded.recent.every(({ rows }) => rows === 30)).toBe(true);
    expect(plain(decodeRecord(encodeRecord(decoded)))).toEqual(plain(decoded));
  });

  test('are damaged where they are cut', () => {
    const bytes = bytesOf(record);
    expect(() => decodeRecord(bytes.subarray(0, -1))).toThrow(DamagedBytes);
  });
});

describe('the bytes of version 4', () => {
  const knew = new Set(version4.layout.map(line => line.split(' ')[0]));
  const known = knownTo(knew);

  test('are read as they were written', () => {
    expect(comparable(decodeState(bytesOf(version4.state)))).toEqual(comparable(known(goldenWithBrief(1))));
    const record = decodeRecord(bytesOf(version4.record));
    const { recent, fields } = goldenRecord();
    expect(record.recent.map(({ id, duplicateRows }) => [id, duplicateRows])).toEqual(
      recent.map(({ id }) => [id, Number.NaN]),
    );
    expect(record.fields).toEqual(fields);
  });

  test('of the first program of this version are read', () => {
    const first = knownTo(new Set(version4.first_layout))(goldenWithBrief(1));
    expect(comparable(decodeState(bytesOf(version4.first_state)))).toEqual(comparable(first));
  });

  test('are written again in the newest version', () => {
    const record = decodeRecord(bytesOf(version4.record));
    expect(plain(decodeRecord(encodeRecord(record)))).toEqual(plain(record));
    expect(encodeRecord(record)[1]).toBe(VERSION);
  });
});

/** The state as a program of versions 3 and 4 measured it that knew these measurements: nothing of the batch as a whole. */
function knownTo(ids: ReadonlySet<string | undefined>) {
  const unknown = MEASUREMENTS.filter(({ id }) => !ids.has(id));
  return (state: BatchState): BatchState => {
    for (const { numbers } of state.fields.values())
      for (const { place, width } of unknown) numbers.fill(Number.NaN, place, place + width);
    return { ...state, duplicateRows: Number.NaN };
  };
}

/**
 * Stored baselines outlive the program that wrote them. A new measurement changes what is written, but old programs skip it, and new programs read what
 * old ones wrote: `npm run golden` writes the file again. Any other change needs a new version, with golden bytes of its own: never change an id, a
 * storage or a width.
 */
describe('the bytes of version 5', () => {
  const written = writtenBytes();

  test('have this layout', () => {
    expect(VERSION).toBe(5);
    expect(written.layout).toEqual(version5.layout);
  });

  test('are these, and are read as they were written', () => {
    expect(written.state).toBe(version5.state);
    expect(written.record).toBe(version5.record);
    expect(comparable(decodeState(bytesOf(version5.state)))).toEqual(comparable(goldenWithBrief(1)));
    expect(plain(decodeRecord(bytesOf(version5.record)))).toEqual(plain(goldenRecord()));
  });

  test('hold fields of every detail', () => {
    const { fields } = decodeRecord(bytesOf(version5.record));
    expect([...fields].map(([name, { detail }]) => [name, detail])).toEqual([
      ['x', FULL],
      ['y', STANDARD],
      ['z', FULL],
      ['w', BRIEF],
    ]);
  });

  test('of the first program of this version are read', () => {
    const { duplicateRows } = goldenWithBrief(1);
    const first = { ...knownTo(new Set(version5.first_layout))(goldenWithBrief(1)), duplicateRows };
    expect(comparable(decodeState(bytesOf(version5.first_state)))).toEqual(comparable(first));
  });
});

describe('measurements of a newer program', () => {
  const UNKNOWN: UnknownNumbers = {
    measurements: [
      { id: 'tone', storage: 'count', width: 2, place: 0 },
      { id: 'weight', storage: 'f32', width: 1, place: 2 },
      { id: 'print', storage: 'u32', width: 1, place: 3 },
    ],
    width: 4,
    // Of three fields, of which the second has nothing and the third only a part.
    numbers: Float64Array.of(
      ...[1, 300, 0.5, 2 ** 32 - 2],
      ...[Number.NaN, Number.NaN, Number.NaN, Number.NaN],
      ...[0, Number.NaN, Number.NaN, 7],
    ),
  };
  const newer = (i: number): BatchState => ({ ...golden(i), unknown: UNKNOWN });
  const plainUnknown = ({ measurements, numbers }: UnknownNumbers) => [measurements, [...numbers]];

  test('survive in a state', () => {
    const { unknown, ...state } = decodeState(encodeState(newer(1)));
    expect(plainUnknown(unknown!)).toEqual(plainUnknown(UNKNOWN));
    expect(comparable(state)).toEqual(comparable(golden(1)));
  });

  test('survive decoding, merging and encoding; batches without them stay without', () => {
    const states = [decodeState(encodeState(newer(0))), golden(1), decodeState(encodeState(newer(2)))];
    const once = decodeRecord(encodeRecord(recordOf(states)));
    const twice = decodeRecord(encodeRecord(fold(mergeState(once, golden(3)))));
    for (const { recent } of [once, twice]) {
      for (const i of [0, 2]) expect(plainUnknown(recent[i]!.unknown!)).toEqual(plainUnknown(UNKNOWN));
      expect(recent[1]!.unknown!.numbers.every(Number.isNaN)).toBe(true);
    }
    const withoutUnknown = twice.recent.map(({ unknown: _, ...batch }) => batch);
    const expected = plain(recordOf([0, 1, 2, 3].map(golden))).recent;
    expect(plain({ ...twice, recent: withoutUnknown }).recent).toEqual(expected);
  });

  test('of two newer programs are kept side by side', () => {
    const other: UnknownNumbers = {
      measurements: [{ id: 'charm', storage: 'count', width: 1, place: 0 }],
      width: 1,
      numbers: Float64Array.of(4, 5, Number.NaN),
    };
    const { recent } = decodeRecord(encodeRecord(recordOf([newer(0), { ...golden(1), unknown: other }])));
    expect(recent[0]!.unknown!.measurements.map(({ id }) => id)).toEqual([
      'tone',
      'weight',
      'print',
      'charm',
    ]);
    expect([...recent[1]!.unknown!.numbers].filter(value => !Number.isNaN(value))).toEqual([4, 5]);
  });
});
