import { describe, expect, test } from 'bun:test';
import { get } from './asking.ts';
import { batch, SCALE_KEY, Service } from './service.ts';

const ROWS = Array.from({ length: 100 }, (_, i) => ({
  order_id: `ORD-${i}`,
  quantity: 1 + (i % 9),
  status: ['new', 'paid', 'sent'][i % 3],
}));
const BROKEN = ROWS.map((row, i) => (i === 4 || i === 17 ? { ...row, quantity: 0 } : row));
const minimum = (rules: object = {}) => ({ fields: { quantity: { minimum: 1, ...rules } } });

const screened = async (rows: object[], rules: unknown, options: object = {}) => {
  const { body } = await new Service().post(batch(rows, { options: { rules, ...options } }));
  return body;
};

test('a violated rule blocks the batch and names the rows that fail', async () => {
  const { status, decision, issues } = await screened(BROKEN, minimum());
  expect(status).toBe('BLOCK');
  expect(decision.reason).toBe("'quantity' is below 1 in 2 rows (2%)");
  expect(issues).toEqual({
    rule_violations: [
      {
        rule: 'fields.quantity.minimum',
        field: 'quantity',
        kind: 'minimum',
        expected: 1,
        count: 2,
        rate: 0.02,
        sample_value: 0,
        rows: [4, 17],
        severity: 'block',
      },
    ],
  });
});

test('rules that hold change nothing', async () => {
  const { status, issues, health_score } = await screened(ROWS, minimum());
  expect([status, issues, health_score]).toEqual(['PASS', undefined, 1]);
});

test('a warning is WARN, however many rows fail, and quotes its description', async () => {
  const rules = minimum({ minimum: 1000, severity: 'warn', description: 'See the\u202e handbook' });
  const { status, decision, health_score, issues } = await screened(ROWS, rules);
  expect([status, health_score]).toEqual(['WARN', 0.5]);
  expect(decision.reason).toBe("'quantity' is below 1,000 in 100 rows (100%) (See the\\u202e handbook)");
  expect(issues.rule_violations[0].description).toBe('See the\u202e handbook');
});

test('the gravest violation comes first', async () => {
  const { issues } = await screened(BROKEN, {
    fields: {
      status: { enum: ['x'], severity: 'warn' },
      quantity: { minimum: 1 },
      order_id: { max_length: 5, severity: 'block' },
    },
  });
  expect(issues.rule_violations.map(({ field }: { field: string }) => field)).toEqual([
    'order_id',
    'quantity',
    'status',
  ]);
});

test.each([
  [0.01, 'BLOCK'],
  [0.02, 'PASS'],
  [1, 'BLOCK'],
  [2, 'PASS'],
])('of 2 in 100 rows that fail a tolerance of %p is %s', async (tolerance, status) => {
  expect((await screened(BROKEN, minimum({ tolerance }))).status).toBe(status);
});

describe('every row is checked', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ quantity: i === 9_998 ? 0 : 1, text: `t${i}` }));

  test('whatever is sampled', async () => {
    const { issues, stats } = await screened(many, minimum());
    expect(stats.rows_sampled).toBe(1000);
    expect(issues.rule_violations).toMatchObject([{ rows: [9_998], count: 1, rate: 0.0001 }]);
  });

  test('10,000 texts are unique, or exactly these are not', async () => {
    const unique = { fields: { text: { unique: true } } };
    expect((await screened(many, unique)).status).toBe('PASS');
    const doubled = many.map((row, i) => (i === 7000 ? { ...row, text: 't12' } : row));
    expect((await screened(doubled, unique)).issues.rule_violations).toMatchObject([{ rows: [12, 7000] }]);
  });

  test('for the bounds of a statistic, which are those of all rows', async () => {
    const rules = { statistics: [{ field: 'quantity', statistic: 'sum', minimum: 10_000 }] };
    const { issues, decision } = await screened(many, rules);
    expect(issues.rule_violations).toMatchObject([{ rule: 'statistics[0]', sample_value: 9999, count: 1 }]);
    expect(decision.reason).toBe("The sum of 'quantity' is 9,999, not at least 10,000");
  });

  const ROWS_WITHOUT: Record<string, object[]> = { absent: [{ a: 1 }], null: [{ a: 1, b: null }] };

  test.each(Object.keys(ROWS_WITHOUT))(
    'null_rate and distinct_count hold for a field that is %s in all rows',
    async kind => {
      const nulls = { field: 'b', statistic: 'null_rate', maximum: 0.5 };
      const values = { field: 'b', statistic: 'distinct_count', minimum: 1 };
      // Nothing to measure.
      const mean = { field: 'b', statistic: 'mean', minimum: 1 };
      const { status, issues } = await screened(ROWS_WITHOUT[kind]!, { statistics: [nulls, values, mean] });
      expect(status).toBe('BLOCK');
      expect(issues.rule_violations).toMatchObject([
        { rule: 'statistics[0]', sample_value: 1 },
        { rule: 'statistics[1]', sample_value: 0 },
      ]);
    },
  );
});

test('a report lists the first 20 rows, and counts all', async () => {
  const { issues } = await screened(ROWS, minimum({ minimum: 1000 }));
  expect(issues.rule_violations[0].rows).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(issues.rule_violations[0].count).toBe(100);
});

