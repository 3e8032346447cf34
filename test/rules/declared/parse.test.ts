import { describe, expect, test } from 'bun:test';
import { Rejection } from '../../../src/terms/errors.ts';
import { durationMs } from '../../../src/rules/declared/duration.ts';
import { TYPES } from '../../../src/rules/declared/words.ts';
import * as limits from '../../../src/rules/declared/limits.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';

function refusal(value: unknown): string {
  try {
    parseRules(value);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    expect([error.code, error.status]).toEqual(['INVALID_RULES', 400]);
    return error.message;
  }
  throw new Error('the document was accepted');
}

const EXAMPLE = {
  description: 'Orders of the shop',
  fields: {
    order_id: { required: true, type: 'string', nullable: false, unique: true, pattern: '^ORD-[0-9]+$' },
    quantity: { type: 'integer', minimum: 1, maximum: 999, severity: 'block', tolerance: 0.01 },
    status: { enum: ['new', 'paid', 'sent'], severity: 'warn', description: 'See the order handbook' },
    email: { format: 'email', max_null_rate: 0.2 },
    ordered_at: { format: 'date-time', max_age: 'PT24H' },
  },
  rows: { min: 1, max: 10000, closed: false, unique: [['order_id', 'line']] },
  compare: [
    { left: 'shipped_at', op: '>=', right: 'ordered_at' },
    { left: 'total', op: '<=', value: 100000 },
  ],
  when: [
    {
      if: { field: 'status', equals: 'sent' },
      then: { fields: { shipped_at: { nullable: false } } },
    },
  ],
  statistics: [{ field: 'amount', statistic: 'mean', minimum: 10, maximum: 90, severity: 'warn' }],
};

test('a document becomes a flat list of constraints with their paths', () => {
  const { constraints, conditions } = parseRules(EXAMPLE);
  expect(constraints.map(({ rule }) => rule)).toEqual([
    'fields.order_id.required',
    'fields.order_id.nullable',
    'fields.order_id.type',
    'fields.order_id.unique',
    'fields.order_id.pattern',
    'fields.quantity.type',
    'fields.quantity.minimum',
    'fields.quantity.maximum',
    'fields.status.enum',
    'fields.email.max_null_rate',
    'fields.email.format',
    'fields.ordered_at.format',
    'fields.ordered_at.max_age',
    'rows.min',
    'rows.max',
    'rows.unique[0]',
    'compare[0]',
    'compare[1]',
    'when[0].fields.shipped_at.nullable',
    'statistics[0]',
  ]);
  expect(conditions).toEqual([{ field: 'status', values: ['sent'] }]);
  const of = (rule: string) => constraints.find(each => each.rule === rule);
  expect(of('fields.quantity.minimum')).toEqual({
    rule: 'fields.quantity.minimum',
    field: 'quantity',
    kind: 'minimum',
    expected: 1,
    severity: 'block',
    tolerance: 0.01,
    condition: null,
  });
  expect(of('fields.status.enum')).toMatchObject({
    severity: 'warn',
    description: 'See the order handbook',
    tolerance: 0,
  });
  expect(of('compare[0]')).toMatchObject({ field: 'shipped_at', expected: '>= ordered_at' });
  expect(of('rows.unique[0]')).toMatchObject({ field: null, fields: ['order_id', 'line'] });
  expect(of('when[0].fields.shipped_at.nullable')).toMatchObject({ condition: 0 });
});

test('the nearest severity, tolerance and description hold', () => {
  const { constraints } = parseRules({
    severity: 'warn',
    tolerance: 3,
    description: 'of the source',
    fields: {
      a: { minimum: 1, maximum: { value: 9, severity: 'block', description: 'nine' }, description: 'of a' },
      b: { tolerance: 0.5, minimum: { value: 1, tolerance: 0 }, nullable: { value: false } },
    },
    rows: { unique: [{ value: ['a', 'b'], severity: 'block' }] },
  });
  expect(
    constraints.map(({ severity, tolerance, description }) => [severity, tolerance, description]),
  ).toEqual([
    ['warn', 3, 'of a'],
    ['block', 3, 'nine'],
    ['warn', 0.5, undefined],
    ['warn', 0, undefined],
    ['block', 3, undefined],
  ]);
});

