/** How much of a wide batch's work is done before other requests may run: counted in steps, whatever they take. */
import { describe, expect, test } from 'bun:test';
import { baselineOf } from '../../src/baseline/merged.ts';
import { countingNewValues } from '../../src/baseline/new-values.ts';
import { encodingState } from '../../src/baseline/encode-state.ts';
import { settling } from '../../src/baseline/merge.ts';
import { describingBaseline } from '../../src/baseline/describe.ts';
import { makingState } from '../../src/baseline/state-of-batch.ts';
import { atOnce, type Pieces } from '../../src/cooperative-yield.ts';
import type { Finding } from '../../src/findings/kinds.ts';
import { jsonOf } from '../../src/http/large-json.ts';
import { advising } from '../../src/judge/advice.ts';
import { assessing } from '../../src/judge/assess.ts';
import { parseOptions } from '../../src/options/options.ts';
import { THRESHOLDS } from '../../src/policy.ts';
import { describing } from '../../src/profile/describe.ts';
import { readingProfile } from '../../src/profile/read.ts';
import { completing } from '../../src/report/completion.ts';
import { reporting } from '../../src/report/report.ts';
import { responseOf } from '../../src/report/response.ts';
import { fittingHistory } from '../../src/rules/learned/history.ts';
import { RULES } from '../../src/rules/rules.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';

const FIELDS = 2000;
const HISTORY = 5;
const FACTS = { chunk: false, provisional: false, verdict: 'PASS', health: 1 } as const;
const idOf = (batch: number) => `req_${String(batch).padStart(26, '0')}`;

const body = (value: (field: number, row: number) => unknown) => {
  const row = (at: number) =>
    Object.fromEntries(Array.from({ length: FIELDS }, (_, field) => [`field_${field}`, value(field, at)]));
  return Buffer.from(JSON.stringify({ rows: Array.from({ length: 5 }, (_, at) => row(at)) }));
};

/** Runs the work; returns its value and the most that `counted` grew by in one piece. */
function most<T>(work: Pieces<T>, counted: () => number): { value: T; most: number; pieces: number } {
  let [most, pieces] = [0, 0];
  for (;;) {
    const before = counted();
    const { done, value } = work.next();
    pieces++;
    most = Math.max(most, counted() - before);
    if (done) return { value, most, pieces };
  }
}

/** The queries to the engine, and how many were asked. */
function countedQueries() {
  let asked = 0;
  const counted = <T extends object>(queries: T): T =>
    Object.fromEntries(
      Object.entries(queries).map(([name, ask]) => [
        name,
        (...values: unknown[]) => {
          asked++;
          return (ask as (...values: unknown[]) => unknown)(...values);
        },
      ]),
    ) as T;
  return { counted, asked: () => asked };
}

/** Texts where numbers were, and numbers and nulls where texts were. */
const OTHER = body((field, row) => (field % 2 ? `${row}` : row < 3 ? null : row));

/** A source of numbers and texts, and a batch in which every field is another. */
function wideBatch() {
  const normal = (batch: number) => (field: number, row: number) =>
    field % 2 ? batch + row : `value ${(row + batch) % 3}`;
  const states = Array.from({ length: HISTORY }, (_, batch) => {
    const { profile } = screenBytes(ENGINE, body(normal(batch)));
    const facts = { ...FACTS, id: idOf(batch), at: batch * 3_600_000 };
    return atOnce(makingState(profile!, facts, null, new Map()));
  });
  const baseline = baselineOf(atOnce(settling(null, states))!);
  return { states, baseline, profile: screenBytes(ENGINE, OTHER).profile! };
}

const { states, baseline, profile } = wideBatch();
const { counted, asked } = countedQueries();
const queries = counted(ENGINE.queries);
const rowQueries = counted(ENGINE.rowQueries);
const FACTS_NOW = { ...FACTS, id: idOf(HISTORY), at: HISTORY * 3_600_000 };
const state = atOnce(makingState(profile, FACTS_NOW, baseline, new Map()));
const options = parseOptions({ row_verdicts: true });
const history = atOnce(fittingHistory(baseline));

