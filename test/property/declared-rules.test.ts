/** The rows that fail a declared rule are those that a slow look through the oracle's cells finds. */
import { expect, test } from 'bun:test';
import './seed.ts';
import { Bool, Float64, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import type { RuleViolation } from '../../src/report-schema/issues.ts';
import type { Quarantine } from '../../src/report-schema/report.ts';
import { ROW_REASONS, ROWS_LISTED } from '../../src/terms/policy.ts';
import type { DeclaredRules } from '../../src/rules/declared/constraint.ts';
import { FORMATS } from '../../src/rules/declared/words.ts';
import { parseRules } from '../../src/rules/declared/parse.ts';
import { PatternCache } from '../../src/rules/declared/patterns.ts';
import { checkRules } from '../../src/rules/violations/check.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import type { Batch } from '../oracle/batch.ts';
import { readCsv } from '../oracle/csv.ts';
import { readJson } from '../oracle/json.ts';
import { parquetOf } from '../columns/parquet-bytes.ts';
import { NOW as SERVICE_NOW, Service } from '../http/service.ts';
import { ORACLE_STATISTICS, violatedBy } from '../oracle/rules.ts';

const NAMES = ['a', 'b', 'c', 'absent'];
const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'b',
  'Paid ',
  'say "a"',
  'é😀',
  '\n',
  'a,b',
  '007',
  '5',
  '5.0',
  ' 5',
  'x5',
  'DE',
  'XX',
  'EUR',
  'ada@example.org',
  'a..b@example.org',
  '"a b"@[127.0.0.1]',
  'https://ada@[::1]:80/a%20b?c#d',
  'urn:isbn:1',
  'http://x/%zz',
  '10.0.0.1',
  '10.0.0.256',
  'fe80::1',
  '::ffff:10.0.0.1',
  '1::2::3',
  'true',
  '2024-01-05',
  '2024-01-06',
  '2024-02-30',
  '2024-01-05T10:00:00Z',
  '2024-01-05 10:00:00',
  '2024-02-29t23:59:59.999z',
  '2024-02-29T23:59:59.9999+02:00',
  '2023-02-29T23:59:59.999Z',
  '2024-01-05T10:00:60.000Z',
  '2024-01-05T24:00:00.000Z',
  '2024-13-05T10:00:00.000Z',
  '2024-01-05T10:00:00.0:0Z',
  '2eb8aa08-AA98-11ea-b4aa-73b441d16380',
  '2eb8aa08-AA98-11ea-b4aa-73b441d1638g',
  '2eb8aa08-AA98-11ea+b4aa-73b441d16380',
  '05/01/2024',
  '25/12/2024',
  '12/25/2024',
  '10:00:00',
  'x'.repeat(40),
  `${'y'.repeat(70)}"`,
];
const NUMBERS = [
  -1, 0, 0.3, 0.30000000000000004, 1, 2.5, 5, 7, 100, 1e21, 1e-9, 123456789.5, 9007199254740994,
];

const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);
const text = oneOf(TEXTS);
const number = oneOf(NUMBERS);
/** Columns are mostly of one sort, as they are in data. */
const column = fc.oneof(
  fc.constant(text),
  fc.constant(number),
  fc.constant(oneOf(['2024-01-05', '2024-01-06', '2023-12-31T23:59:59Z', '05/01/2024', '25/12/2024'])),
  fc.constant(
    fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map(date => date.toISOString().replace(date.getTime() % 3 === 0 ? /\.\d+/ : '', '')),
  ),
  fc.constant(fc.oneof(text, number, fc.boolean(), fc.constant([1]), fc.constant({ x: 1 }))),
);
const value = (of: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 8, arbitrary: of },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const table = fc
  .tuple(column, column, column, fc.integer({ min: 1, max: 40 }))
  .chain(([a, b, c, length]) =>
    fc.array(fc.record({ a: value(a), b: value(b), c: value(c) }), { minLength: length, maxLength: length }),
  );

