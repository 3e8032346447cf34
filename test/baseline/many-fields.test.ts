/** Sources of thousands of fields: what a record keeps of each, and that it is the same in whatever way it came about. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { MAX_FIELDS, MAX_ROWS } from '../../assembly/abi.ts';
import { measurementOf, RECENT_BATCHES } from '../../src/baseline/batch-statistics.ts';
import { BRIEF, type Detail, FULL, STANDARD } from '../../src/baseline/detail.ts';
import { decodeRecord, encodeRecord } from '../../src/baseline/encode-record.ts';
import { detailsOf, MAX_RECORD_BYTES, MAX_TRACKED, untracked } from '../../src/baseline/limits.ts';
import { fold, mergeState, withinLimits } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { type BaselineRecord, EMPTY_RECORD } from '../../src/baseline/record.ts';
import { type BatchState, briefly, type FieldState } from '../../src/baseline/state.ts';
import { PLACE, WIDTH } from '../../src/statistics/registry.ts';
import { anyFieldState, batchState, idOf, LARGEST } from './batches.ts';

const merged = (states: BatchState[], from = EMPTY_RECORD): BaselineRecord => states.reduce(mergeState, from);
const known = (record: BaselineRecord) => baselineOf({ record, provisional: false });
const names = (count: number, length = 10, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => String(from + i).padStart(length, '_'));

/** The batch as it is kept: brief where the baseline has room for no more. */
function batchOf(id: number, fieldNames: string[], record: BaselineRecord, field = LARGEST): BatchState {
  const details = detailsOf(record.batches === 0 ? null : known(record), fieldNames);
  const fields = [...details].map(
    ([name, detail]) => [name, detail === BRIEF ? briefly(field) : field] as const,
  );
  return batchState(idOf(id), MAX_ROWS, new Map<string, FieldState>(fields));
}

/** Batches that have these fields by turns, every number as large as it can be. */
function largest(parts: string[][], batches = RECENT_BATCHES + 1): BaselineRecord {
  let record = EMPTY_RECORD;
  for (let i = 0; i < batches; i++) record = mergeState(record, batchOf(i, parts[i % parts.length]!, record));
  return record;
}

const detailsIn = ({ fields }: BaselineRecord): Detail[] => [...fields.values()].map(({ detail }) => detail);
const countOf = (record: BaselineRecord, detail: Detail): number =>
  detailsIn(record).filter(each => each === detail).length;

describe('a source of 4,000 fields', () => {
  const all = names(MAX_TRACKED, 40);
  const record = largest([all.slice(0, MAX_FIELDS), all.slice(MAX_FIELDS)]);

  test('is tracked in all of them, in 4 MiB', () => {
    expect([...record.fields.keys()]).toEqual(all);
    expect(encodeRecord(fold(record)).length).toBeLessThanOrEqual(MAX_RECORD_BYTES);
  });

  test('keeps type, presence, nulls and counts of each, batch by batch too', () => {
    const { fields } = known(record);
    for (const [name, field] of record.fields) {
      expect(field.type).toBe('mixed');
      expect(field.counts.string).toBeGreaterThanOrEqual(16 * MAX_ROWS);
      const { presence, nullRate } = fields.get(name)!;
      expect([presence > 0.3, nullRate > 0.3]).toEqual([true, true]);
      if (name !== all[0] && name !== all.at(-1)) continue;
      const present = record.recent.map(batch => measurementOf(batch, name, PLACE.present));
      expect(present.filter(count => count === MAX_ROWS)).toHaveLength(RECENT_BATCHES / 2);
    }
  }, 240_000);

  test('keeps values of the first fields', () => {
    const standard = countOf(record, STANDARD);
    expect(standard).toBeGreaterThan(300);
    expect(countOf(record, FULL)).toBe(0);
    expect(
      detailsIn(record)
        .slice(0, standard)
        .every(detail => detail === STANDARD),
    ).toBe(true);
    const { fields } = known(record);
    expect(fields.get(all[0]!)!.approxDistinct).toBeGreaterThan(1000);
    const last = fields.get(all.at(-1)!)!;
    expect([last.known, last.quantile(0.5), last.distinctRatio]).toEqual([null, Number.NaN, Number.NaN]);
  });

  test('does not track one more', () => {
    expect(untracked(known(record), [all[0]!, 'one more'])).toEqual(['one more']);
    const next = mergeState(record, batchOf(99, ['one more'], EMPTY_RECORD));
    expect(next.fields.has('one more')).toBe(false);
  });
});

