/** A profile as `sluice profile` shows it. */
import { expect, test } from 'bun:test';
import { profileText } from '../../../src/cli/commands/depict.ts';
import type { FieldDescription } from '../../../src/profile/describe.ts';

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

test('shows how dates are written, and from when to when they are', () => {
  const dates = {
    format: 'YYYY-MM-DD',
    formats: 2,
    share: 0.975,
    earliest: '2026-01-02T00:00:00.000Z',
    latest: '2026-02-01T00:00:00.000Z',
    resolution: 'day',
  } as const;
  const shown = (of: FieldDescription['dates']): string =>
    profileText({ fields: { at: { ...field, dates: of! } } }, 2, plain)
      .split('\n')
      .at(-1)!;
  expect(shown(dates)).toBe(
    '    dates YYYY-MM-DD, 2 formats, 97.5% of the values; 2026-01-02 to 2026-02-01, by day',
  );
  expect(shown({ ...dates, formats: 1, share: 1, resolution: 'millisecond' })).toBe(
    '    dates YYYY-MM-DD; 2026-01-02 00:00:00.000 to 2026-02-01 00:00:00.000, by millisecond',
  );
  expect(shown({ format: 'DD/MM/YYYY or MM/DD/YYYY', formats: 1, share: 1 })).toBe(
    '    dates DD/MM/YYYY or MM/DD/YYYY',
  );
});

test('shows what is likely to be personal data', () => {
  const shown = (share: number) =>
    profileText({ fields: { mail: { ...field, semantic_type: { type: 'email', share } } } }, 2, plain)
      .split('\n')
      .at(-1);
  expect(shown(1)).toBe('    likely e-mail addresses');
  expect(shown(0.925)).toBe('    likely e-mail addresses, 92.5% of the values');
});
