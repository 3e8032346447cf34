/** The check before the timing: it is worth something only when a wrong profile does not pass it. */
import { expect, test } from 'bun:test';
import { checkAgreement, differences } from '../../bench/agree.ts';
import { newEngine, screenJson } from '../../bench/in-process.ts';
import { fullScan, payloadsOf } from '../../bench/payloads.ts';
import { type PlainField, plainProfile } from '../../bench/plain-profile.ts';
import { wideTable } from '../../bench/tables.ts';

const [payload] = payloadsOf(3, { payloads: 1, rows: 300 }, wideTable, fullScan());
const profile = screenJson(await newEngine(), payload!.bytes);
const plain = () => plainProfile(JSON.parse(payload!.text).rows);

test('our profile of a payload equals the plain one', () => {
  expect(differences(profile, plain())).toEqual([]);
});

test.each<[string, string, (field: PlainField) => void]>([
  ['total: nulls', 'total', field => field.nulls++],
  ['note: empties', 'note', field => field.empties++],
  ['email: distinct', 'email', field => field.distinct.add('one more')],
  ['gift: booleans', 'gift', field => field.counts.boolean--],
  ['total: mean', 'total', field => (field.mean *= 1.0001)],
  ['total: m2', 'total', field => (field.m2 *= 1.0001)],
  ['latitude: quantile 8', 'latitude', field => (field.quantiles[8]! += 1e-6)],
  ['total: outliers', 'total', field => field.outliers++],
  ['total: maximum', 'total', field => field.max++],
])('another %s is a difference', (said, name, change) => {
  const changed = plain();
  change(changed.get(name)!);
  expect(differences(profile, changed)[0]).toStartWith(said);
  expect(() => checkAgreement(profile, changed)).toThrow(said);
});

test('a field that only one of them has is a difference', () => {
  const changed = plain();
  changed.delete('tier');
  changed.set('__proto__', changed.get('total')!);
  expect(differences(profile, changed)).toEqual([
    'tier is in one of both only',
    '__proto__ is in one of both only',
  ]);
});
