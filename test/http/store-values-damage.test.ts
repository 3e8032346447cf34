/** With STORE_VALUES=false a kept job shows no value and no figure of values, whatever is wrong with its batch. */
import { expect, test } from 'bun:test';
import { DAMAGES } from '../../bench/accuracy/damage.ts';
import type { Row } from '../../bench/accuracy/rows.ts';
import { Random } from '../../bench/random.ts';
import { get } from './asking.ts';
import { batch, SCALE_KEY, Service } from './service.ts';

const SEED = 20261122;
const BATCHES = 14;
const ROWS = 80;
const MODES = ['contract', 'adaptive'] as const;

const PLANTED = 'planted';
/** All numbers of the payload are far above the counts of a report, and stay so when they are divided by a thousand. */
const LEAST = 1_000;

/** A row of a shop whose values can be told from counts, rates and names. */
function plantedRow(random: Random, i: number): Row {
  return {
    id: `${PLANTED}-${random.between(100_000, 999_999)}-${i}`,
    price: 4_287_000 + Math.round(random.unit() * 90_000) / 100,
    stock: 7_310_000 + random.between(0, 40_000),
    status: `${PLANTED} ${random.pick(['open', 'paid', 'sent'])}`,
    note: random.chance(0.1) ? null : `${PLANTED} note ${random.pick(['Anna', 'Bea', 'Carl', 'Dora'])}`,
    gift: random.chance(0.3),
  };
}

const plantedBatch = (random: Random): Row[] => Array.from({ length: ROWS }, (_, i) => plantedRow(random, i));

/** Names that the service made, the hash of names and types, and the time that it took. */
const MADE_HERE = new Set([
  'latency_ms',
  'request_id',
  'job_id',
  'id',
  'timestamp',
  'schema_fingerprint',
  'created_at',
  'source',
]);

/** Paths of leaves that show a value of the payload. */
function leaks(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return Math.abs(value) >= LEAST ? [`${path}: ${value}`] : [];
  if (typeof value === 'string') return isLeak(value) ? [`${path}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    MADE_HERE.has(key) ? [] : [...leaks(each, `${path}/${key}`), ...(isLeak(key) ? [`${path}/${key}`] : [])],
  );
}

/** No count, rate, length or percentage of these batches has four digits before its decimal point. */
const isLeak = (text: string): boolean =>
  text.includes(PLANTED) || /(?<![\d.])\d{4}/.test(text.replaceAll(/req_[0-9A-Z]{26}/g, ''));

/** The answers to each kind of damage, and what is kept of them. */
async function play(mode: (typeof MODES)[number], storeValues: boolean) {
  let now = Date.UTC(2026, 9, 1);
  const service = new Service({ storeValues, now: () => now });
  const random = new Random(SEED);
  const post = async (rows: readonly Row[]) => {
    now += 3_600_000;
    const answer = await service.post(batch(rows as object[], { options: { mode, row_verdicts: true } }));
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const history: Row[][] = [];
  for (let i = 0; i < BATCHES; i++) {
    history.push(plantedBatch(random));
    await post(history.at(-1)!);
  }
  const kept = [];
  for (const damage of DAMAGES) {
    const damaged = damage.apply(plantedBatch(random), history, random);
    if (damaged === null) continue;
    const { request_id: id, status } = await post(damaged.rows);
    const { report, profile } = (await get(service, `/v1/jobs/${id}`, SCALE_KEY)).body;
    kept.push({ name: damage.name, status, report, profile });
  }
  const trend = (await get(service, '/v1/schema/orders/history', SCALE_KEY)).body;
  return { kept, trend };
}

test.each(MODES)('%s mode: no kind of damage leaves a value in a job', async mode => {
  const { kept, trend } = await play(mode, false);
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.filter(({ status }) => status !== 'PASS').length).toBeGreaterThan(20);
  const found = kept.flatMap(({ name, report, profile }) =>
    leaks({ report, profile }).map(leak => `${name} ${leak}`),
  );
  expect(found).toEqual([]);
  expect(leaks(trend)).toEqual([]);
});

test('the search finds values where they are kept', async () => {
  const { kept } = await play('adaptive', true);
  const found = kept.flatMap(({ report, profile }) => leaks({ report, profile }));
  for (const place of [
    '/report/decision/reason',
    '/anomalies/',
    '/issues/outliers/',
    '/profile/fields/price',
  ])
    expect(found.some(leak => leak.includes(place))).toBe(true);
});

test('what follows from a changed type is not in the reason', async () => {
  let now = Date.UTC(2026, 9, 1);
  const service = new Service({ storeValues: false, now: () => now });
  const post = async (prices: readonly unknown[]) => {
    now += 3_600_000;
    const rows = prices.map((price, i) => ({ price, at: i }));
    return (await service.post(batch(rows, { options: { mode: 'adaptive' } }))).body;
  };
  const random = new Random(SEED);
  for (let i = 0; i < 18; i++)
    await post(Array.from({ length: 100 }, () => 28 + Math.round(random.unit() * 400) / 100));
  const mixed = Array.from({ length: 100 }, (_, i) => (i % 5 < 3 ? 'call us' : 4_287_000 + i));
  const { request_id: id, decision } = await post(mixed);
  expect(decision.reason).toContain("'price' changed from number to string");
  expect(decision.reason).not.toContain('4287');
  const { report } = (await get(service, `/v1/jobs/${id}`, SCALE_KEY)).body;
  expect(JSON.stringify(report)).not.toContain('4287');
  expect(report.decision.reason).toContain("'price' changed");
});
