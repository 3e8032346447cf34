/** A report as one list of findings: each fact once, the gravest first. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Anomaly, DriftEvent, Report } from '../../src/client/contract.ts';
import { driftFindings, type Findable, findingsIn, rowsText } from '../../src/client/findings.ts';
import { batch, Service } from '../http/service.ts';

const example = (name: string) => Bun.file(join(import.meta.dir, '../../examples', name)).text();

const GATE: NonNullable<Report['gate']> = {
  mode: 'adaptive',
  history: 9,
  learning: false,
  false_alarm_rate: 0.01,
};
const event = (kind: DriftEvent['kind'], field: string, detail = `${kind} of ${field}`): DriftEvent => ({
  kind,
  field,
  severity: 'warn',
  detail,
});
const anomaly = (statistic: string, field: string, rows?: number[]): Anomaly => ({
  statistic,
  field,
  unusual: 3,
  severity: 'warn',
  detail: `Unusual ${statistic} of ${field}`,
  ...(rows && { rows }),
});
const texts = (report: Findable) => findingsIn(report).map(({ text }) => text);

describe('a report of a clean and a broken batch', () => {
  test('has a finding for every issue, and for every event or the anomaly that says the same, the gravest first', async () => {
    const service = new Service();
    await service.post(await example('orders-clean.json'));
    const report = (await service.post(await example('orders-broken.json'))).body as Report;
    const { type_mismatches, null_rates, duplicate_fields } = report.issues!;
    const names = [type_mismatches, null_rates].flatMap(each => Object.keys(each ?? {}));
    const found = findingsIn(report);
    const ofIssues = found.filter(({ part }) => part === 'issues');
    expect(new Set(ofIssues.map(({ field }) => field))).toEqual(new Set([...names, ...duplicate_fields!]));
    const listed = new Set(found.map(({ field }) => field ?? '*'));
    for (const { field } of [...report.drift!, ...report.anomalies!]) expect(listed).toContain(field);
    const order = ['block', 'warn', 'info'];
    for (const list of [found, driftFindings(report.drift!)]) {
      const severities = list.map(({ severity }) => order.indexOf(severity));
      expect(severities).toEqual(severities.toSorted());
      expect(new Set(severities).size).toBeGreaterThan(1);
    }
  });

  test('keeps drift and anomalies beside each other: they are different facts', () => {
    const report = { drift: [event('null_spike', 'a')], anomalies: [anomaly('repeated_batch', '*')] };
    expect(texts(report)).toEqual(['null_spike of a', 'Unusual repeated_batch of *']);
  });
});

describe('outliers', () => {
  const of = (count: number, rows: number[]) => ({ count, rows, severity: 'critical' as const });

  test('are info, whatever their share: no verdict rests on them', () => {
    const [found] = findingsIn({ issues: { outliers: { n: of(2, [3, 9]) } } });
    expect([found!.severity, found!.rows]).toEqual(['info', [3, 9]]);
  });

  test('of a heavy tail name no rows', () => {
    const [found] = findingsIn({ issues: { outliers: { n: of(250, [1, 2, 3, 4, 5, 6]) } } });
    expect(found!.rows).toEqual([]);
  });

  test('of many fields are said together', () => {
    const outliers = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, of(1, [i])]));
    const found = findingsIn({ issues: { outliers } });
    expect(found).toHaveLength(6);
    expect(found[5]!.text).toStartWith("outliers in 35 other fields: 'f5', 'f6'");
    expect(found[5]!.text).toEndWith('and others');
  });
});

describe('a report in adaptive mode', () => {
  test('states drift and outliers of a field with a listed anomaly once, as the anomaly', () => {
    const outliers = { n: { count: 2, severity: 'warning' }, m: { count: 1, severity: 'warning' } } as const;
    const report: Findable = {
      gate: GATE,
      issues: { outliers },
      drift: [event('null_spike', 'n', 'in other words'), event('cardinality_change', 'm')],
      anomalies: [anomaly('null_rate', 'n', [7]), anomaly('mean', 'n')],
    };
    expect(texts(report)).toEqual([
      'cardinality_change of m',
      'Unusual null_rate of n',
      'Unusual mean of n',
      '1 outlier far from the other values',
    ]);
    expect(findingsIn(report)[1]!.rows).toEqual([7]);
  });

  test('keeps structural drift, also of a field with an anomaly', () => {
    const drift = (['field_added', 'field_removed', 'type_changed'] as const).map(kind => event(kind, 'n'));
    expect(findingsIn({ gate: GATE, drift, anomalies: [anomaly('mean', 'n')] })).toHaveLength(4);
  });

  test('states new values once, by the event that names them, with their rows', () => {
    const report: Findable = {
      gate: GATE,
      issues: { new_enum_value_rows: { status: [3] } },
      drift: [event('new_enum_value', 'status', "New values in 'status': 'x' (1% of rows)")],
      anomalies: [anomaly('new_value_share', 'status'), anomaly('new_value_share', 'other')],
    };
    expect(texts(report)).toEqual([
      "New values in 'status': 'x' (1% of rows)",
      'Unusual new_value_share of other',
    ]);
    expect(findingsIn(report)[0]!.rows).toEqual([3]);
  });

  test('tells the row count of the batch from a field of the name *', () => {
    const drift = [event('row_count_anomaly', '*'), event('null_spike', '*')];
    const repeated = anomaly('repeated_batch', '*');
    expect(findingsIn({ gate: GATE, drift, anomalies: [repeated] }).map(({ field }) => field)).toEqual([
      null,
      '*',
      null,
    ]);
    const counted = anomaly('row_count', '*');
    expect(texts({ gate: GATE, drift, anomalies: [counted] })).toEqual(['null_spike of *', counted.detail]);
  });

  test('of the service lists every anomaly, and nothing twice', async () => {
    const rows = (mean: number, day: number) =>
      Array.from({ length: 60 }, (_, i) => ({ n: mean + ((i * 37) % 11) })).concat({ n: mean + day / 7 });
    const service = new Service();
    const send = async (mean: number, day: number) =>
      (await service.post(batch(rows(mean, day), { options: { mode: 'adaptive' } }))).body as Report;
    for (let day = 0; day < 8; day++) await send(50, day);
    const report = await send(5000, 8);
    const told = findingsIn(report).map(({ text }) => text);
    expect(new Set(told)).toEqual(new Set(report.anomalies!.map(({ detail }) => detail)));
    expect(new Set(told).size).toBe(told.length);
    expect(told.join()).toContain("Unusual median of 'n': 5005, usually about 55");
  });
});

describe('the words of a finding', () => {
  test('are without values where the report has none', () => {
    const report: Findable = {
      issues: {
        type_mismatches: { a: { expected: 'number', found: ['string'], rate: 0.5, severity: 'critical' } },
        outliers: { b: { count: 2, severity: 'info' } },
        ragged_rows: { count: 1, rate: 0.0001, first_line: 1234, severity: 'info' },
      },
    };
    expect(texts(report)).toEqual([
      '50% of the values are not number: found string',
      '2 outliers far from the other values',
      '1 row (<0.1%) with more or fewer cells than the header, the first on line 1,234',
    ]);
  });

  test('say that an upload may have been cut', () => {
    const ragged_rows = { count: 1, rate: 0.01, first_line: 9, ends_early: true, severity: 'info' } as const;
    expect(texts({ issues: { ragged_rows } })).toEqual([
      '1 row (1%) with more or fewer cells than the header, the first on line 9: the last row ends early, so the upload may have been cut',
    ]);
  });

  test('name an example, a range and a threshold', () => {
    const report: Findable = {
      issues: {
        type_mismatches: {
          a: { expected: 'number', found: ['string'], rate: 0.5, severity: 'warning', sample_value: 'x' },
        },
        null_rates: { b: { actual: 0.4, threshold: 0.3, severity: 'warning' } },
        outliers: { c: { count: 2, min: 1, max: 7736, severity: 'warning' } },
      },
    };
    expect(texts(report)).toEqual([
      '50% of the values are not number: found string, for example "x"',
      '40% of the rows have no value; the threshold is 30%',
      '2 outliers, from 1 to 7,736',
    ]);
  });

  test('take names of Object.prototype for names', () => {
    const null_rates = JSON.parse('{"__proto__":{"actual":1,"threshold":0.3,"severity":"critical"}}');
    expect(findingsIn({ issues: { null_rates } }).map(({ field }) => field)).toEqual(['__proto__']);
  });

  test('say which rows, as the report numbers them', () => {
    expect(rowsText([0, 1, 2, 3, 4, 5], 'index')).toBe('rows 0, 1, 2, 3, 4, … (from 0)');
    expect([rowsText([1234], 'line'), rowsText([3, 9], 'line'), rowsText([], 'line')]).toEqual([
      'line 1,234',
      'lines 3, 9',
      '',
    ]);
  });
});
