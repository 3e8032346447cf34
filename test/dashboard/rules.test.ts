import { expect, test } from 'bun:test';
import { linesOf, suggestionsIn, withSuggestion } from '../../src/dashboard/rules.ts';

test('rules are shown one by one', () => {
  expect(
    linesOf({
      description: 'Orders',
      severity: 'warn',
      fields: { id: { unique: true, pattern: '^a' } },
      rows: { min: 1 },
      compare: [{ left: 'a', op: '<', right: 'b' }],
    }),
  ).toEqual([
    { path: 'severity', value: '"warn"' },
    { path: 'fields.id.unique', value: 'true' },
    { path: 'fields.id.pattern', value: '"^a"' },
    { path: 'rows.min', value: '1' },
    { path: 'compare[0]', value: '{"left":"a","op":"<","right":"b"}' },
  ]);
});

test('names and values that change the direction of text are shown escaped', () => {
  expect(linesOf({ fields: { 'a\u202eb': { enum: ['\u202ec'] } } })).toEqual([
    { path: 'fields.a\\u202eb.enum', value: '["\\u202ec"]' },
  ]);
});

test('a suggestion is added to the rules that there are, whatever the name of its field', () => {
  const suggested = JSON.parse(
    '{"source":"s","rules":{"fields":{"__proto__":{"unique":true}}},"evidence":[{"rule":"fields.__proto__.unique","field":"__proto__","constraint":"unique","reason":"","batches":1,"rows":60}]}',
  );
  const [suggestion] = suggestionsIn(suggested);
  expect(suggestion!.value).toBe(true);
  const rules = withSuggestion({ fields: { id: { minimum: 1 } }, rows: { min: 1 } }, suggestion!);
  expect(JSON.stringify(rules)).toBe(
    '{"fields":{"id":{"minimum":1},"__proto__":{"unique":true}},"rows":{"min":1}}',
  );
  expect(withSuggestion(rules, { field: 'id', constraint: 'maximum', value: 9 }).fields!.id).toEqual({
    minimum: 1,
    maximum: 9,
  });
  expect(withSuggestion(null, suggestion!).fields).toBeDefined();
});
