import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { RateLimiter } from '../../src/stores/rates.ts';
import { requestId } from '../../src/names/request-id.ts';
import type { Job } from '../../src/stores/ports.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { Clock, get } from './asking.ts';
import { KEY, newStores, NOW, SCALE_KEY, Service } from './service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const NOTHING = {
  totalJobs: 0,
  passCount: 0,
  warnCount: 0,
  blockCount: 0,
  avgHealth: 0,
  totalRows: 0,
  sourceCount: 0,
  periodDays: 30,
  sources: [],
};

/** A service over an empty database whose jobs a test writes itself. */
function history() {
  const { database } = newStores();
  const jobs = new SqlJobs(database);
  const clock = new Clock(NOW);
  const service = new Service({ jobs, now: clock.read });
  const stats = async (query: string, key: string) => (await get(service, `/v1/stats${query}`, key)).body;
  // The service's own database knows the keys; these jobs lie in the other one.
  return { jobs, clock, service, stats };
}

let written = 0;
async function write(jobs: SqlJobs, account: string, at: number, given: Partial<Job> = {}): Promise<Job> {
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(6, written++);
  const job: Job = {
    id: requestId(at, random),
    source: 'orders',
    status: 'PASS',
    healthScore: 1,
    rowsReceived: 1,
    driftCount: 0,
    latencyMs: 1,
    createdAt: at,
    ...given,
  };
  const document = { report: '{}', profile: '{}' };
  const trend = { drift: '[]', nullRates: '{}' };
  await jobs.complete({ account, job, document, trend, periodStart: 0, answer: null });
  return job;
}