test('what asks for nothing is no constraint', () => {
  const fields = { a: { required: false, nullable: true, unique: false }, b: {} };
  expect(parseRules({ fields, rows: { closed: false } }).constraints).toEqual([]);
  expect(parseRules({}).constraints).toEqual([]);
});

const field = (rules: unknown) => ({ fields: { quantity: rules } });

describe('a document that is wrong is refused, and the message begins with the path', () => {
  const then = { fields: { a: { nullable: false } } };
  test.each([
    [null, 'rules: must be an object'],
    [[], 'rules: must be an object'],
    [{ feilds: {} }, 'feilds: unknown; known are fields,'],
    [{ fields: [] }, 'fields: must be an object, not an array'],
    [field(3), 'fields.quantity: must be an object, not 3'],
    [field({ minimun: 1 }), 'fields.quantity.minimun: unknown; known are required,'],
    [field({ minimum: '1' }), "fields.quantity.minimum: must be a number, not '1'"],
    [field({ minimum: { value: 'x' } }), 'fields.quantity.minimum.value: must be a number'],
    [field({ minimum: { value: 1, rows: 2 } }), 'fields.quantity.minimum.rows: unknown'],
    [field({ minimum: { severity: 'warn' } }), 'fields.quantity.minimum: has no value'],
    [field({ minimum: 5, maximum: 3 }), 'fields.quantity.minimum: is above maximum (3)'],
    [field({ min_length: 5, max_length: 3 }), 'fields.quantity.min_length: is above max_length (3)'],
    [field({ multiple_of: 0 }), 'fields.quantity.multiple_of: must be a number above 0, not 0'],
    [field({ min_length: -1 }), 'fields.quantity.min_length: must be a whole number from 0 on, not -1'],
    [field({ max_null_rate: 1.1 }), 'fields.quantity.max_null_rate: must be a number from 0 to 1'],
    [
      field({ type: 'int' }),
      "fields.quantity.type: must be one of string, number, integer, boolean, object, array, not 'int'",
    ],
    [field({ type: ['string', 'x'] }), 'fields.quantity.type[1]: must be one of'],
    [field({ enum: [] }), 'fields.quantity.enum: must have 1 to 1,000 entries, not 0'],
    [field({ enum: ['a', null] }), 'fields.quantity.enum[1]: must be a value, not null'],
    [
      field({ enum: [{}] }),
      'fields.quantity.enum[0]: must be a text, a number, true or false, not an object',
    ],
    [field({ pattern: '(' }), 'fields.quantity.pattern: no pattern of RE2'],
    [field({ pattern: '(?=a)' }), 'fields.quantity.pattern: no pattern of RE2'],
    [field({ pattern: '(a)\\1' }), 'fields.quantity.pattern: no pattern of RE2'],
    [field({ format: 'datetime' }), 'fields.quantity.format: must be one of date, time, date-time,'],
    [field({ max_age: '24h' }), 'fields.quantity.max_age: must be an ISO 8601 duration'],
    [field({ max_age: { value: 'PT1H', tolerance: 1 } }), 'fields.quantity.max_age.tolerance: unknown'],
    [field({ monotonic: 'up' }), 'fields.quantity.monotonic: must be one of increasing, decreasing'],
    [field({ severity: 'error' }), 'fields.quantity.severity: must be one of warn, block'],
    [field({ tolerance: 1.5 }), 'fields.quantity.tolerance: must be a share from 0 to below 1'],
    [field({ tolerance: -1 }), 'fields.quantity.tolerance: must be a share'],
    [{ tolerance: 'some' }, 'tolerance: must be a number'],
    [{ rows: { min: 1.5 } }, 'rows.min: must be a whole number'],
    [{ rows: { min: 3, max: 2 } }, 'rows.min: is above max (2)'],
    [{ rows: { unique: [[]] } }, 'rows.unique[0]: must have 1 to 16 entries, not 0'],
    [{ rows: { unique: ['a'] } }, 'rows.unique[0]: must be an array'],
    [
      { compare: [{ left: 'a', op: '=>', right: 'b' }] },
      'compare[0].op: must be one of ==, !=, <, <=, >, >=',
    ],
    [{ compare: [{ left: 'a', op: '<' }] }, 'compare[0]: must have either right, a field, or value'],
    [{ compare: [{ left: 'a', op: '<', right: 'b', value: 1 }] }, 'compare[0]: must have either'],
    [{ compare: [{ op: '<', right: 'b' }] }, 'compare[0].left: must be a text, not undefined'],
    [{ compare: [{ left: 'a', op: '<', value: true }] }, 'compare[0].op: must be == or !='],
    [{ when: [{ if: { field: 'a' }, then }] }, 'when[0].if: must have one of equals, in and null'],
    [{ when: [{ if: { field: 'a', equals: 1, null: true }, then }] }, 'when[0].if: must have one of'],
    [{ when: [{ if: { field: 'a', equals: 1 }, then: {} }] }, 'when[0].then: must have fields or compare'],
    [
      { when: [{ if: { field: 'a', equals: 1 }, then: { fields: { b: { minimum: 'x' } } } }] },
      'when[0].then.fields.b.minimum: must be a number',
    ],
    [
      { when: [{ if: { field: 'a', equals: 1 }, then: { fields: { b: { pattern: '(' } } } }] },
      'when[0].then.fields.b.pattern: no pattern of RE2',
    ],
    [
      { when: [{ if: { field: 'a', equals: 1 }, then: { compare: [{ left: 'a', op: '=>', right: 'b' }] } }] },
      'when[0].then.compare[0].op: must be one of',
    ],
    [{ statistics: [{ field: 'a', statistic: 'mean' }] }, 'statistics[0]: must have a minimum or a maximum'],
    [
      { statistics: [{ field: 'a', statistic: 'average', minimum: 1 }] },
      'statistics[0].statistic: must be one of null_rate',
    ],
    [
      { statistics: [{ field: 'a', statistic: 'mean', minimum: 2, maximum: 1 }] },
      'statistics[0].minimum: is above',
    ],
  ])('%j', (document, message) => {
    expect(refusal(document)).toStartWith(message);
  });

  test('names that are more than words are quoted, and hostile ones are escaped and cut', () => {
    expect(refusal({ fields: { 'a.b': { minimum: '' } } })).toStartWith('fields["a.b"].minimum: ');
    expect(refusal({ fields: { 'a\u001b[2J\u202e': 1 } })).toStartWith('fields["a\\u001b[2J\\u202e"]: ');
    expect(refusal({ fields: { ['x'.repeat(1000)]: 1 } }).length).toBeLessThan(300);
    const proto = JSON.parse('{"fields": {"__proto__": {"minimum": "x"}}}');
    expect(refusal(proto)).toStartWith('fields.__proto__.minimum: ');
  });
});

