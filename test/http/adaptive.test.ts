/** POST /v1/screen with options.mode: contract and adaptive beside each other. */
import { describe, expect, test } from 'bun:test';
import { shopDay } from '../judge/adaptive/streams.ts';
import { get } from './asking.ts';
import { type Answer, batch, SCALE_KEY, Service } from './service.ts';
import { screened, ticking } from './teaching.ts';

const SEED = 11;
const DAY_MS = 86_400_000;

/** A service whose every request comes a day after the one before. */
function daily(changes: ConstructorParameters<typeof Service>[0] = {}): Service {
  let day = 0;
  return new Service({ now: () => Date.UTC(2026, 9, 1) + Math.floor(day++ / 20) * DAY_MS, ...changes });
}

const adaptive = (service: Service, rows: object[], options: object = {}): Promise<Answer> =>
  service.post(batch(rows, { options: { mode: 'adaptive', ...options } }));

async function warmed(changes = {}): Promise<Service> {
  const service = daily(changes);
  for (let day = 0; day < 12; day++) expect((await adaptive(service, shopDay(SEED, day))).status).toBe(200);
  return service;
}

test('adaptive mode reports that it is still learning, and later how much it has learned', async () => {
  const service = daily();
  const gates = [];
  for (let day = 0; day < 4; day++) {
    const { body, headers } = await adaptive(service, shopDay(SEED, day));
    expect(headers.get('x-service-mode')).toBe('adaptive');
    gates.push(body.gate);
  }
  expect(gates.map(gate => [gate.history, gate.learning])).toEqual([
    [0, true],
    [1, true],
    [2, true],
    [3, false],
  ]);
  expect(gates[3].expected_false_alarm_rate).toBeGreaterThan(0);
});

test.each([
  [8, -10, 210],
  [40, -75, 280],
])(
  'the second batch may have a mean that differs by more than itself, with a standard deviation of %d',
  async (deviation, low, high) => {
    const service = ticking();
    /** Half of the numbers are below `mean`, half above. */
    const around = (mean: number) =>
      Array.from({ length: 1000 }, (_, i) => ({ v: mean + (i % 2 ? deviation : -deviation) }));
    await screened(service, around(100), { mode: 'adaptive' });
    const of = async (mean: number) =>
      (await screened(service, around(mean), { mode: 'adaptive', dry_run: true })).anomalies;
    const found = await of(10_000);
    const [least, most] = found.find(({ statistic }: { statistic: string }) => statistic === 'mean').expected;
    expect([Math.abs(least - low), Math.abs(most - high)].every(apart => apart < 10)).toBe(true);
    for (const mean of [low + 10, 150, high - 10]) expect(await of(mean)).toBeUndefined();
  },
);

test('a damaged column is an anomaly with its range, in issues or drift, and in the reason', async () => {
  const service = await warmed();
  const rows = shopDay(SEED, 12).map(row => ({ ...row, price: Number(row.price) * 100 }));
  const { body } = await adaptive(service, rows);
  expect(body.status).not.toBe('PASS');
  const [worst] = body.anomalies;
  expect(worst.field).toBe('price');
  const [low, high] = worst.expected;
  expect(worst.observed < low || worst.observed > high).toBe(true);
  expect(body.issues.outliers.price.count).toBeGreaterThan(0);
  expect(body.decision.reason).toContain("'price'");
  const { report } = (await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY)).body;
  expect(report.anomalies).toEqual(body.anomalies);
});

test('without stored values an anomaly of numbers has no figures', async () => {
  const service = await warmed({ storeValues: false });
  const rows = shopDay(SEED, 12).map(row => ({ ...row, price: Number(row.price) * 100 }));
  const { body } = await adaptive(service, rows);
  const { report } = (await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY)).body;
  expect(body.anomalies[0].observed).toBeNumber();
  expect(body.decision.reason).toContain('usually about');
  expect(JSON.stringify(report)).not.toContain('usually about');
  expect(report.anomalies.length).toBe(body.anomalies.length);
  expect(report.anomalies.filter((each: object) => !('observed' in each)).length).toBeGreaterThan(0);
  for (const [i, kept] of report.anomalies.entries()) {
    expect(kept).toMatchObject({ field: body.anomalies[i].field, unusual: body.anomalies[i].unusual });
    if (!kept.statistic.endsWith('share')) expect(kept.observed ?? kept.expected).toBeUndefined();
  }
});

