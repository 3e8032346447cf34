/** Rules that are exported and imported again are the same, but for what the export lists. */
import { expect, test } from 'bun:test';
import '../../property/seed.ts';
import fc from 'fast-check';
import type { Constraint } from '../../../src/rules/declared/constraint.ts';
import type { RulesDocument } from '../../../src/rules/declared/document.ts';
import { FORMATS, TYPES } from '../../../src/rules/declared/words.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';
import { EXPORT_FORMATS, exportRules } from '../../../src/rules/interchange/export.ts';
import { importRules } from '../../../src/rules/interchange/import.ts';

const oneOf = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const NAMES = ['a', 'b', 'order id', 'é', '__proto__', '', 'a.b', 'orders.a', 'a,b', ' a '];
const name = oneOf(...NAMES);
const scalar = fc.oneof(oneOf('x', 'y z', '1', ''), oneOf(-1, 0, 2.5, 1e6), fc.boolean());

/** A value alone, or with how grave its violation is. */
const either = (value: fc.Arbitrary<unknown>, isOfBatch = false) =>
  fc.oneof(
    { weight: 4, arbitrary: value },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          value,
          severity: oneOf('warn', 'block'),
          ...(isOfBatch ? {} : { tolerance: oneOf(0.05, 0.5, 3) }),
          description: oneOf('why', 'see: the "book"'),
        },
        { requiredKeys: ['value'] },
      ),
    },
  );

const fields = (names = name) =>
  fc.dictionary(
    names,
    fc.record(
      {
        required: either(fc.constant(true), true),
        type: either(
          fc.oneof(oneOf(...TYPES), fc.uniqueArray(oneOf(...TYPES), { minLength: 2, maxLength: 3 })),
        ),
        nullable: either(fc.constant(false)),
        max_null_rate: either(oneOf(0.1, 0.25, 1), true),
        unique: either(fc.constant(true)),
        minimum: either(oneOf(-5, 0, 0.5)),
        maximum: either(oneOf(10, 99.5)),
        exclusive_minimum: either(oneOf(-9, 1)),
        exclusive_maximum: either(oneOf(20, 1e9)),
        multiple_of: either(oneOf(1, 0.01)),
        enum: either(fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 })),
        pattern: either(oneOf('^a', 'b+$', '[0-9]{2}')),
        min_length: either(oneOf(0, 2)),
        max_length: either(oneOf(5, 70)),
        format: either(oneOf(...FORMATS)),
        max_age: either(oneOf('PT24H', 'P7D', 'PT90M'), true),
        monotonic: either(oneOf('increasing', 'decreasing')),
      },
      { requiredKeys: [] },
    ),
    { maxKeys: 3 },
  );
const compare = fc.array(
  fc.oneof(
    fc.record({ left: name, op: oneOf('==', '!=', '<', '<=', '>', '>='), right: name }),
    fc.record({
      left: name,
      op: oneOf('==', '<', '>='),
      value: oneOf<string | number>(5, '2026-01-02', 'x'),
    }),
  ),
  { maxLength: 2 },
);
const document = fc.record(
  {
    description: oneOf('Orders', 'a: "b"'),
    fields: fields(),
    rows: fc.record(
      {
        min: either(oneOf(1, 5), true),
        max: either(oneOf(10, 10_000), true),
        closed: fc.constant(true),
        unique: fc.array(fc.uniqueArray(name, { minLength: 2, maxLength: 3 }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    compare,
    when: fc.array(
      fc.record({
        if: fc.oneof(
          fc.record({ field: name, equals: scalar }),
          fc.record({ field: name, in: fc.uniqueArray(scalar, { minLength: 1, maxLength: 2 }) }),
          fc.record({ field: name, null: fc.boolean() }),
        ),
        then: fc.record({ fields: fields(), compare }, { requiredKeys: ['fields'] }),
      }),
      { maxLength: 3 },
    ),
    statistics: fc.array(
      fc.record({
        field: name,
        statistic: oneOf('mean', 'median', 'sum', 'standard_deviation', 'distinct_count', 'null_rate'),
        minimum: oneOf(0.25, 0.5),
        maximum: oneOf(0.75, 1),
      }),
      { maxLength: 1 },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<RulesDocument>;

/** What a constraint says, wherever in the document and in which words: null if it says nothing. Descriptions are for people. */
function meaningOf(constraint: Constraint, conditions: readonly unknown[]): string | null {
  const { kind, field, severity, tolerance, condition } = constraint;
  const said = (what: string, ...more: unknown[]) => {
    const rows = condition === null ? null : conditions[condition];
    return JSON.stringify([what, field, severity, tolerance, rows, ...more]);
  };
  if (kind === 'max_age') return said(kind, constraint.ageMs);
  if (kind === 'max_null_rate') return constraint.expected === 1 ? null : said(kind, constraint.expected);
  // A share of rows without a value.
  if (kind === 'nullable' && tolerance > 0 && tolerance < 1)
    return JSON.stringify(['max_null_rate', field, severity, 0, null, tolerance]);
  if (kind === 'compare' && 'field' in constraint.with && constraint.op.startsWith('<'))
    return JSON.stringify([
      kind,
      severity,
      tolerance,
      constraint.with.field,
      constraint.op.replace('<', '>'),
      field,
    ]);
  if (kind === 'compare' && 'field' in constraint.with)
    return JSON.stringify([kind, severity, tolerance, field, constraint.op, constraint.with.field]);
  // An integer is a number.
  if (kind === 'type') {
    const types = constraint.expected.filter(
      type => type !== 'integer' || !constraint.expected.includes('number'),
    );
    return said(kind, ...types.toSorted());
  }
  const { rule: _, description: __, condition: ___, expected, ...rest } = constraint;
  return said(
    kind,
    expected,
    Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function meanings(rules: RulesDocument, without: ReadonlySet<string> = new Set()): string[] {
  const { constraints, conditions } = parseRules(rules);
  return constraints
    .filter(({ rule }) => !without.has(rule))
    .flatMap(constraint => meaningOf(constraint, conditions) ?? [])
    .sort();
}

test.each(EXPORT_FORMATS)('%s', format => {
  let said = 0;
  fc.assert(
    fc.property(document, rules => {
      const accepted = (() => {
        try {
          return meanings(rules);
        } catch {
          return null;
        }
      })();
      fc.pre(accepted !== null);
      const { document: exported, unsupported } = exportRules(format, rules, 'orders');
      const listed = new Set(unsupported.map(({ path }) => path));
      const back = importRules(format, JSON.parse(JSON.stringify(exported)));
      // Two rules of which a document can hold one: the import says which one is left out.
      const expected = meanings(rules, listed);
      if (back.unsupported.length > 0)
        return void expect(expected).toEqual(expect.arrayContaining(meanings(back.rules)));
      said += expected.length;
      expect(meanings(back.rules)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
  expect(said).toBeGreaterThan(100);
});