test('quarantine has each row with the rules that it fails; the others pass', async () => {
  const rules = {
    fields: { quantity: { minimum: 1 }, status: { enum: ['new', 'paid'], severity: 'warn' } },
    rows: { max: 10 },
  };
  const { quarantine } = await screened(BROKEN, rules, { row_verdicts: true });
  const sent = ROWS.flatMap(({ status }, i) => (status === 'sent' ? [i] : []));
  expect(quarantine.reasons).toEqual([
    {
      code: 'rule_violation',
      field: 'quantity',
      rule: 'fields.quantity.minimum',
      severity: 'critical',
      count: 2,
    },
    {
      code: 'rule_violation',
      field: 'status',
      rule: 'fields.status.enum',
      severity: 'warning',
      count: sent.length,
    },
  ]);
  expect(quarantine.whole_batch).toEqual([
    { code: 'rule_violation', field: '*', rule: 'rows.max', severity: 'critical' },
  ]);
  const held = new Map<number, number[]>(quarantine.rows);
  expect([...held.keys()]).toEqual([...new Set([4, 17, ...sent])].sort((a, b) => a - b));
  expect([held.get(4), held.get(17), held.get(2)]).toEqual([[0], [0, 1], [1]]);
  const clean = BROKEN.filter((_, i) => !held.has(i));
  expect(clean.length + quarantine.count).toBe(BROKEN.length);
  expect((await screened(clean, { ...rules, rows: {} })).status).toBe('PASS');
});

test('CSV: lines are named, and texts that look like numbers or dates count as such', async () => {
  const csv = 'code,at,n\n007,2024-01-05,1\n012,2024-01-04,x\n100,2024-01-06,3\n';
  const rules = {
    fields: {
      code: { type: 'integer', minimum: 10 },
      at: { monotonic: 'increasing' },
      n: { type: 'number' },
    },
    compare: [{ left: 'at', op: '<=', value: '2024-01-05T12:00:00Z' }],
  };
  const { body } = await new Service().csv(csv, { 'X-Options': JSON.stringify({ rules }) });
  const rows = body.issues.rule_violations.map(({ rule, rows }: { rule: string; rows: number[] }) => [
    rule,
    rows,
  ]);
  expect(rows).toEqual([
    ['fields.code.minimum', [2]],
    ['fields.at.monotonic', [3]],
    ['fields.n.type', [3]],
    ['compare[0]', [4]],
  ]);
});

test('a source that its rules keep blocking is told to change the rules, which accepting does not', async () => {
  let now = Date.UTC(2026, 0, 10);
  const service = new Service({ now: () => (now += 60_000) });
  const post = async (rows: object[]) =>
    (await service.post(batch(rows, { options: { rules: minimum() } }))).body;
  for (let i = 0; i < 3; i++) await post(ROWS);
  await post(BROKEN);
  const { accept } = (await post(BROKEN)).blocked_since;
  expect(accept).toStartWith('Declared rules block it, and accepting does not change them.');
  expect(accept).toEndWith('/rules, or change options.rules');
  await post(BROKEN.map(row => ({ ...row, status: 7 })));
  const both = (await post(BROKEN.map(row => ({ ...row, status: 7 })))).blocked_since.accept;
  expect(both).toStartWith('Declared rules block it');
  expect(both).toContain('If this is how the source is from now on: POST ');
});

test('the age of the newest date is that at the time of the request', async () => {
  const now = Date.UTC(2026, 0, 10);
  const service = new Service({ now: () => now });
  const of = async (at: unknown, max_age: string) => {
    const rules = { fields: { at: { max_age } } };
    const { body } = await service.post(
      batch([{ at: null }, { at }, { at }, { at }], { options: { rules, dry_run: true } }),
    );
    return body.status;
  };
  expect(await of('2026-01-09T00:00:00Z', 'PT24H')).toBe('PASS');
  expect(await of('2026-01-08T23:59:59Z', 'PT24H')).toBe('BLOCK');
  expect(await of('2026-01-09T02:00:00+02:00', 'P1D')).toBe('PASS');
  expect(await of(now / 1000 - 3600, 'PT1H')).toBe('PASS');
  expect(await of(now - 3_600_001, 'PT1H')).toBe('BLOCK');
});

test('a rule that is wrong is refused with its path', async () => {
  const { status, body } = await new Service().post(
    batch(ROWS, { options: { rules: minimum({ minimum: '1' }) } }),
  );
  expect([status, body.code]).toEqual([400, 'INVALID_RULES']);
  expect(body.message).toStartWith('fields.quantity.minimum: ');
});

test('options with rules have at most 64 KiB', async () => {
  const of = (length: number) => {
    const options = { rules: { description: '' }, full_scan: false, filler: '' };
    return { ...options, filler: 'x'.repeat(length - JSON.stringify(options).length) };
  };
  const service = new Service();
  expect((await service.post(batch(ROWS, { options: of(65_536) }))).status).toBe(200);
  expect((await service.post(batch(ROWS, { options: of(65_537) }))).body).toEqual({
    code: 'INVALID_OPTIONS',
    message: 'options may have at most 65,536 bytes',
  });
});

test('without values, a kept job has neither samples nor values of enumerations', async () => {
  const service = new Service({ storeValues: false });
  const rules = {
    fields: { status: { enum: ['planted-allowed'] }, order_id: { pattern: '^x' } },
    statistics: [{ field: 'quantity', statistic: 'mean', maximum: 0 }],
  };
  const { body } = await service.post(batch(ROWS, { options: { rules } }));
  expect(body.issues.rule_violations[0].sample_value).toBeDefined();
  const job = await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY);
  const kept = job.body.result ?? job.body.report ?? job.body;
  expect(JSON.stringify(job.body)).not.toContain('planted-allowed');
  expect(JSON.stringify(job.body)).not.toContain('sample_value');
  expect(JSON.stringify(kept)).toContain('fields.status.enum');
});
