/** What is left out of a report that would be too long. */
import { describe, expect, test } from 'bun:test';
import type { Report } from '../../src/report-schema/report.ts';
import { ANOMALIES_LISTED } from '../../src/terms/policy.ts';
import { issuesIn } from '../../src/report/lists.ts';
import { SAMPLES } from '../findings/samples.ts';
import { boundedLists, MAX_JOB_BYTES, MAX_REPORT_BYTES, MAX_TREND_BYTES } from '../../src/report/bounds.ts';
import { get } from '../http/asking.ts';
import { batch, SCALE_KEY, Service } from '../http/service.ts';

const FIELDS = 2000;
const row = (name: (i: number) => string, value: (i: number) => unknown, length = FIELDS) =>
  Object.fromEntries(Array.from({ length }, (_, i) => [name(i), value(i)]));

/** The longest names: as they are, and as JSON writes them longest. */
const LONG = (i: number) => String(i).padEnd(1024, 'n');
const CONTROLS = (i: number) => String(i).padEnd(1024, '\u0001');

const options = { row_verdicts: true };
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The report of a second batch in which every field is of another type, null rates included, and its job. */
async function worst(name: (i: number) => string, fields = FIELDS) {
  const service = new Service({ maxBodyBytes: 64 * 1024 * 1024 });
  await service.post(batch([row(name, i => i, fields)], { options }));
  const changed = row(name, () => '\u0001'.repeat(2000), fields);
  const { body } = await service.post(batch([changed, {}, {}], { options }));
  const job = await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY);
  return { service, report: body as Report, job: job.body };
}

let ofLetters: ReturnType<typeof worst> | undefined;
const worstOfLetters = () => (ofLetters ??= worst(LONG));

describe.each([
  ['of 1,024 letters', worstOfLetters],
  ['of 1,024 control characters', () => worst(CONTROLS)],
])('2,000 names %s', (_, made) => {
  test('fit into the bounds of a report, a job and a page of the history, and say how much they leave out', async () => {
    const { service, report, job } = await made();
    expect(bytesOf(report)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    expect(bytesOf(job)).toBeLessThanOrEqual(MAX_JOB_BYTES);
    expect(job.report).toEqual(report);
    const { left_out } = report.stats;
    expect(Object.keys(report.schema).length + left_out!.schema!).toBe(FIELDS);
    expect(Object.keys(job.profile.fields).length + job.profile.left_out).toBe(FIELDS);
    expect(report.drift!.length + left_out!.drift!).toBe(job.drift_count);
    const { body } = await get(service, '/v1/schema/orders/history', SCALE_KEY);
    for (const { drift, null_rates, null_rates_left_out } of body.batches) {
      expect(bytesOf(drift)).toBeLessThanOrEqual(MAX_TREND_BYTES);
      expect(bytesOf(null_rates)).toBeLessThanOrEqual(MAX_TREND_BYTES);
      expect(Object.keys(null_rates).length + null_rates_left_out).toBe(FIELDS);
    }
  });
});

test('the gravest findings stay, and no list is crowded out', async () => {
  const { report } = await worstOfLetters();
  expect(report.status).toBe('BLOCK');
  // Every field has a drift event that blocks; the null rates of 67% are warnings.
  expect(new Set(report.drift!.map(({ severity }) => severity))).toEqual(new Set(['block']));
  const mismatches = Object.values(report.issues!.type_mismatches!);
  expect(new Set(mismatches.map(({ severity }) => severity))).toEqual(new Set(['critical']));
  expect(Object.keys(report.schema).length).toBeGreaterThan(50);
  const { quarantine } = report;
  expect(quarantine!.rows.length).toBe(quarantine!.count);
  for (const [, places] of quarantine!.rows)
    for (const place of places) expect(place).toBeLessThan(quarantine!.reasons.length);
});

test('verdict, health, reason and fingerprint are those of the whole batch', async () => {
  const judged = async (name: (i: number) => string) => {
    // As many as a baseline has room for, whatever their names.
    const { report } = await worst(name, 800);
    return { ...report, reason: report.decision.reason.replaceAll(/'[^']*'/g, '') };
  };
  const [long, short] = [await judged(LONG), await judged(String)];
  expect([long.status, long.health_score, long.reason]).toEqual([
    short.status,
    short.health_score,
    short.reason,
  ]);
  expect(long.quarantine!.count).toBe(short.quarantine!.count);
});

test('a batch of 2,000 fields with ordinary names is reported whole', async () => {
  const service = new Service();
  const { body } = await service.post(
    batch([
      row(
        i => `a_field_of_usual_length_${i}`,
        i => i / 7,
      ),
    ]),
  );
  const job = await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY);
  expect(body.stats.left_out).toBeUndefined();
  expect(Object.keys(job.body.profile.fields).length).toBe(FIELDS);
  expect(job.body.profile.left_out).toBeUndefined();
});

test(`a report lists ${ANOMALIES_LISTED} anomalies and counts the others`, async () => {
  const service = new Service();
  const shifted = (by: number, fields = ANOMALIES_LISTED + 1) =>
    batch(
      Array.from({ length: 60 }, (_, i) =>
        row(
          name => `f${name}`,
          () => ((37 * i) % 61) + by,
          fields,
        ),
      ),
    );
  for (let i = 0; i < 4; i++) await service.post(shifted(i % 2));
  const { body } = await service.post(shifted(10_000));
  const found = (body as Report).anomalies!;
  expect(found).toHaveLength(ANOMALIES_LISTED);
  const all = (body as Report).stats.left_out!.anomalies! + found.length;
  expect(all).toBeGreaterThan(ANOMALIES_LISTED);
  const few = new Service();
  for (let i = 0; i < 4; i++) await few.post(shifted(i % 2, 2));
  const whole = (await few.post(shifted(10_000, 2))).body as Report;
  expect(whole.anomalies!.length).toBeGreaterThan(1);
  expect(whole.stats.left_out).toBeUndefined();
});

test('1,000 violated rules with the longest texts fit, the gravest stay, and the others are counted', () => {
  const findings = Array.from({ length: 1000 }, (_, i) => ({
    ...SAMPLES.rule_violation,
    field: LONG(i),
    severity: i < 10 ? ('block' as const) : ('warn' as const),
    evidence: {
      ...SAMPLES.rule_violation.evidence,
      rule: `fields.${LONG(i)}.enum`,
      description: '\u0001'.repeat(1000),
    },
  }));
  const issues = issuesIn(findings);
  const whole = { schema: {}, issues, drift: [], anomalies: [], quarantine: null, untracked: [] };
  const { lists, leftOut } = boundedLists(whole, findings, {});
  expect(bytesOf(lists.issues)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
  const violations = lists.issues!.rule_violations!;
  expect(violations.length).toBeGreaterThan(100);
  expect(violations.length + leftOut!.issues!).toBe(1000);
  expect(violations.filter(({ severity }) => severity === 'block').length).toBe(10);
});
