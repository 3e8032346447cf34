import { expect, test } from 'bun:test';
import { missingFields } from '../../../src/rules/declared/missing-fields.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';

const missing = (document: unknown, names: readonly string[]) =>
  missingFields(parseRules(document), new Set(names));

test('names of rules that no field has are found with their rules', () => {
  const document = {
    fields: { id: { unique: true }, 'e-mail': { format: 'email', nullable: false } },
    rows: { unique: [['id', 'line']] },
    compare: [{ left: 'id', op: '!=', right: 'e-mail' }],
  };
  expect(missing(document, ['id', 'EMail', 'lines'])).toEqual([
    {
      field: 'e-mail',
      rules: ['fields.e-mail.nullable', 'fields.e-mail.format', 'compare[0]'],
      meant: 'EMail',
    },
    { field: 'line', rules: ['rows.unique[0]'], meant: 'lines' },
  ]);
});

test('rules about the batch as a whole name no field', () => {
  expect(missing({ fields: { id: {} }, rows: { min: 1, closed: true } }, [])).toEqual([]);
});

test('many long names that no field has take little time', () => {
  const names = (letter: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${letter.repeat(36)}${i}`);
  const fields = Object.fromEntries(names('a', 1000).map(name => [name, { minimum: 0 }]));
  const since = performance.now();
  expect(missing({ fields }, names('b', 2000))).toHaveLength(1000);
  expect(performance.now() - since).toBeLessThan(2000);
});
