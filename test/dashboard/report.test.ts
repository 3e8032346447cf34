/** What the pages show of a real report. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { CompleteJob, Report } from '../../src/dashboard/contract.ts';
import { factsOf } from '../../src/dashboard/field-facts.ts';
import { type Field, fieldsOf, findingsOf, outlying } from '../../src/dashboard/fields.ts';
import { historyText } from '../../src/dashboard/gate.ts';
import { batch, SCALE_KEY, Service } from '../http/service.ts';

const example = (name: string) => Bun.file(join(import.meta.dir, '../../examples', name)).text();

/** The job of a second batch, after `first`. */
async function jobOf(first: string, second: string): Promise<CompleteJob> {
  const service = new Service();
  await service.post(first);
  const { body } = await service.post(second);
  return completeJob(service, body.request_id);
}

async function completeJob({ app }: Service, id: string): Promise<CompleteJob> {
  const request = new Request(`http://localhost/v1/jobs/${id}`, { headers: { 'X-API-Key': SCALE_KEY } });
  return (await (await app.handle(request)).json()) as CompleteJob;
}

const broken = await jobOf(await example('orders-clean.json'), await example('orders-broken.json'));

test('an adaptive report says how much history it rests on', () => {
  const adaptive = (history: number, learning: boolean) =>
    ({ gate: { mode: 'adaptive', history, learning } }) as Report;
  expect(historyText(adaptive(1, true))).toBe(
    'Judged by 1 earlier batch of this source. Still learning: with fewer than 3 of them a batch may differ as any source may',
  );
  expect(historyText(adaptive(8, false))).toBe('Judged by 8 earlier batches of this source');
  expect(historyText(broken.report)).toStartWith('Judged by 1 earlier batch');
  expect(historyText({} as Report)).toBeNull();
});

test('findings are listed by severity, and the reasons of the verdict first among those of one', () => {
  const anomaly = (statistic: string, severity: string) => ({
    field: 'a',
    statistic,
    severity,
    detail: `${statistic}. More`,
  });
  const report = {
    decision: { reason: 'median; mean' },
    anomalies: [
      anomaly('spread', 'warn'),
      anomaly('mean', 'warn'),
      anomaly('length', 'block'),
      anomaly('median', 'warn'),
    ],
  } as unknown as Report;
  expect(findingsOf(report).map(({ text }) => text.split('.')[0]!)).toEqual([
    'length',
    'mean',
    'median',
    'spread',
  ]);
});

test('fields with findings come first, and every field is listed once', () => {
  const fields = fieldsOf(broken.report, broken.profile);
  expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(broken.report.schema).sort());
  const found = fields.map(({ findings }) => findings.length > 0);
  expect(found).toEqual(found.toSorted((a, b) => Number(b) - Number(a)));
  expect(found).toContain(true);
  expect(found).toContain(false);
});

test('a report without a profile, as of a dry run, still has its fields', () => {
  expect(fieldsOf(broken.report, null).every(({ profile }) => profile === null)).toBe(true);
});

test('every statistic of a field is a fact, whatever its name', () => {
  const [field] = fieldsOf(broken.report, broken.profile);
  const statistics = { email_share: 0.125, distinct_pair_share: 1, median_length: 1234.5 };
  const profile = { ...field!.profile!, statistics };
  expect(factsOf({ ...field!, profile })).toEqual([
    ...factsOf({ ...field!, profile: { ...profile, statistics: {} } } as Field),
    ['Email share', '12.5%'],
    ['Distinct pair share', '100%'],
    ['Median length', '1,234.5'],
  ]);
  expect(factsOf({ ...field!, profile: null }).map(([name]) => name)).toEqual(['Type', 'Confidence']);
});

test('the facts of a field have its dates', async () => {
  const text = batch([{ at: '2026-01-02' }, { at: '2026-02-01' }]);
  const { report, profile } = await jobOf(text, text);
  const facts = factsOf(fieldsOf(report, profile)[0]!);
  expect(facts).toContainEqual(['Dates', 'YYYY-MM-DD']);
  expect(facts).toContainEqual(['From, to', '2026-01-02 to 2026-02-01, by day']);
});

test('the facts of a field say if it is likely to be personal data', async () => {
  const text = batch(Array.from({ length: 20 }, (_, i) => ({ contact: `+49 30 12345${i + 10}`, id: i })));
  const { report, profile } = await jobOf(text, text);
  const facts = Object.fromEntries(fieldsOf(report, profile).map(field => [field.name, factsOf(field)]));
  expect(facts.contact).toContainEqual(['Likely', 'phone numbers']);
  expect(facts.id!.map(([name]) => name)).not.toContain('Likely');
});

test('accepts names of Object.prototype', async () => {
  const rows = '[{"__proto__":null,"constructor":1,"toString":null,"":2},{"__proto__":null,"constructor":2}]';
  const text = `{"source":"odd","rows":${rows}}`;
  const { report, profile } = await jobOf(text, text);
  const fields = fieldsOf(report, profile);
  expect(fields.map(({ name }) => name).sort()).toEqual(['', '__proto__', 'constructor', 'toString']);
  expect(fields.find(({ name }) => name === 'constructor')!.profile!.null_rate).toBe(0);
  expect(fields.find(({ name }) => name === '__proto__')!.findings.length).toBeGreaterThan(0);
});

describe('intervals of a histogram', () => {
  test('are marked only beyond the fences', async () => {
    const usual = Array.from({ length: 100 }, (_, i) => i);
    const values = [...usual, 1000];
    const textOf = (numbers: number[]) => batch(numbers.map(value => ({ value })));
    const { report, profile } = await jobOf(textOf(usual), textOf(values));
    expect(report.issues!.outliers!.value!.count).toBe(1);
    const { histogram, quantiles } = profile.fields.value!.numbers!;
    const marked = outlying(histogram!, quantiles!);
    expect(marked.lastIndexOf(true)).toBe(19);
    expect(marked[0]).toBe(false);
    expect(histogram!.counts.filter((_, i) => marked[i])).toContain(1);
    expect(histogram!.counts.filter((many, i) => marked[i] && many > 0)).toEqual([1]);
  });

  test('are not marked if the interquartile range is 0', () => {
    expect(outlying({ low: 0, high: 10, counts: [9, 1] }, { '0.25': 0, '0.75': 0 })).toEqual([false, false]);
  });
});