describe('GET /v1/stats', () => {
  test('an account without jobs has zeros and no sources', async () => {
    expect((await get(new Service(), '/v1/stats')).body).toEqual(NOTHING);
  });

  test('has totals overall and by source, latest run first', async () => {
    const { jobs, stats } = history();
    await write(jobs, 'owner', NOW - 5 * HOUR, {
      status: 'BLOCK',
      healthScore: 0.1,
      rowsReceived: 7,
      driftCount: 3,
    });
    await write(jobs, 'owner', NOW - 2 * HOUR, { status: 'WARN', healthScore: 0.2, rowsReceived: 5 });
    await write(jobs, 'owner', NOW - HOUR, { source: 'é/\ud800', rowsReceived: 2 });
    await write(jobs, 'scaler', NOW - HOUR, { source: 'theirs' });
    expect(await stats('', KEY)).toEqual({
      totalJobs: 3,
      passCount: 1,
      warnCount: 1,
      blockCount: 1,
      avgHealth: 0.4333333333,
      totalRows: 14,
      sourceCount: 2,
      periodDays: 30,
      sources: [
        {
          source: 'é/\ud800',
          totalJobs: 1,
          passCount: 1,
          warnCount: 0,
          blockCount: 0,
          avgHealthPct: 100,
          totalRows: 2,
          totalDrift: 0,
          lastRun: '2026-11-21T11:00:00.000Z',
          lastStatus: 'PASS',
        },
        {
          source: 'orders',
          totalJobs: 2,
          passCount: 0,
          warnCount: 1,
          blockCount: 1,
          avgHealthPct: 15,
          totalRows: 12,
          totalDrift: 3,
          lastRun: '2026-11-21T10:00:00.000Z',
          lastStatus: 'WARN',
        },
      ],
    });
  });

  test('a screening counts as soon as it is answered', async () => {
    const service = new Service();
    const { status } = await service.post('{"source":"orders","rows":[{"a":1},{"a":2}]}', {
      'X-API-Key': KEY,
    });
    expect(status).toBe(200);
    expect((await get(service, '/v1/stats?days=1')).body).toMatchObject({
      totalJobs: 1,
      totalRows: 2,
      avgHealth: 1,
      sources: [{ source: 'orders', avgHealthPct: 100, lastRun: '2026-11-21T12:00:00.000Z' }],
    });
  });

  test.each([1, 7, 365])('a window of %d days starts that many times 24 hours ago', async days => {
    const { jobs, stats } = history();
    await write(jobs, 'owner', NOW - days * DAY - 1, { rowsReceived: 1000 });
    expect(await stats(`?days=${days}`, KEY)).toEqual({ ...NOTHING, periodDays: days });
    await write(jobs, 'owner', NOW - days * DAY, { rowsReceived: 10 });
    expect(await stats(`?days=${days}`, KEY)).toMatchObject({
      totalJobs: 1,
      totalRows: 10,
      periodDays: days,
    });
  });

  test.each(['0', '366', '1e2', '', 'abc', '-1', '7&days=7', '%ff'])('days=%s is a 400', async days => {
    const { status, body } = await get(new Service(), `/v1/stats?days=${days}`);
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(body.message).toStartWith('days');
  });

  test('equals the sums over the jobs for any history, across months and clock changes', async () => {
    const { jobs, clock, service, stats } = history();
    const accounts = { owner: KEY, scaler: SCALE_KEY } as const;
    /** Clocks change in these nights somewhere; months of 28, 29, 30 and 31 days end. */
    const edges = [
      '2027-03-14T07',
      '2027-03-28T01',
      '2027-10-31T01',
      '2028-02-29T00',
      '2028-03-01T00',
      '2027-05-01T00',
    ];
    const near = fc
      .tuple(fc.constantFrom(...edges), fc.integer({ min: -3 * DAY, max: 3 * DAY }))
      .map(([edge, offset]) => Date.parse(`${edge}:00:00Z`) + offset);
    const drawn = fc.record({
      account: fc.constantFrom('owner' as const, 'scaler' as const),
      at: near,
      source: fc.constantFrom('orders', 'customers', '__proto__', 'x y'),
      status: fc.constantFrom<Job['status']>('PASS', 'WARN', 'BLOCK'),
      healthScore: fc.integer({ min: 0, max: 10_000 }).map(health => health / 10_000),
      rowsReceived: fc.integer({ min: 1, max: 10_000 }),
      driftCount: fc.integer({ min: 0, max: 50 }),
    });
    const all: (Job & { account: string })[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { maxLength: 12 }),
        near,
        fc.integer({ min: 1, max: 365 }),
        async (more, now, days) => {
          for (const { account, at, ...given } of more)
            all.push({ ...(await write(jobs, account, at, given)), account });
          clock.now = now;
          // Rates are by the clock too, and it jumps.
          service.deps.rates = new RateLimiter();
          for (const [account, key] of Object.entries(accounts)) {
            const counted = all.filter(
              each => each.account === account && each.createdAt >= now - days * DAY,
            );
            const { avgHealth, sources, ...totals } = await stats(`?days=${days}`, key);
            expect(totals).toEqual({ ...sumsOf(counted), sourceCount: sources.length, periodDays: days });
            expect(avgHealth).toBeCloseTo(meanOf(counted), 9);
            expect(new Set(sources.map((each: { source: string }) => each.source))).toEqual(
              new Set(counted.map(each => each.source)),
            );
            for (const { source, avgHealthPct, totalDrift, lastRun, lastStatus, ...of } of sources) {
              const its = counted.filter(each => each.source === source);
              const newest = its.reduce((a, b) => (a.id > b.id ? a : b));
              expect(lastStatus).toBe(newest.status);
              expect(of).toEqual(sumsOf(its));
              expect(avgHealthPct).toBeCloseTo(100 * meanOf(its), 7);
              expect(totalDrift).toBe(its.reduce((sum, each) => sum + each.driftCount, 0));
              expect(Date.parse(lastRun)).toBe(Math.max(...its.map(each => each.createdAt)));
            }
            const runs = sources.map((each: { lastRun: string }) => each.lastRun);
            expect(runs).toEqual([...runs].sort().reverse());
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test('shows at most 200 sources, or as many as asked, and the others together', async () => {
    const { jobs, stats } = history();
    for (let n = 0; n < 203; n++)
      await write(jobs, 'scaler', NOW - HOUR + n, { source: `s${n}`, driftCount: n % 2, healthScore: 0.5 });
    const all = await stats('', SCALE_KEY);
    expect(all).toMatchObject({ totalJobs: 203, sourceCount: 203, avgHealth: 0.5 });
    expect(all.sources).toHaveLength(200);
    expect(all.sources[0].source).toBe('s202');
    expect(all.others).toEqual({
      sourceCount: 3,
      totalJobs: 3,
      passCount: 3,
      warnCount: 0,
      blockCount: 0,
      totalRows: 3,
      totalDrift: 1,
      avgHealthPct: 50,
      lastRun: new Date(NOW - HOUR + 2).toISOString(),
    });
    const few = await stats('?limit=2', SCALE_KEY);
    expect(few.sources.map(({ source }: { source: string }) => source)).toEqual(['s202', 's201']);
    expect(few.others.sourceCount).toBe(201);
    expect(await stats('?limit=203', SCALE_KEY)).not.toHaveProperty('others');
    expect((await stats('?limit=1001', SCALE_KEY)).code).toBe('INVALID_PARAMETER');
  });

  test('lets other requests run while it counts many jobs', async () => {
    const { jobs, stats } = history();
    for (let n = 0; n < 2500; n++) await write(jobs, 'scaler', NOW - HOUR + n, { source: `s${n % 700}` });
    let turns = 0;
    const tick = () => {
      turns++;
      immediate = setImmediate(tick);
    };
    let immediate = setImmediate(tick);
    const { totalJobs, sources } = await stats('?limit=1000', SCALE_KEY);
    clearImmediate(immediate);
    expect(totalJobs).toBe(2500);
    expect(sources).toHaveLength(700);
    expect(turns).toBeGreaterThan(1);
  });
});

describe('GET /v1/stats/verdicts', () => {
  const from = new Date(NOW - 2 * DAY).toISOString();

  test('counts each job once, in the span in which its request began', async () => {
    const { jobs, stats } = history();
    await write(jobs, 'scaler', NOW - 2 * DAY - 1);
    await write(jobs, 'scaler', NOW - 2 * DAY);
    await write(jobs, 'scaler', NOW - DAY - 1, { status: 'WARN' });
    await write(jobs, 'scaler', NOW - DAY, { status: 'BLOCK', source: 'other' });
    await write(jobs, 'scaler', NOW);
    await write(jobs, 'owner', NOW - DAY);
    expect(await stats(`/verdicts?from=${from}&spans=2`, SCALE_KEY)).toEqual({
      seconds: 86_400,
      spans: [
        { start: from, passCount: 1, warnCount: 1, blockCount: 0 },
        { start: new Date(NOW - DAY).toISOString(), passCount: 0, warnCount: 0, blockCount: 1 },
      ],
    });
  });

  test('ends now without a start, and shows spans without jobs', async () => {
    const { jobs, stats } = history();
    await write(jobs, 'scaler', NOW - 1);
    const { seconds, spans } = await stats('/verdicts?spans=60&seconds=60', SCALE_KEY);
    expect([seconds, spans.length]).toEqual([60, 60]);
    expect(spans[0]).toEqual({
      start: new Date(NOW - HOUR).toISOString(),
      passCount: 0,
      warnCount: 0,
      blockCount: 0,
    });
    expect(spans[59].passCount).toBe(1);
  });

  test.each([
    'spans=0',
    'spans=61',
    'seconds=59',
    'seconds=1209601',
    'from=yesterday',
    'from=2026-02-30T00:00:00Z',
    'from=9999-12-31T00:00:00Z&spans=2',
  ])('%s is refused', async query => {
    expect((await get(new Service(), `/v1/stats/verdicts?${query}`)).body.code).toBe('INVALID_PARAMETER');
  });

  test('the last span may begin in the last second that a date and time can say', async () => {
    const { spans } = await history().stats('/verdicts?from=9999-12-31T23:58:59Z&spans=2&seconds=60', KEY);
    expect(spans.at(-1).start).toBe('9999-12-31T23:59:59.000Z');
  });
});

function sumsOf(jobs: Job[]) {
  const having = (status: Job['status']) => jobs.filter(job => job.status === status).length;
  return {
    totalJobs: jobs.length,
    passCount: having('PASS'),
    warnCount: having('WARN'),
    blockCount: having('BLOCK'),
    totalRows: jobs.reduce((sum, job) => sum + job.rowsReceived, 0),
  };
}

const meanOf = (jobs: Job[]): number =>
  jobs.length === 0 ? 0 : jobs.reduce((sum, job) => sum + job.healthScore, 0) / jobs.length;
