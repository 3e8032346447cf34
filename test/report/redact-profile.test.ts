import { expect, test } from 'bun:test';
import { byName } from '../../src/names/by-name.ts';
import type { FieldDescription } from '../../src/profile/describe.ts';
import { redactProfile } from '../../src/report/redact-profile.ts';

test('a profile keeps counts, types and rates, and no number or text of a row', () => {
  const field: FieldDescription = {
    present: 3,
    nulls: 1,
    null_rate: 0.25,
    empties: 1,
    types: { number: 1, boolean: 1, object: 0, array: 0, string: 1 },
    booleans: { true: 1, false: 0 },
    values: 3,
    distinct: 3,
    numbers: {
      count: 1,
      min: 42,
      max: 42,
      mean: 42,
      standard_deviation: 0,
      quantiles: { '0.5': 42 },
      histogram: { low: 42, high: 42, counts: [1] },
    },
    top_values: [{ value: 'secret', count: 1 }],
  };
  const { booleans: _, numbers: __, top_values: ___, ...rest } = field;
  expect(
    redactProfile({
      fields: byName([
        ['__proto__', field],
        ['none', rest],
      ]),
    }),
  ).toEqual({
    fields: byName<object>([
      ['__proto__', { ...rest, numbers: { count: 1 } }],
      ['none', rest],
    ]) as never,
  });
});