const scalar = fc.oneof(text, number, fc.boolean());
const constraints = fc.record(
  {
    type: oneOf(['string', 'number', 'integer', 'boolean', 'object', 'array']),
    required: fc.boolean(),
    nullable: fc.boolean(),
    max_null_rate: oneOf([0, 0.1, 0.5, 1]),
    unique: fc.boolean(),
    minimum: oneOf([-1, 0, 0.3, 5]),
    maximum: oneOf([5, 7, 1e21]),
    exclusive_minimum: number,
    exclusive_maximum: number,
    multiple_of: oneOf([0.1, 0.01, 0.5, 1, 2, 3, 1e-9, 2.5, 1e22]),
    enum: fc.array(scalar, { minLength: 1, maxLength: 4 }),
    pattern: oneOf([
      '^a',
      'b$',
      '^[a-z]+$',
      '(a+)+$',
      '^.$',
      'é',
      '"',
      '^$',
      '[^a]',
      '\\d{2}',
      'x{3,}y?$',
      '(?:\\b5)',
    ]),
    min_length: oneOf([0, 1, 2, 3, 16, 41]),
    max_length: oneOf([41, 70, 71, 72]),
    format: oneOf(FORMATS),
    max_age: oneOf(['PT1H', 'P5D', 'P30Y']),
    monotonic: oneOf(['increasing', 'decreasing']),
    tolerance: oneOf([0, 0.2, 2]),
  },
  { requiredKeys: [] },
);
const fields = fc.dictionary(oneOf(NAMES), constraints, { maxKeys: 3 });
const comparison = fc.oneof(
  fc.record({ left: oneOf(NAMES), op: oneOf(['==', '!=', '<', '<=', '>', '>=']), right: oneOf(NAMES) }),
  fc.record({
    left: oneOf(NAMES),
    op: oneOf(['==', '!=', '<', '<=', '>', '>=']),
    value: fc.oneof(text, number),
  }),
  fc.record({ left: oneOf(NAMES), op: oneOf(['==', '!=']), value: fc.boolean() }),
);
const condition = fc.oneof(
  fc.record({ field: oneOf(NAMES), equals: scalar }),
  fc.record({ field: oneOf(NAMES), in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ field: oneOf(NAMES), null: fc.boolean() }),
);
const bound = oneOf([-1e9, -0.5, 0.05, 0.1, 0.5, 1, 2, 3.5, 5, 10, 30, 1e5, 1e22]);
const document = fc.record({
  fields,
  rows: fc.record({
    min: oneOf([0, 1, 10]),
    max: oneOf([10, 39, 40]),
    closed: fc.boolean(),
    unique: fc.array(fc.uniqueArray(oneOf(NAMES), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  }),
  compare: fc.array(comparison, { maxLength: 2 }),
  when: fc.array(
    fc.record({
      if: condition,
      then: fc.record({ fields, compare: fc.array(comparison, { maxLength: 1 }) }),
    }),
    { maxLength: 2 },
  ),
  statistics: fc.array(
    fc
      .record({ field: oneOf(NAMES), statistic: oneOf(ORACLE_STATISTICS), bounds: fc.tuple(bound, bound) })
      .map(({ bounds, ...rule }) => ({
        ...rule,
        minimum: Math.min(...bounds),
        maximum: Math.max(...bounds),
      })),
    { maxLength: 2 },
  ),
});

/** Characters of strings are written as escapes now and then. */
const jsonOf = (rows: readonly object[], escapes: boolean): string => {
  const json = JSON.stringify({ source: 's', rows });
  return escapes
    ? json.replaceAll(/[a-e5é]/g, (c, at) =>
        json[at - 1] !== '\\' && inString(json, at)
          ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
          : c,
      )
    : json;
};
/** Whether a quote that is not escaped was opened before `at`: texts of values only, because names have one letter. */
const inString = (json: string, at: number): boolean =>
  [...json.slice(0, at).replaceAll(/\\./g, '').matchAll(/"/g)].length % 2 === 1;

const csvOf = (rows: readonly Record<string, unknown>[], quotes: boolean): string => {
  const cell = (each: unknown): string => {
    if (each === null || each === undefined) return '';
    const written = typeof each === 'object' ? JSON.stringify(each) : String(each);
    return quotes || /[",\n\r]/.test(written) || written === ''
      ? `"${written.replaceAll('"', '""')}"`
      : written;
  };
  return ['a,b,c,d', ...rows.map(row => `${cell(row.a)},${cell(row.b)},${cell(row.c)},1`)].join('\n');
};

const PATTERNS = new PatternCache();
const NOW = Date.UTC(2024, 0, 6, 12);

/** What is measured may prove a rule, unless only a sample is. */
function expectSame(
  bytes: Uint8Array,
  rules: DeclaredRules,
  format: Format,
  batch = format === Format.CSV ? readCsv(bytes, ',') : readJson(bytes).batch!,
): void {
  expectSameOf(bytes, rules, format, batch, 10_000);
  // Statistics are asked of batches that are measured as a whole.
  const constraints = rules.constraints.filter(({ kind }) => kind !== 'statistic');
  expectSameOf(bytes, { ...rules, constraints }, format, batch, 1);
}

function expectSameOf(
  bytes: Uint8Array,
  rules: DeclaredRules,
  format: Format,
  batch: Batch,
  sampleRows: number,
): void {
  const { profile } = screenBytes(ENGINE, bytes, { format, sampleRows });
  const checked = {
    profile: profile!,
    checks: ENGINE.ruleChecks,
    patterns: PATTERNS,
    now: NOW,
    rowsListed: 10_000,
  };
  const violations = checkRules(checked, rules).violations;
  const found = violations.map(({ constraint, rows, count }) => {
    if (rows) expect(count).toBe(rows.length);
    return [constraint.rule, rows && [...rows]] as const;
  });
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(violatedBy(batch, rules, format === Format.CSV, NOW)),
  );
}

const accepted = (rules: unknown): DeclaredRules | null => {
  try {
    return parseRules(rules);
  } catch {
    // Bounds in the wrong order.
    return null;
  }
};

test('JSON: each violation has the rows that fail', () => {
  fc.assert(
    fc.property(table, document, fc.boolean(), (rows, given, escapes) => {
      const rules = accepted(given);
      fc.pre(rules !== null);
      expectSame(new TextEncoder().encode(jsonOf(rows, escapes)), rules, Format.JSON);
    }),
    { numRuns: 300 },
  );
});

test('CSV: each violation has the rows that fail', () => {
  fc.assert(
    fc.property(table, document, fc.boolean(), (rows, given, quotes) => {
      const rules = accepted(given);
      fc.pre(rules !== null);
      expectSame(new TextEncoder().encode(csvOf(rows, quotes)), rules, Format.CSV);
    }),
    { numRuns: 300 },
  );
});

test('CSV: a number to compare with ends where its text does, whatever was compared before', () => {
  const bytes = new TextEncoder().encode(csvOf([{ a: 'x' }, { a: 7 }], false));
  for (const value of ['5555555', '5'])
    expectSame(bytes, parseRules({ compare: [{ left: 'a', op: '>=', value }] }), Format.CSV);
});

const jsonBytes = (rows: readonly object[]): Uint8Array => new TextEncoder().encode(jsonOf(rows, false));

/** Columns of one type, as Arrow has them. */
const typedTable = fc
  .tuple(
    ...['a', 'b', 'c'].map(() => oneOf([text, number, fc.boolean()] as fc.Arbitrary<unknown>[])),
    fc.integer({ min: 1, max: 40 }),
  )
  .chain(([a, b, c, length]) => {
    const nullable = (of: unknown) => fc.option(of as fc.Arbitrary<unknown>, { freq: 8 });
    return fc.array(fc.record({ a: nullable(a), b: nullable(b), c: nullable(c) }), {
      minLength: length as number,
      maxLength: length as number,
    });
  });

const arrowOf = (rows: readonly Record<string, unknown>[]): Uint8Array => {
  const vectorOf = (name: string) => {
    const cells = rows.map(row => row[name] ?? null);
    const kind = typeof cells.find(cell => cell !== null);
    return vectorFromArray(
      cells as string[],
      kind === 'number' ? new Float64() : kind === 'boolean' ? new Bool() : new Utf8(),
    );
  };
  return tableToIPC(new Table({ a: vectorOf('a'), b: vectorOf('b'), c: vectorOf('c') }), 'stream');
};

test('Arrow: each violation has the rows that fail', () => {
  fc.assert(
    fc.property(typedTable, document, (rows, given) => {
      const rules = accepted(given);
      fc.pre(rules !== null);
      const { batch } = readJson(jsonBytes(rows));
      expectSame(arrowOf(rows), rules, Format.ARROW, batch!);
    }),
    { numRuns: 200 },
  );
});

test('Parquet: each violation has the rows that fail', async () => {
  const service = new Service();
  await fc.assert(
    fc.asyncProperty(typedTable, document, async (rows, given) => {
      fc.pre(accepted(given) !== null);
      const { batch } = readJson(jsonBytes(rows));
      const options = { rules: given, dry_run: true, full_scan: true };
      const { status, body } = await service.post(parquetOf(['a', 'b', 'c'], rows) as never, {
        'Content-Type': 'application/vnd.apache.parquet',
        'X-Source': 's',
        'X-Options': asciiOf(options),
      });
      expect(status).toBe(200);
      const found = (body.issues?.rule_violations ?? []).map(({ rule, count, rows }: RuleViolation) => {
        return [rule, rows ? { count, rows } : null];
      });
      const violated = [...violatedBy(batch!, parseRules(given), false, SERVICE_NOW)];
      const told = violated.map(([rule, failing]) => {
        return [rule, failing && { count: failing.length, rows: failing.slice(0, ROWS_LISTED) }];
      });
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(told));
    }),
    { numRuns: 150 },
  );
}, 60_000);

const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -~]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('quarantine holds each row that fails a rule with the rules that it fails, and the clean part is the rest', async () => {
  const service = new Service();
  await fc.assert(
    fc.asyncProperty(table, document, async (rows, given) => {
      const rules = accepted(given);
      fc.pre(rules !== null);
      const bytes = jsonBytes(rows);
      const violated = violatedBy(readJson(bytes).batch!, rules, false, SERVICE_NOW);
      const failing = [...violated].flatMap(([rule, each]) => (each ? [[rule, each] as const] : []));
      const options = { rules: given, row_verdicts: true, dry_run: true, mode: 'adaptive' };
      const { status, body } = await service.post(JSON.stringify({ source: 's', rows, options }));
      expect(status).toBe(200);
      const { rows: held, reasons } = body.quarantine as Quarantine;
      const counts = reasons.filter(({ rule }) => rule !== undefined).map(({ rule, count }) => [rule, count]);
      expect(Object.fromEntries(counts)).toEqual(
        Object.fromEntries(failing.map(([rule, each]) => [rule, each.length])),
      );
      const rulesOf = new Map<number, string[]>();
      for (const [rule, each] of failing)
        for (const row of each) rulesOf.set(row, [...(rulesOf.get(row) ?? []), rule]);
      for (const [row, of] of held) {
        const named = of.flatMap(i => reasons[i]!.rule ?? []);
        if (of.length < ROW_REASONS) expect(named.sort()).toEqual((rulesOf.get(row) ?? []).sort());
        rulesOf.delete(row);
      }
      expect([...rulesOf.keys()]).toEqual([]);
      const places = held.map(([row]) => row);
      const clean = rows.filter((_, row) => !places.includes(row));
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      expect(clean.length + places.length).toBe(rows.length);
    }),
    { numRuns: 200 },
  );
}, 240_000);
