/** A real report in the page's words. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { CompleteJob, Report } from '../../src/dashboard/contract.ts';
import { fieldsOf, outlying } from '../../src/dashboard/fields.ts';
import { driftOf, issuesOf, pastOf, unusualOf } from '../../src/dashboard/findings.ts';
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

test('every issue and every event of a broken batch has a sentence, worst first', () => {
  const [issues, drift] = [issuesOf(broken.report), driftOf(broken.report)];
  const { type_mismatches, null_rates, outliers, duplicate_fields } = broken.report.issues!;
  const expected = [type_mismatches, null_rates, outliers, duplicate_fields].flatMap(each =>
    Object.keys(each ?? {}),
  );
  expect(issues).toHaveLength(expected.length);
  expect(drift.map(({ text }) => text).sort()).toEqual(
    broken.report.drift!.map(({ detail }) => detail).sort(),
  );
  const order = ['block', 'warn', 'info'];
  for (const list of [issues, drift]) {
    const levels = list.map(({ level }) => order.indexOf(level));
    expect(levels).toEqual(levels.toSorted());
    expect(levels.length).toBeGreaterThan(1);
  }
});

test('what is unusual for a source is told once, and how much past that rests on', async () => {
  const rows = (mean: number) => Array.from({ length: 60 }, (_, i) => ({ n: mean + ((i * 37) % 11) }));
  const adaptively = (mean: number, day: number) =>
    batch(rows(mean).concat({ n: mean + day / 7 }), { options: { mode: 'adaptive' } });
  const service = new Service();
  for (let day = 0; day < 2; day++) await service.post(adaptively(50, day));
  const learning = (await service.post(adaptively(50, 2))).body as Report;
  expect(pastOf(learning)).toBe(
    'Judged by 2 batches of its past: still learning, types and presence alone are judged',
  );
  for (let day = 3; day < 8; day++) await service.post(adaptively(50, day));
  const report = (await service.post(adaptively(5000, 8))).body as Report;
  expect(pastOf(report)).toBe('Judged by 8 batches of its past');
  const told = [...driftOf(report), ...unusualOf(report)].map(({ text }) => text.split(' – ')[0]!);
  expect(report.anomalies!.map(({ detail }) => detail).filter(detail => !told.includes(detail))).toEqual([]);
  expect(new Set(told).size).toBe(told.length);
  expect(told.join()).toContain("Unusual median of 'n': 5005, usually about 55");
  expect([pastOf(broken.report), unusualOf(broken.report)]).toEqual([null, []]);
});

test('a sentence ends with the first rows it is about, as the report numbers them', async () => {
  const rows = (count: number) => Array.from({ length: 60 }, (_, i) => ({ n: i < count ? 'x' : i }));
  const { report } = await jobOf(batch(rows(0)), batch(rows(9)));
  expect(issuesOf(report)[0]!.text).toEndWith(' – rows 0, 1, 2, 3, 4 … (from 0)');
  const lines = { ...report, stats: { ...report.stats, row_numbers: 'line' } } as Report;
  lines.issues!.type_mismatches!.n!.rows = [1234];
  expect(issuesOf(lines)[0]!.text).toEndWith(' – line 1,234');
});

test('fields with findings come first, and every field is there once', () => {
  const fields = fieldsOf(broken.report, broken.profile);
  expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(broken.report.schema).sort());
  const found = fields.map(({ findings }) => findings.length > 0);
  expect(found).toEqual(found.toSorted((a, b) => Number(b) - Number(a)));
  expect(found).toContain(true);
  expect(found).toContain(false);
});

test('a report without a profile, as of a dry run, has its fields all the same', () => {
  expect(fieldsOf(broken.report, null).every(({ profile }) => profile === null)).toBe(true);
});

test('names of Object.prototype are names like any other', async () => {
  const rows = '[{"__proto__":null,"constructor":1,"toString":null,"":2},{"__proto__":null,"constructor":2}]';
  const text = `{"source":"odd","rows":${rows}}`;
  const { report, profile } = await jobOf(text, text);
  const fields = fieldsOf(report, profile);
  expect(fields.map(({ name }) => name).sort()).toEqual(['', '__proto__', 'constructor', 'toString']);
  expect(fields.find(({ name }) => name === 'constructor')!.profile!.null_rate).toBe(0);
  expect(issuesOf(report).map(({ field }) => field)).toContain('__proto__');
});

describe('intervals of a histogram', () => {
  test('that lie beyond the fences are marked, and no other', async () => {
    const values = [...Array.from({ length: 100 }, (_, i) => i), 1000];
    const text = batch(values.map(value => ({ value })));
    const { report, profile } = await jobOf(text, text);
    expect(report.issues!.outliers!.value!.count).toBe(1);
    const { histogram, quantiles } = profile.fields.value!.numbers!;
    const marked = outlying(histogram!, quantiles!);
    expect(marked.lastIndexOf(true)).toBe(19);
    expect(marked[0]).toBe(false);
    expect(histogram!.counts.filter((_, i) => marked[i])).toContain(1);
    expect(histogram!.counts.filter((many, i) => marked[i] && many > 0)).toEqual([1]);
  });

  test('are not marked where the middle half has no width', () => {
    expect(outlying({ low: 0, high: 10, counts: [9, 1] }, { '0.25': 0, '0.75': 0 })).toEqual([false, false]);
  });
});

test('a report without values has sentences without them', () => {
  const report = {
    issues: {
      type_mismatches: { a: { expected: 'number', found: ['string'], rate: 0.5, severity: 'critical' } },
      outliers: { b: { count: 2, severity: 'info' } },
    },
  } as unknown as Report;
  expect(issuesOf(report).map(({ text }) => text)).toEqual([
    '50% of the values are not number: found string',
    '2 outliers far from the other values',
  ]);
});