describe('every limit has a number', () => {
  const many = (length: number, rules: object) => ({
    fields: Object.fromEntries(Array.from({ length }, (_, i) => [`f${i}`, rules])),
  });
  const then = { fields: { b: { nullable: false } } };
  const whens = (length: number) => ({
    when: Array.from({ length }, () => ({ if: { field: 'a', null: false }, then })),
  });
  const texts = (length: number) => Array.from({ length }, (_, i) => `${i}`);
  test.each<[string, (more: number) => unknown, string]>([
    [
      'constraints',
      more => many(limits.MAX_CONSTRAINTS + more, { minimum: 1 }),
      'fields.f1000.minimum: there are more',
    ],
    [
      'patterns',
      more => many(limits.MAX_PATTERNS + more, { pattern: 'a' }),
      'fields.f100.pattern: there are more',
    ],
    [
      'values of an enumeration',
      more => field({ enum: texts(limits.MAX_ENUM_VALUES + more) }),
      'fields.quantity.enum: ',
    ],
    [
      'characters of a value',
      more => field({ enum: ['x'.repeat(limits.MAX_TEXT + more)] }),
      'fields.quantity.enum[0]: ',
    ],
    [
      'characters of a pattern',
      more => field({ pattern: 'x'.repeat(limits.MAX_PATTERN + more) }),
      'fields.quantity.pattern: ',
    ],
    [
      'characters of a description',
      more => field({ minimum: 1, description: 'x'.repeat(limits.MAX_TEXT + more) }),
      'fields.quantity.description: ',
    ],
    ['bytes of a name', more => ({ fields: { ['x'.repeat(1024 + more)]: {} } }), 'fields.xxx'],
    ['conditions', more => whens(limits.MAX_CONDITIONS + more), 'when: '],
    [
      'fields of unique',
      more => ({ rows: { unique: [texts(limits.MAX_UNIQUE_FIELDS + more)] } }),
      'rows.unique[0]: ',
    ],
    [
      'values of a condition',
      more => ({ when: [{ if: { field: 'a', in: texts(limits.MAX_ENUM_VALUES + more) }, then }] }),
      'when[0].if.in: ',
    ],
    [
      'characters of a constant',
      more => ({ compare: [{ left: 'a', op: '<', value: 'x'.repeat(limits.MAX_TEXT + more) }] }),
      'compare[0].value: ',
    ],
    [
      'steps of a pattern',
      more => field({ pattern: 'a{1000}'.repeat(limits.MAX_PATTERN_SIZE / 1000) + 'a'.repeat(more) }),
      'fields.quantity.pattern: its repetitions',
    ],
    [
      'types',
      more => field({ type: ['string', ...TYPES.slice(1), 'string'].slice(1 - more) }),
      'fields.quantity.type: ',
    ],
    [
      'a hundred years of age',
      more => field({ max_age: `P${limits.MAX_AGE_MS / 86_400_000}DT${more}S` }),
      'fields.quantity.max_age: must be an ISO 8601 duration of at most 100 years',
    ],
    [
      'characters of a length',
      more => field({ max_length: 2 ** 31 - 1 + more }),
      'fields.quantity.max_length: ',
    ],
    [
      'comparisons',
      more => ({ compare: Array(limits.MAX_CONSTRAINTS + more).fill({ left: 'a', op: '<', right: 'b' }) }),
      'compare: must have at most 1,000 entries',
    ],
    [
      'bytes of the document',
      more => sized(limits.MAX_RULES_BYTES + more),
      'rules: may have at most 262,144 bytes of JSON, not 262,145',
    ],
  ])('%s', (_, document, message) => {
    expect(() => parseRules(document(0))).not.toThrow();
    expect(refusal(document(1))).toStartWith(message);
  });

  /** A document of so many bytes. */
  function sized(bytes: number): unknown {
    const ofText = (length: number) => ({ enum: ['x'.repeat(length)] });
    const fields = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`f${i}`, ofText(1000)]));
    const left =
      bytes - Buffer.byteLength(JSON.stringify({ fields: { ...fields, a: ofText(0), b: ofText(0) } }));
    const first = Math.min(1000, left);
    return { fields: { ...fields, a: ofText(first), b: ofText(left - first) } };
  }
});

