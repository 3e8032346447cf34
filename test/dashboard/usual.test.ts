/** What is usual for a field. */
import { expect, test } from 'bun:test';
import type { FieldProfile, Profile, Report, SourceChange } from '../../src/dashboard/contract.ts';
import {
  acceptsBefore,
  changedIn,
  measuresOf,
  placeOf,
  sharesIn,
  usualOf,
} from '../../src/dashboard/usual.ts';

const field = (null_rate: number, more: Partial<FieldProfile> = {}): FieldProfile => ({
  present: 10,
  nulls: 10 * null_rate,
  null_rate,
  empties: 0,
  types: { string: 10, number: 0, boolean: 0, object: 0, array: 0 },
  values: 10,
  distinct: 5,
  ...more,
});
const profile = (fields: Record<string, FieldProfile>): Profile => ({ fields });
const nullRate = (value: number) => measuresOf(field(value))[0]!;

test('the usual range of a measure is from the lowest to the highest, whatever the field is called', () => {
  const named = (rate: number) => profile(JSON.parse(`{"__proto__":${JSON.stringify(field(rate))}}`));
  const { batches, fields } = usualOf([named(0.1), named(0.3), profile({})].map(each => ({ profile: each })));
  const usual = fields.get('__proto__')!;
  expect([batches, usual.batches, usual.ranges.get('Null rate')]).toEqual([3, 2, [0.1, 0.3]]);
  expect([0.05, 0.1, 0.2, 0.3, 0.31].map(rate => placeOf(nullRate(rate), usual))).toEqual([
    'below',
    null,
    null,
    null,
    'above',
  ]);
  expect(placeOf(nullRate(1), undefined)).toBeNull();
});

test('a field that differed in an accepted batch is compared with it and those since, and has what was before', () => {
  const batch = (a: number, b: number) => profile({ a: field(a), b: field(b) });
  const changed = new Set(['a']);
  const known = [
    { profile: batch(0.5, 0.1) },
    { profile: batch(0.6, 0.2), changed },
    { profile: batch(0, 0) },
    { profile: batch(0.1, 0) },
  ];
  const { batches, fields } = usualOf(known);
  const rangeOf = (usual: { ranges: ReadonlyMap<string, unknown> } | undefined) =>
    usual?.ranges.get('Null rate');
  expect([batches, rangeOf(fields.get('a')), rangeOf(fields.get('a')!.before)]).toEqual([
    4,
    [0.5, 0.6],
    [0, 0.1],
  ]);
  expect([rangeOf(fields.get('b')), fields.get('b')!.before]).toEqual([[0, 0.2], undefined]);
  const over = usualOf(known, new Set(['b'])).fields;
  expect([over.get('a')!.isOver, over.get('b')!.isOver]).toEqual([false, true]);
});

test('fields that are reported as notes do not start over with an accepted batch', () => {
  const drift = [
    { field: 'a', severity: 'block' },
    { field: 'b', severity: 'info' },
  ];
  const anomalies = [
    { field: 'c', statistic: 'mean' },
    { field: 'd', statistic: 'repeated_column' },
  ];
  expect([...changedIn({ drift, anomalies } as unknown as Report)]).toEqual(['a', 'c']);
});

test('the accepts that hold are those since the last rollback or reset', () => {
  const change = (action: string, at: string) => ({ action, at }) as SourceChange;
  const accepts = [change('accepted', '5'), change('settings', '4'), change('accepted', '3')];
  expect(acceptsBefore(accepts, '5').map(({ at }) => at)).toEqual(['3']);
  const undone = [...accepts, change('rolled_back', '2'), change('accepted', '1')];
  expect(acceptsBefore(undone, '9').map(({ at }) => at)).toEqual(['5', '3']);
});

test('shares of histograms over other intervals add up to 1', () => {
  const narrow = { low: 10, high: 20, counts: [1, 3] };
  const constant = { low: 12, high: 12, counts: [0, 0, 5] };
  expect(sharesIn([narrow], 0, 40, 4)).toEqual([0, 1, 0, 0]);
  expect(sharesIn([narrow], 10, 20, 4)).toEqual([0.125, 0.125, 0.375, 0.375]);
  const both = sharesIn([narrow, constant], 0, 20, 5);
  expect(both.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
});