describe('room', () => {
  test('is for every field in full up to some hundreds, and for values of more than a thousand', () => {
    const of = (count: number): number[] => {
      const details = [...detailsOf(null, names(count, 20)).values()];
      return [FULL, STANDARD, BRIEF].map(detail => details.filter(each => each === detail).length);
    };
    expect(of(450)).toEqual([450, 0, 0]);
    const [full, standard] = of(1000);
    expect(full! + standard!).toBe(1000);
    expect(of(1200)[2]).toBe(0);
    expect(of(2000)[2]).toBeGreaterThan(0);
  });

  test('ends at 4 MiB with names of 1,024 bytes: the last fields are not tracked', () => {
    const all = names(MAX_TRACKED, 1024);
    const record = largest([all.slice(0, MAX_FIELDS), all.slice(MAX_FIELDS)]);
    expect(encodeRecord(fold(record)).length).toBeLessThanOrEqual(MAX_RECORD_BYTES);
    expect(record.fields.size).toBeGreaterThan(MAX_FIELDS);
    expect(record.fields.size).toBeLessThan(MAX_TRACKED);
    const left = untracked(known(record), all);
    expect(left).toEqual(all.slice(record.fields.size));
  });

  test('is taken from the last fields first: one that is flooded keeps its own', () => {
    const own = names(100, 20);
    const before = merged([batchOf(0, own, EMPTY_RECORD)]);
    const flooded = mergeState(before, batchOf(1, names(MAX_FIELDS, 20, 1000), before));
    expect(flooded.fields.size).toBe(2100);
    expect(detailsIn(flooded).slice(0, 100)).toEqual(own.map(() => STANDARD));
    expect(detailsIn(flooded).at(-1)).toBe(BRIEF);
    const place = (name: string, at: number) => measurementOf(flooded.recent[0]!, name, at);
    expect([place(own[0]!, PLACE.mean), place(own[0]!, PLACE.inspected)]).toEqual([2, Number.NaN]);
  });

  test('is applied to a record that an older program has written', () => {
    const fields = new Map(names(MAX_FIELDS, 20).map(name => [name, LARGEST]));
    const small = merged([batchState(idOf(0), MAX_ROWS, new Map([['a', LARGEST]]))]);
    const field = small.fields.get('a')!;
    const old = { ...small, fields: new Map([...fields.keys()].map(name => [name, field])) };
    const within = withinLimits(old);
    expect(detailsIn(old).every(detail => detail === FULL)).toBe(true);
    expect(countOf(within, BRIEF)).toBeGreaterThan(0);
    expect(encodeRecord(fold(within)).length).toBeLessThanOrEqual(MAX_RECORD_BYTES);
  });
});

/** Names so long that some twenty fields fill a record. */
const longName = fc
  .tuple(fc.nat(15), fc.constantFrom(3, 30_000, 150_000, 400_000))
  .map(([name, length]) => String(name).padStart(length, 'x'));
const anyWideBatches = fc.array(
  fc.array(fc.tuple(longName, anyFieldState, fc.boolean()), { maxLength: 12 }),
  { minLength: 2, maxLength: 8 },
);

/** All that is kept: every number of every field. */
function contentOf({ fields, recent, ...rest }: BaselineRecord): unknown {
  const each = [...fields].map(([name, { sketches, components, ...field }]) => [
    name,
    field,
    [...sketches.union()],
    components.reduce((sum, { weight }) => sum + weight, 0) > 0,
    recent.map(batch =>
      Array.from({ length: WIDTH }, (_, place) => measurementOf(batch, name, place)).join(),
    ),
  ]);
  return [rest, each];
}

describe('whenever it is folded', () => {
  test('a record is what it was before it was stored', () => {
    fc.assert(
      fc.property(anyWideBatches, batches => {
        const record = fold(merged(batches.map(stateOf)));
        expect(contentOf(decodeRecord(encodeRecord(record)))).toEqual(contentOf(record));
      }),
      { numRuns: 20 },
    );
  }, 240_000);

  test('a source ends with the same fields, each with the same detail and the same numbers', () => {
    fc.assert(
      fc.property(anyWideBatches, fc.array(fc.boolean()), (batches, folds) => {
        const states = batches.map(stateOf);
        let record = EMPTY_RECORD;
        for (const [i, state] of states.entries()) {
          record = mergeState(record, state);
          if (folds[i]) record = decodeRecord(encodeRecord(fold(record)));
        }
        expect(contentOf(record)).toEqual(contentOf(merged(states)));
        expect(encodeRecord(fold(record)).length).toBeLessThanOrEqual(MAX_RECORD_BYTES);
      }),
      { numRuns: 30 },
    );
  }, 240_000);
});

function stateOf(fields: [string, FieldState, boolean][], index: number): BatchState {
  const kept = fields.map(([name, field, isShort]) => [name, isShort ? briefly(field) : field] as const);
  return batchState(idOf(index), 10_000, new Map(kept));
}
