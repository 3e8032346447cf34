/** A profile as `sluice profile` shows it. */
import { expect, test } from 'bun:test';
import { profileText } from '../../src/cli/depict.ts';
import type { FieldDescription } from '../../src/profile/describe.ts';

const plain = { styled: (_: string, text: string) => text };
const field: FieldDescription = {
  present: 2,
  nulls: 0,
  null_rate: 0,
  empties: 0,
  types: { number: 0, boolean: 0, object: 0, array: 0, string: 2 },
  values: 2,
  distinct: 2,
};

test('shows every statistic of a field, whatever its name', () => {
  const statistics = { email_share: 0.99999, median_length: 12 };
  expect(profileText({ fields: { mail: { ...field, statistics } as FieldDescription } }, 2, plain)).toBe(
    "'mail'\n    string; null 0%; 2 distinct of 2\n    email share >99.9%, median length 12",
  );
});

test('shows a field without statistics', () => {
  expect(profileText({ fields: { mail: field } }, 2, plain)).toBe(
    "'mail'\n    string; null 0%; 2 distinct of 2",
  );
});