describe('in one piece', () => {
  test('a judgement asks the engine about one field, or one finding', () => {
    const batch = { profile, queries, rowQueries, state };
    const judged = assessing(batch, { baseline, history }, RULES, options);
    const { value, most: queriesInOne, pieces } = most(judged, asked);
    expect(value.findings.length).toBeGreaterThan(FIELDS);
    // As many rules as look at a field.
    expect(queriesInOne).toBeLessThanOrEqual(8);
    expect(pieces).toBeGreaterThan(2 * FIELDS);
  });

  test('a profile, a description and new values are of one field', () => {
    const described = most(describing(profile, queries), asked);
    expect([described.most <= 2, described.pieces > FIELDS]).toEqual([true, true]);
    const known = most(countingNewValues(profile, queries, baseline), asked);
    expect([known.most <= 1, known.pieces > FIELDS]).toEqual([true, true]);
    screenBytes(
      ENGINE,
      body(() => 1),
    );
    const record = most(ENGINE.measuring(1000), () => 0);
    expect(record.pieces).toBe(FIELDS + 1);
    expect(most(readingProfile(record.value), () => 0).pieces).toBeGreaterThan(FIELDS / 500);
  });

  test('what the baseline does is done for one field', () => {
    const works: Pieces<unknown>[] = [
      makingState(profile, FACTS_NOW, baseline, new Map()),
      encodingState(state),
      fittingHistory(baseline),
      describingBaseline(baseline),
      advising(baseline.fields.keys(), baseline, null, THRESHOLDS),
    ];
    for (const work of works) expect(most(work, () => 0).pieces).toBeGreaterThanOrEqual(FIELDS);
    const merged = most(settling(null, states), () => 0);
    expect(merged.pieces).toBeGreaterThan(HISTORY * FIELDS);
  });
});

/** The findings, and how often any of them was read. */
function readsOf(findings: readonly Finding[]) {
  let reads = 0;
  const watched = findings.map(
    finding =>
      new Proxy(finding, {
        get(target, member) {
          if (member === 'kind') reads++;
          return Reflect.get(target, member);
        },
      }),
  );
  return { watched, reads: () => reads };
}

test('a report and what is kept of it are made of some hundred findings in one piece', () => {
  const rows = ENGINE.rowQueries;
  screenBytes(
    ENGINE,
    body((field, row) => (field % 2 ? 1e9 * (row + 1) : `other ${row}`)),
  );
  const batch = { profile, queries: ENGINE.queries, rowQueries: rows, state };
  const assessment = atOnce(assessing(batch, { baseline, history }, RULES, options));
  const { watched, reads } = readsOf(assessment.findings);
  const screening = { id: FACTS_NOW.id, source: 's', at: 0, latencyMs: 0, dryRun: false };
  const reported = {
    screening,
    profile,
    baseline,
    assessment: { ...assessment, findings: watched },
    run: null,
    advice: [],
    pinned: false,
  };
  const report = most(reporting(reported), reads);
  expect(watched.length).toBeGreaterThan(FIELDS);
  // A sort of 256 findings reads each of them some ten times.
  expect(report.most).toBeLessThan(12_000);
  expect(report.pieces).toBeGreaterThan(FIELDS);
  const answered = {
    account: 'a',
    periodStart: 0,
    reported,
    report: report.value,
    description: atOnce(describing(profile, ENGINE.queries)),
    response: responseOf(report.value, 'developer', 1),
    claim: null,
    state: null,
    mostBytes: 1e9,
    isPerson: false,
  };
  const kept = most(completing(answered, true), reads);
  expect(kept.most).toBeLessThan(12_000);
  expect(kept.pieces).toBeGreaterThan(FIELDS);
  expect(most(jsonOf({}, { fields: report.value.schema }), () => 0).pieces).toBeGreaterThan(FIELDS);
});

test('JSON in pieces is that of JSON.stringify', () => {
  const fields = JSON.parse('{"a":{"b":[1,null]},"__proto__":{"x":1},"\\u0001":{}}');
  const whole = { source: 'é', n: null, fields };
  expect(atOnce(jsonOf({ source: 'é', n: null }, { fields }))).toBe(JSON.stringify(whole));
  expect(atOnce(jsonOf({}, { fields: {} }))).toBe('{"fields":{}}');
});