test('classes that count in any case are as large as what they span, and all patterns have a bound together', () => {
  const folded = (count: number) => field({ pattern: `(?i)${'[à-ÿа-я]'.repeat(count)}` });
  expect(() => parseRules(folded(60))).not.toThrow();
  for (const pattern of [
    '(?i)[Ā-\uffff]{2}',
    '(?si)[\\x{100}-\\x{ffff}]x[Ā-\uffff]',
    '(?:(?i:[\\0-\u{1ffff}]))',
  ])
    expect(refusal(field({ pattern }))).toStartWith('fields.quantity.pattern: ');
  const many = (characters: number) => ({
    fields: Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`f${i}`, { pattern: 'x'.repeat(i === 0 ? characters : 1000) }]),
    ),
  });
  expect(() => parseRules(many(1000))).not.toThrow();
  expect(refusal({ fields: { ...many(1000).fields, more: { pattern: 'x' } } })).toBe(
    'fields.more.pattern: all patterns together come to more than 20,000 steps',
  );
});

test('repetitions that multiply are refused before they are compiled', () => {
  expect(() => parseRules(field({ pattern: '^(?:[a-z]{1,10}-){10}$' }))).not.toThrow();
  expect(() => parseRules(field({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }))).not.toThrow();
  for (const pattern of [
    '((a{100}){100}){100}',
    '(((a|b){9}){99}){99}',
    'a{1000}{1000}',
    '(?:[^\\]{]{1000}x){11}',
  ])
    expect(refusal(field({ pattern }))).toStartWith('fields.quantity.pattern: ');
});

test.each([
  ['PT24H', 86_400_000],
  ['P1D', 86_400_000],
  ['P1W', 7 * 86_400_000],
  ['P1Y', 365 * 86_400_000],
  ['P1M', 30 * 86_400_000],
  ['PT1M', 60_000],
  ['PT1.5S', 1500],
  ['P1DT1H', 90_000_000],
  ['P', null],
  ['PT', null],
  ['P1', null],
  ['1D', null],
  ['P1DT', null],
  ['P1H', null],
])('the duration %s', (text, ms) => {
  expect(durationMs(text)).toBe(ms as never);
});
