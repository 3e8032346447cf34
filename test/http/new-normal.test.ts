/** A lasting change of a source: proposed as its new normal, not enforced. */
import { describe, expect, test } from 'bun:test';
import { ask, changedBy, orders, say, screened, ticking } from './teaching.ts';

const SETTINGS = '/v1/schema/orders/settings';
const HISTORY = 12;

async function source(settle_after?: number | 'never') {
  const service = ticking();
  if (settle_after) await ask(service, 'PUT', SETTINGS, { settle_after });
  for (let day = 0; day < HISTORY; day++) await screened(service, orders(day));
  let next = HISTORY;
  const dear = () => changedBy(orders(next++), ({ amount }) => ({ amount: Number(amount) * 100 }));
  const texts = () => changedBy(orders(next++), ({ amount }) => ({ amount: `${amount} kr` }));
  const verdicts = async (count: number, make: () => object[]) => {
    const reports = [];
    for (let i = 0; i < count; i++) reports.push(await screened(service, make()));
    return reports;
  };
  return { service, verdicts, dear, texts };
}
const letters = (reports: { status: string }[]): string => reports.map(({ status }) => status[0]).join('');

describe('prices that are a hundred times as high from now on', () => {
  test('are BLOCK twice, then proposed as WARN, and the baseline after eight batches', async () => {
    const { verdicts, dear } = await source();
    const reports = await verdicts(11, dear);
    expect(letters(reports)).toBe('BBWWWWWWPPP');
    const { decision, blocked_since: since, stats } = reports[2];
    expect(decision.reason).toEndWith(
      `. A new normal since ${since.timestamp}, 3 batches: accept it, or it becomes the baseline after 8`,
    );
    expect(since).toMatchObject({ job_id: reports[0].request_id, batches: 3, settles_after: 8 });
    expect(stats.pinned).toBeUndefined();
    expect(reports[1].blocked_since.settles_after).toBeUndefined();
    expect(reports[7].blocked_since.batches).toBe(8);
  });

  test('become the baseline after as many batches as the settings say, or never', async () => {
    const [soon, never] = [await source(5), await source('never')];
    expect(letters(await soon.verdicts(8, soon.dear))).toBe('BBWWWPPP');
    const reports = await never.verdicts(16, never.dear);
    expect(letters(reports)).toBe(`BB${'W'.repeat(14)}`);
    expect(reports[2].decision.reason).toEndWith('3 batches: accept it');
    expect(reports[2].blocked_since.settles_after).toBeUndefined();
  });

  test('are WARN in the trends where they were proposed, and a repeated batch when they come again once accepted', async () => {
    const { service, verdicts, dear } = await source();
    await verdicts(2, dear);
    const rows = dear();
    const [{ request_id: job_id }] = await verdicts(1, () => rows);
    const { batches } = (await ask(service, 'GET', '/v1/schema/orders/trends?field=amount')).body;
    expect(batches.at(-1)).toMatchObject({ job_id, status: 'WARN', learned: true });
    await say(service, 'accept', { job_id });
    const { anomalies } = await screened(service, rows, { mode: 'adaptive' });
    expect(anomalies).toMatchObject([{ statistic: 'repeated_batch' }]);
  });

  test('pass at once when they are accepted', async () => {
    const { service, verdicts, dear } = await source();
    const [{ request_id: job_id }] = await verdicts(1, dear);
    await say(service, 'accept', { job_id });
    expect(letters(await verdicts(3, dear))).toBe('PPP');
  });

  test('stay BLOCK in a pinned source', async () => {
    const { service, verdicts, dear } = await source();
    await say(service, 'pin', { pinned: true });
    expect(letters(await verdicts(10, dear))).toBe('B'.repeat(10));
  });

  test('say after how many batches they become the baseline, also if the first ones were not learned', async () => {
    const { service, verdicts, dear } = await source();
    await say(service, 'pin', { pinned: true });
    await verdicts(10, dear);
    await say(service, 'pin', { pinned: false });
    const reports = await verdicts(8, dear);
    expect(letters(reports)).toBe('WWWWWWPP');
    const proposed = reports.slice(0, 6);
    for (const [i, { decision, blocked_since: since }] of proposed.entries()) {
      expect(decision.reason).toEndWith(
        `, ${11 + i} batches: accept it, or it becomes the baseline after 16`,
      );
      expect([since.batches, since.settles_after]).toEqual([11 + i, 16]);
    }
  });

  test('say so also if one of them was called bad', async () => {
    const { service, verdicts, dear } = await source();
    const [, , third] = await verdicts(5, dear);
    await say(service, 'feedback', { job_id: third.request_id, verdict: 'bad' });
    const reports = await verdicts(6, dear);
    expect(letters(reports)).toBe('WWWWPP');
    for (const each of reports.slice(0, 4)) expect(each.blocked_since.settles_after).toBe(9);
  });

  test('are damage if they come once, and alarmed when they come again', async () => {
    const { service, verdicts, dear } = await source();
    expect(letters(await verdicts(1, dear))).toBe('B');
    expect((await screened(service, orders(13))).status).toBe('PASS');
    expect(letters(await verdicts(1, dear))).toBe('B');
  });
});

test('a changed type stays BLOCK until it is accepted', async () => {
  const { verdicts, texts } = await source();
  expect(letters(await verdicts(10, texts))).toBe('B'.repeat(10));
});

test('damage that was a WARN and was learned is a WARN when it comes again', async () => {
  const { service } = await source();
  const gaps = (day: number) => changedBy(orders(day), ({ id }) => (Number(id) % 4 ? {} : { amount: null }));
  for (const day of [12, 13]) expect((await screened(service, gaps(day))).status).toBe('WARN');
  expect((await screened(service, orders(14))).status).toBe('PASS');
  expect((await screened(service, gaps(15))).status).toBe('WARN');
});
