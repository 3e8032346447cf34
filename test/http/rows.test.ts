/** Which rows: what an answer names against a plain look at the rows that were sent. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { ROW_REASONS, ROWS_LISTED } from '../../src/terms/policy.ts';
import type { Quarantine } from '../../src/report-schema/report.ts';
import { shopDay } from '../judge/adaptive/streams.ts';
import { get } from './asking.ts';
import { type Answer, batch, SCALE_KEY, Service } from './service.ts';

const rates = {
  take: async () => ({ allowed: true, waitSeconds: 0, remaining: 9, resetSeconds: 1 }) as const,
};
const open = (changes: object = {}): Service => new Service({ rates, ...changes } as never);

type Value = number | string | null;
/** Without a prototype, so that `__proto__` is a field. */
type Row = Record<string, Value>;
const FIELDS = ['price', '__proto__', 'constructor', 'status'] as const;

function rowOf(values: readonly Value[]): Row {
  const row: Row = Object.create(null);
  for (const [i, name] of FIELDS.entries()) row[name] = values[i]!;
  return row;
}

const clean = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => rowOf([i % 50, (i * 7) % 40, i % 30, i % 2 ? 'open' : 'paid']));

// ---- one batch in three formats ----

/** A body, and the number that each row has in it. */
interface Body {
  send: (service: Service) => Promise<Answer>;
  numbers: number[];
}

const OPTIONS = { row_verdicts: true, dry_run: true };
const indexes = (rows: readonly Row[]): number[] => rows.map((_, i) => i);

const asJson = (rows: readonly Row[]): Body => ({
  send: service => service.post(batch([...rows], { options: OPTIONS })),
  numbers: indexes(rows),
});

const asLines = (rows: readonly Row[]): Body => ({
  send: service =>
    service.lines(rows.map(row => `${JSON.stringify(row)}\n\n`).join(''), {
      'X-Options': JSON.stringify(OPTIONS),
    }),
  numbers: indexes(rows),
});

/** Every third record has a blank line before it and a quoted end of line in a cell more, so it is ragged, too. */
function asCsv(rows: readonly Row[]): Body & { ragged: number[] } {
  let text = `${FIELDS.join(',')}\r\n`;
  let line = 2;
  const numbers: number[] = [];
  const ragged: number[] = [];
  for (const [i, row] of rows.entries()) {
    const cells = FIELDS.map(name => row[name] ?? '').join(',');
    if (i % 3 === 0) {
      text += `\r${cells},"a\r\nb"\n`;
      numbers.push(line + 1);
      ragged.push(line + 1);
      line += 3;
    } else {
      text += `${cells}\r`;
      numbers.push(line++);
    }
  }
  return {
    send: service => service.csv(text, { 'X-Options': JSON.stringify(OPTIONS) }),
    numbers,
    ragged,
  };
}

// ---- the reference ----

const isWrong = (name: string, value: Value): boolean =>
  value !== null && typeof value !== (name === 'status' ? 'string' : 'number');

/** Numbers of the rows whose value of a field is so. */
const rowsWhere = (
  rows: readonly Row[],
  { numbers }: Body,
  name: string,
  is: (value: Value) => boolean,
): number[] => numbers.filter((_, i) => is(rows[i]![name]!));

/** Rows that a quarantine holds back for a reason; complete where no row has more than it lists. */
function heldFor({ reasons, rows }: Quarantine, code: string, field: string): number[] {
  const place = reasons.findIndex(reason => reason.code === code && reason.field === field);
  return rows.filter(([, places]) => places.includes(place)).map(([row]) => row);
}

function expectReason(quarantine: Quarantine, code: string, field: string, want: number[]): void {
  expect([code, field, heldFor(quarantine, code, field)]).toEqual([code, field, want]);
  const reason = quarantine.reasons.find(each => each.code === code && each.field === field);
  expect(reason?.count ?? 0).toBe(want.length);
}

