/** Rules whose field no row has: never silent. */
import { describe, expect, test } from 'bun:test';
import { answerOf, batch, SCALE_KEY, Service } from './service.ts';

const rowsOf = (count: number, more: (i: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({ id: i, amount: (i * 7) % 50, status: 'new', ...more(i) }));
const ROWS = rowsOf(40);
const AMOUNT = { fields: { amount: { minimum: 0 } } };
const MISSPELT = { fields: { amonut: { minimum: 0 } } };

const post = async (service: Service, rows: object[], rules: unknown) =>
  (await service.post(batch(rows, { options: { rules, mode: 'adaptive' } }))).body;
const first = (rules: unknown, rows: object[] = ROWS) => post(new Service(), rows, rules);

/** What is said of a batch: the field, the rules and a field that is meant. */
const said = ({ issues = {} }: { issues?: { unchecked_rules?: Record<string, unknown>[] } }) =>
  (issues.unchecked_rules ?? []).map(({ field, rules, meant }) => [field, rules, meant]);

test('rules about fields that rows have say nothing', async () => {
  const { status, issues } = await first(AMOUNT);
  expect([status, issues]).toEqual(['PASS', undefined]);
});

test('a misspelt field is WARN, and the name that is meant is said', async () => {
  const { status, health_score, decision, issues } = await first(MISSPELT);
  expect([status, health_score]).toEqual(['WARN', 0.8]);
  expect(decision.reason).toBe(
    "No row has 'amonut', so fields.amonut.minimum checks nothing; is it 'amount'?",
  );
  const rules = ['fields.amonut.minimum'];
  expect(issues).toEqual({
    unchecked_rules: [{ field: 'amonut', rules, count: 1, meant: 'amount', severity: 'warn' }],
  });
});

describe.each([
  ['fields', { fields: { Amount: { minimum: 0 } } }, [['Amount', ['fields.Amount.minimum'], 'amount']]],
  [
    'the left side of compare',
    { compare: [{ left: 'amonut', op: '>', value: 0 }] },
    [['amonut', ['compare[0]'], 'amount']],
  ],
  [
    'the right side of compare',
    { compare: [{ left: 'amount', op: '>=', right: 'ammount' }] },
    [['ammount', ['compare[0]'], 'amount']],
  ],
  ['unique', { rows: { unique: [['id'], ['id', 'line']] } }, [['line', ['rows.unique[1]'], undefined]]],
  [
    'statistics',
    { statistics: [{ field: 'amonut', statistic: 'mean', minimum: 0 }] },
    [['amonut', ['statistics[0]'], 'amount']],
  ],
  [
    'the condition of when',
    { when: [{ if: { field: 'sttaus', equals: 'new' }, then: AMOUNT }] },
    [['sttaus', ['when[0].fields.amount.minimum'], 'status']],
  ],
  [
    'a condition of no value',
    { when: [{ if: { field: 'sttaus', null: true }, then: AMOUNT }] },
    [['sttaus', ['when[0].fields.amount.minimum'], 'status']],
  ],
  [
    'what follows a condition',
    { when: [{ if: { field: 'status', equals: 'new' }, then: MISSPELT }] },
    [['amonut', ['when[0].fields.amonut.minimum'], 'amount']],
  ],
])('a field that no row has, in %s,', (_, rules, expected) => {
  test('is WARN', async () => {
    const answer = await first(rules);
    expect(answer.status).toBe('WARN');
    expect(said(answer)).toEqual(expected as never);
  });
});

test('rules for rows of which there are none are about nothing', async () => {
  const { status, issues } = await first({
    when: [
      { if: { field: 'status', equals: 'refunded' }, then: { fields: { refund_id: { min_length: 1 } } } },
    ],
  });
  expect([status, issues]).toEqual(['PASS', undefined]);
});

test('a field that is required is BLOCK, and is said once', async () => {
  const { status, issues } = await first({ fields: { amonut: { required: true, minimum: 0 } } });
  expect(status).toBe('BLOCK');
  expect(Object.keys(issues)).toEqual(['rule_violations']);
});

test('of a violated rule only the violation is said', async () => {
  const { status, issues } = await first({ fields: { amonut: { nullable: false, minimum: 0 } } });
  expect(status).toBe('BLOCK');
  expect(issues.rule_violations).toHaveLength(1);
  expect(issues.unchecked_rules[0].rules).toEqual(['fields.amonut.minimum']);
});

test('rules of one field are said together, the first five by name', async () => {
  const lengths = { min_length: 1, max_length: 9, pattern: 'x', unique: true, minimum: 0, maximum: 9 };
  const { issues, decision } = await first({ fields: { note: lengths } });
  expect(issues.unchecked_rules).toHaveLength(1);
  expect([issues.unchecked_rules[0].count, issues.unchecked_rules[0].rules.length]).toEqual([6, 5]);
  expect(decision.reason).toBe("No row has 'note', so 6 rules check nothing");
});

describe('where earlier batches', () => {
  const after = async (earlier: object[], rows: object[], rules: unknown, batches = 4) => {
    const service = new Service();
    for (let i = 0; i < batches; i++) await post(service, earlier, {});
    return post(service, rows, rules);
  };

  test('lacked the field, it is info and the batch passes', async () => {
    const { status, issues } = await after(ROWS, ROWS.slice(1), MISSPELT);
    expect(status).toBe('PASS');
    expect(issues.unchecked_rules[0]).toMatchObject({ field: 'amonut', severity: 'info' });
  });

  test('had it in few rows, so that a short batch may lack it, it is info', async () => {
    const earlier = rowsOf(100, i => (i % 3 === 0 ? {} : { note: 'x' }));
    const { issues } = await after(earlier, ROWS.slice(0, 3), { fields: { note: { min_length: 1 } } });
    expect(issues.unchecked_rules[0]).toMatchObject({ field: 'note', severity: 'info' });
  });

  test('had it, it is warn: it was renamed', async () => {
    const renamed = ROWS.map(({ amount, ...row }) => ({ ...row, total: amount }));
    const { status, issues } = await after(ROWS, renamed, AMOUNT);
    expect(status).toBe('BLOCK');
    expect(issues.unchecked_rules[0]).toMatchObject({ field: 'amount', severity: 'warn' });
  });
});

describe('PUT of rules', () => {
  const RULES = { fields: { amonut: { minimum: 0 }, status: { min_length: 1 } } };
  const put = async (service: Service, rules: object) => {
    const headers = { 'X-API-Key': SCALE_KEY, 'Content-Type': 'application/json' };
    const sent = { method: 'PUT', headers, body: JSON.stringify(rules) };
    const request = new Request('http://localhost/v1/schema/orders/rules', sent);
    return (await answerOf(await service.app.handle(request))).body;
  };

  test('names fields that no batch of the source had', async () => {
    const service = new Service();
    await post(service, ROWS, {});
    const { version, unknown_fields } = await put(service, RULES);
    expect(version).toBe(1);
    const rules = ['fields.amonut.minimum'];
    expect(unknown_fields).toEqual([{ field: 'amonut', rules, count: 1, meant: 'amount' }]);
  });

  test('names none of a source without batches, and none that an earlier batch had', async () => {
    const service = new Service();
    expect((await put(service, RULES)).unknown_fields).toBeUndefined();
    await post(service, ROWS, {});
    expect((await put(service, AMOUNT)).unknown_fields).toBeUndefined();
  });
});