test('contract mode is the default and is reported', async () => {
  const [plain, asked] = [new Service(), new Service()];
  const rows = shopDay(SEED, 0);
  const first = await plain.post(batch(rows));
  const second = await asked.post(batch(rows, { options: { mode: 'contract' } }));
  for (const { headers, body } of [first, second]) {
    expect(headers.get('x-service-mode')).toBe('contract');
    expect(body.gate).toMatchObject({ mode: 'contract', history: 0, learning: true });
    expect(body.anomalies).toBeUndefined();
  }
  const { request_id: _, batch_id: ___, latency_ms: __, ...same } = first.body;
  expect(second.body).toMatchObject(same);
});

test('a repeated batch is reported in both modes, and changes no verdict in contract mode', async () => {
  const service = daily();
  for (let day = 0; day < 3; day++) await service.post(batch(shopDay(SEED, day)));
  const fresh = await service.post(batch(shopDay(SEED, 3)));
  expect([fresh.body.status, fresh.body.anomalies]).toEqual(['PASS', undefined]);
  const stale = shopDay(SEED, 1);
  const rehearsed = await adaptive(service, stale, { dry_run: true });
  const again = await service.post(batch(stale, { options: { thresholds: { null_rate_warn: 0.6 } } }));
  for (const [{ body }, status, severity] of [
    [rehearsed, 'WARN', 'warn'],
    [again, 'PASS', 'info'],
  ] as const) {
    expect(body.status).toBe(status);
    const [{ detail, ...repeat }] = body.anomalies;
    expect(repeat).toMatchObject({ field: '*', statistic: 'repeated_batch', severity });
    expect(detail).toContain('repeats an earlier one');
  }
  expect(again.body.decision.reason).not.toContain('repeats');
});

test('an unknown mode is rejected', async () => {
  const { status, body } = await new Service().post(batch([{ a: 1 }], { options: { mode: 'strict' } }));
  expect([status, body.code]).toEqual([400, 'INVALID_OPTIONS']);
});

describe('a sequence of numbers in a sampled batch', () => {
  const ids = (count: number, from: number): { id: number; price: number }[] =>
    Array.from({ length: count }, (_, i) => ({ id: from + i, price: (i * 37) % 101 }));
  const incomplete = async (service: Service, rows: object[]): Promise<number[]> => {
    const { anomalies = [] } = await screened(service, rows, { mode: 'adaptive', dry_run: true });
    return anomalies
      .filter(({ statistic }: { statistic: string }) => statistic === 'sequence_completeness')
      .map(({ observed }: { observed: number }) => observed);
  };
  const lived = async (count: number): Promise<Service> => {
    const service = ticking();
    for (let day = 0; day < 14; day++)
      await screened(service, ids(count - 10 * (day % 4), 10_000 * day), { mode: 'adaptive' });
    return service;
  };

  test('is as complete as in batches that are analysed as a whole', async () => {
    const service = await lived(900);
    const rows = ids(2000, 300_000);
    const shuffled = rows.map((row, i) => ({ ...row, id: 300_000 + ((i * 777) % 2000) }));
    for (const each of [rows, rows.toReversed(), shuffled])
      expect(await incomplete(service, each)).toEqual([]);
  });

  test('has gaps where a fifth of the rows is missing here and there', async () => {
    const service = await lived(3000);
    const rows = ids(3000, 300_000);
    expect(await incomplete(service, rows)).toEqual([]);
    const [found] = await incomplete(
      service,
      rows.filter((_, i) => (i * 7919) % 3001 > 600),
    );
    expect(found).toBeWithin(0.79, 0.81);
  });
});