/** Issues name the first of the rows that the quarantine holds back, and it holds back what the reference does. */
function expectSame(rows: readonly Row[], body: Body, answer: Answer): void {
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  const { quarantine, issues = {} } = answer.body;
  for (const name of FIELDS) {
    const mistyped = rowsWhere(rows, body, name, value => isWrong(name, value));
    expectReason(quarantine, 'type_mismatch', name, mistyped);
    const mismatch = Object.entries<{ rows: number[] }>(issues.type_mismatches ?? {}).find(
      ([each]) => each === name,
    );
    if (mismatch) expect(mismatch[1].rows).toEqual(mistyped.slice(0, ROWS_LISTED));
    const without = rowsWhere(rows, body, name, value => value === null);
    expectReason(quarantine, 'null', name, without);
    const nulls = Object.entries<{ rows: number[] }>(issues.null_rates ?? {}).find(([each]) => each === name);
    if (nulls) expect(nulls[1].rows).toEqual(without.slice(0, ROWS_LISTED));
  }
  const fresh = rowsWhere(rows, body, 'status', value => value === 'lost');
  expectReason(quarantine, 'new_value', 'status', fresh);
  expect(issues.new_enum_value_rows?.status ?? []).toEqual(fresh.slice(0, ROWS_LISTED));
  const held = quarantine.rows.map(([row]: [number, number[]]) => row);
  expect(held).toEqual(held.toSorted((a: number, b: number) => a - b));
  expect(quarantine.count).toBe(held.length);
}

const number = fc.oneof({ weight: 12, arbitrary: fc.nat(30) }, fc.constantFrom(null, 'x', 'broken'));
const status = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('open', 'paid') },
  fc.constantFrom(null, 'lost'),
);
const batches = fc.array(fc.tuple(number, number, number, status).map(rowOf), {
  minLength: 1,
  maxLength: 60,
});

describe('for any batch', () => {
  test('the rows equal those of a plain check, in JSON, NDJSON and CSV', async () => {
    const service = open();
    await service.post(batch(clean(300)));
    await fc.assert(
      fc.asyncProperty(batches, async rows => {
        const [json, lines, csv] = [asJson(rows), asLines(rows), asCsv(rows)];
        for (const body of [json, lines, csv]) expectSame(rows, body, await body.send(service));
        const { body } = await csv.send(service);
        expect(body.stats.row_numbers).toBe('line');
        expect(body.issues.ragged_rows.rows).toEqual(csv.ragged.slice(0, ROWS_LISTED));
        expectReason(body.quarantine, 'ragged', '*', csv.ragged);
      }),
      { numRuns: 60 },
    );
  });

  test('the remaining rows pass, unless a finding is about the whole batch', async () => {
    const service = open();
    await service.post(batch(clean(300)));
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(batches, async rows => {
        const sent = [...clean(200), ...rows];
        const { body } = await asJson(sent).send(service);
        if (body.quarantine.whole_batch.length > 0) return;
        const held = new Map(body.quarantine.rows);
        const good = sent.filter((_, i) => !held.has(i));
        expect(good.length).toBe(sent.length - body.quarantine.count);
        passed++;
        const rest = await asJson(good).send(service);
        expect([rest.body.status, rest.body.issues, rest.body.quarantine.count]).toEqual([
          'PASS',
          undefined,
          0,
        ]);
      }),
      { numRuns: 25 },
    );
    expect(passed).toBeGreaterThan(20);
  });
});

describe('nulls', () => {
  const half = clean(60).map((row, i) => (i % 2 ? { ...row, price: null } : row));

  test('are listed if the field is normally complete', async () => {
    const service = open();
    await service.post(batch(clean(60)));
    const { body } = await service.post(batch(half));
    expect(body.issues.null_rates.price.rows).toEqual(
      Array.from({ length: ROWS_LISTED }, (_, i) => 2 * i + 1),
    );
  });

  test('are not listed for an unknown or often null field', async () => {
    const service = open();
    for (const rows of [half, half.slice(2)]) {
      const { body } = await service.post(batch(rows, { options: { row_verdicts: true } }));
      expect(body.issues.null_rates.price.rows).toBeUndefined();
      expect(body.quarantine).toEqual({
        count: 0,
        reasons: [],
        rows: [],
        whole_batch: [{ code: 'null_rates', field: 'price', severity: 'warning' }],
      });
    }
  });

  test('in a single row hold it back only if enough earlier rows had none', async () => {
    const one = clean(20).map((row, i) => (i === 7 ? { ...row, price: null } : row));
    for (const [known, held] of [
      [60, []],
      [120, [[7, [0]]]],
    ] as const) {
      const service = open();
      await service.post(batch(clean(known)));
      const { body } = await service.post(batch(one, { options: { row_verdicts: true } }));
      expect([body.issues?.null_rates, body.quarantine.rows]).toEqual([undefined, held] as never);
    }
  });
});

