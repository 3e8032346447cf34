import { describe, expect, test } from 'bun:test';
import { byName, type DriftEvent } from '../../src/judge/report.ts';
import type { FieldDescription } from '../../src/profile/describe.ts';
import { redactProfile, redactReport } from '../../src/response/redact.ts';
import type { Report } from '../../src/response/report.ts';

const newValue = (field: string, current: string, share = '5%'): DriftEvent => ({
  field,
  kind: 'new_enum_value',
  severity: 'warn',
  detail: `New values in '${field}': ${current} (${share} of rows)`,
  previous: '3 known values',
  current,
});

const spike: DriftEvent = {
  field: 'email',
  kind: 'null_spike',
  severity: 'block',
  detail: "Null rate in 'email' rose from 1% to 60%",
  previous: '1%',
  current: '60%',
};

const report = (given: Partial<Report>): Report => ({
  request_id: 'req_01ARYZ6S410000000000000000',
  status: 'WARN',
  health_score: 0.8,
  decision: { action: 'WARN', reason: 'Nothing crossed a threshold' },
  schema: byName([['email', { type: 'string', confidence: 1 }]]),
  schema_fingerprint: 'ab',
  stats: {
    rows_received: 2,
    rows_sampled: 2,
    sample_ratio: 1,
    sample_version: 'stratified-1',
    source: 'orders',
  },
  latency_ms: 2,
  timestamp: '2026-11-21T12:12:45.455Z',
  ...given,
});

describe('a report', () => {
  test('without values of the payload stays as it is, in the same order', () => {
    const plain = report({
      drift: [spike],
      issues: { duplicate_fields: ['a', 'A'], row_count_anomaly: true },
    });
    expect(JSON.stringify(redactReport(plain))).toBe(JSON.stringify(plain));
    expect(JSON.stringify(redactReport(report({})))).toBe(JSON.stringify(report({})));
  });

  test('loses examples, outliers and new values, and keeps their fields, counts and rates', () => {
    const issues = {
      type_mismatches: byName([
        [
          '__proto__',
          { expected: 'number', found: ['string'], sample_value: 'secret', rate: 0.5, severity: 'critical' },
        ],
      ] as const),
      null_rates: byName([['email', { actual: 0.5, threshold: 0.3, severity: 'warning' }]] as const),
      outliers: byName([['amount', { count: 2, min: -9, max: 12345, severity: 'info' }]] as const),
      new_enum_values: byName([['status', ['secret', 'other']]] as const),
    };
    // biome-ignore lint/suspicious/noExplicitAny: literals widen
    const kept: any = redactReport(report({ issues: issues as any })).issues;
    expect(kept.type_mismatches).toEqual(
      byName([['__proto__', { expected: 'number', found: ['string'], rate: 0.5, severity: 'critical' }]]),
    );
    expect(kept.null_rates).toEqual(issues.null_rates);
    expect(kept.outliers).toEqual(byName([['amount', { count: 2, severity: 'info' }]]));
    expect(kept.new_enum_values).toEqual(byName([['status', []]]));
  });

  test('loses the values that drift events name, also where the reason quotes them', () => {
    const drift = [
      newValue('status', "'secret', 'x: $& (' and others"),
      spike,
      newValue('size', "'XXL'", '<0.1%'),
    ];
    const reason = `Health 0.4 is below 0.5: ${spike.detail}; ${drift[0]!.detail}; ${drift[2]!.detail} and 3 more`;
    const kept = redactReport(report({ drift, decision: { action: 'WARN', reason } }));
    expect(kept.drift).toEqual([
      {
        field: 'status',
        kind: 'new_enum_value',
        severity: 'warn',
        detail: "New values in 'status' (5% of rows)",
        previous: '3 known values',
      },
      spike,
      {
        field: 'size',
        kind: 'new_enum_value',
        severity: 'warn',
        detail: "New values in 'size' (<0.1% of rows)",
        previous: '3 known values',
      },
    ]);
    expect(kept.decision.reason).toBe(
      `Health 0.4 is below 0.5: ${spike.detail}; New values in 'status' (5% of rows); New values in 'size' (<0.1% of rows) and 3 more`,
    );
  });

  test('is not changed itself', () => {
    const drift = [newValue('status', "'secret'")];
    const given = report({ drift, decision: { action: 'WARN', reason: drift[0]!.detail } });
    const before = structuredClone(given);
    redactReport(given);
    expect(given).toEqual(before);
  });
});

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