describe('with a sample', () => {
  const rows = Array.from({ length: 4000 }, (_, i) => ({ n: i % 100, t: i % 400 === 0 ? 'x' : 1 }));
  for (const i of [10, 500, 1200, 2600, 3999]) rows[i]!.n = 1e6;

  test('outliers are listed as counted, and type mismatches from all rows', async () => {
    const { body } = await open().post(batch(rows, { options: { thresholds: { type_mismatch_warn: 0 } } }));
    expect(body.stats.rows_sampled).toBe(1000);
    const { n } = body.issues.outliers ?? {};
    expect(n?.rows.length ?? 0).toBe(n?.count ?? 0);
    for (const row of n?.rows ?? []) expect(rows[row]!.n).toBe(1e6);
    expect(body.issues.type_mismatches.t.rows).toEqual(Array.from({ length: 10 }, (_, i) => i * 400));
  });

  test('there are no row verdicts, which need a full scan', async () => {
    const { body } = await open().post(batch(rows, { options: { row_verdicts: true } }));
    expect(body.stats.sample_ratio).toBe(1);
    expect(body.issues.outliers.n.rows).toEqual([10, 500, 1200, 2600, 3999]);
    expectReason(body.quarantine, 'outlier', 'n', [10, 500, 1200, 2600, 3999]);
    expect(body.quarantine.reasons.every(({ severity }: { severity: string }) => severity === 'info')).toBe(
      true,
    );
  });
});

test('a batch without findings lists no rows, and no quarantine by default', async () => {
  const { body } = await open().post(batch(clean(50)));
  expect([body.issues, body.quarantine, body.stats.row_numbers]).toEqual([undefined, undefined, undefined]);
});

test('findings without rows are about the whole batch', async () => {
  const service = open();
  await service.post(batch(clean(60)));
  const rows = clean(60).map(({ status: _, ...row }) => ({ ...row, more: 1 }));
  const { body } = await service.post(batch(rows, { options: { row_verdicts: true } }));
  expect(body.quarantine.whole_batch).toContainEqual({
    code: 'field_removed',
    field: 'status',
    severity: 'critical',
  });
  expect(body.quarantine.whole_batch).toContainEqual({
    code: 'field_added',
    field: 'more',
    severity: 'warning',
  });
});

test('a stored report has the same rows, even without stored values', async () => {
  for (const storeValues of [true, false]) {
    const service = open({ storeValues });
    await service.post(batch(clean(300)));
    const rows = clean(60).map((row, i) => (i % 5 ? row : rowOf(['x', 1, null, 'lost'])));
    const { body } = await service.post(batch(rows, { options: { row_verdicts: true } }));
    const { report } = (await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY)).body;
    expect(report.quarantine).toEqual(body.quarantine);
    expect(report.issues.type_mismatches.price.rows).toEqual(body.issues.type_mismatches.price.rows);
    expect(report.issues.new_enum_value_rows).toEqual(body.issues.new_enum_value_rows);
    expect(JSON.stringify(report).includes('lost')).toBe(storeValues);
  }
});

test('the size of a response is bounded for any batch', async () => {
  const service = open({ maxBodyBytes: 32 * 1024 * 1024 });
  const wide = (value: (i: number) => unknown, count: number) =>
    batch(
      Array.from({ length: count }, () =>
        Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, value(i)])),
      ),
      { options: { row_verdicts: true } },
    );
  await service.post(wide(i => i, 200));
  const { body } = await service.post(wide(i => (i % 2 ? 'x' : null), 10_000));
  expect(body.quarantine.count).toBe(10_000);
  expect(body.quarantine.reasons.length).toBe(40);
  expect(body.quarantine.rows[0][1]).toEqual(Array.from({ length: ROW_REASONS }, (_, i) => i));
  expect(JSON.stringify(body.quarantine).length).toBeLessThan(1_000_000);
  expect(body.issues.type_mismatches.f1.rows).toEqual(Array.from({ length: ROWS_LISTED }, (_, i) => i));
});

describe('adaptive mode', () => {
  const DAYS = 14;
  const SEED = 5;
  const DAY_MS = 86_400_000;
  const ask = (rows: object[]) => batch(rows, { options: { mode: 'adaptive', row_verdicts: true } });

  /** A source's days with `noted` of each as a note, and then one that is damaged. */
  async function damaged(damage: (row: Row, i: number) => object, usual = (row: Row): object => row) {
    let requests = 0;
    const service = open({ now: () => Date.UTC(2026, 9, 1) + Math.floor(requests++ / 20) * DAY_MS });
    for (let day = 0; day < DAYS; day++)
      await service.post(ask((shopDay(SEED, day) as Row[]).map(row => usual(row))));
    const rows = (shopDay(SEED, DAYS) as Row[]).map((row, i) => damage(usual(row) as Row, i));
    return { rows, body: (await service.post(ask(rows))).body };
  }

  const every = (n: number, change: object) => (row: Row, i: number) =>
    i % n === 1 ? { ...row, ...change } : row;
  const hit = (rows: readonly unknown[], n: number): number[] =>
    rows.flatMap((_, i) => (i % n === 1 ? [i] : []));

  const CASES: [what: string, n: number, change: object, field: string, code: string][] = [
    ['padded texts', 4, { state: ' open ' }, 'state', 'unusual_text'],
    ['texts in a new alphabet', 4, { code: 'АБ-1234' }, 'code', 'unusual_text'],
    ['dates of another format', 4, { date: '1/2/2026' }, 'date', 'unusual_text'],
    ['numbers below zero', 4, { quantity: -3 }, 'quantity', 'unusual_number'],
    ['nulls where there never are', 4, { code: null }, 'code', 'null'],
    ['empty strings', 4, { state: '' }, 'state', 'empty'],
    ['texts among numbers', 4, { quantity: 'two' }, 'quantity', 'type_mismatch'],
    ['new values', 4, { state: 'gone' }, 'state', 'new_value'],
  ];
  test.each(CASES)('%s are listed row by row', async (_, n, change, field, code) => {
    const { rows, body } = await damaged(every(n, change));
    expect(body.status).not.toBe('PASS');
    expectReason(body.quarantine, code, field, hit(rows, n));
    const named = body.anomalies.filter((each: { field: string }) => each.field === field);
    expect(named.map((each: { rows: number[] }) => each.rows)).toContainEqual(
      hit(rows, n).slice(0, ROWS_LISTED),
    );
  });

  test('repeated values in a unique field are listed from the second on', async () => {
    const { rows, body } = await damaged((row, i) => (i % 4 === 1 ? { ...row, id: 7 } : row));
    expectReason(body.quarantine, 'repeated_value', 'id', hit(rows, 4).slice(1));
  });

  test('a moved median is about the whole batch, even with outliers', async () => {
    const { body } = await damaged(row => ({ ...row, price: Number(row.price) * 100 }));
    expect(body.quarantine.whole_batch).toContainEqual(
      expect.objectContaining({ code: 'median', field: 'price' }),
    );
  });

  test('a usual mixture of types holds no row back', async () => {
    const mixed = (row: Row): object => ({ ...row, note: Number(row.id) % 25 ? 'text' : 3 });
    const { body } = await damaged(every(4, { state: ' open ' }), mixed);
    const codes = body.quarantine.reasons.map(({ code, field }: { code: string; field: string }) => [
      code,
      field,
    ]);
    expect(codes).toContainEqual(['unusual_text', 'state']);
    expect(codes).not.toContainEqual(['type_mismatch', 'note']);
  });
});
