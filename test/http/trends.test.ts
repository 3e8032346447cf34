/** GET /v1/schema/{source}/trends: the statistics of a field over the batches, with what was expected and the alarms. */
import { describe, expect, test } from 'bun:test';
import { ask, screened, ticking } from './teaching.ts';

const PATH = '/v1/schema/orders/trends';

interface Trends {
  batches: { job_id: string; created_at: string; status: string; learned: boolean }[];
  statistics: {
    statistic: string;
    label: string;
    unit: string;
    values: (number | null)[];
    usual: (number | null)[];
    low: (number | null)[];
    high: (number | null)[];
    alarms: (string | null)[];
  }[];
}

/** A hundred rows; of `nulls` of them the amount is missing. */
const rows = (batch: number, nulls: number) =>
  Array.from({ length: 100 }, (_, i) => ({
    id: batch * 100 + i,
    amount: i < nulls ? null : 20 + ((i * 7 + batch * 3) % 13),
  }));

const BATCHES = 12;

async function lived() {
  const service = ticking({ defaultMode: 'adaptive' });
  for (let i = 0; i < BATCHES; i++) await screened(service, rows(i, i % 3));
  return service;
}

async function trends(service: ReturnType<typeof ticking>, query = '?field=amount'): Promise<Trends> {
  const { status, body } = await ask(service, 'GET', `${PATH}${query}`);
  expect(status).toBe(200);
  return body as never;
}

const find = ({ statistics }: Trends, id: string) => statistics.find(({ statistic }) => statistic === id)!;

describe('trends', () => {
  test('have each batch of the baseline with its value, and from the second on what was expected', async () => {
    const found = await trends(await lived());
    expect(found.batches).toHaveLength(BATCHES);
    expect(found.batches.every(({ status, learned }) => status === 'PASS' && learned)).toBe(true);
    const times = found.batches.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort());
    const nulls = find(found, 'null_rate');
    expect(nulls).toMatchObject({ label: 'share of nulls', unit: 'share' });
    expect(nulls.values).toEqual(Array.from({ length: BATCHES }, (_, i) => (i % 3) / 100));
    expect(nulls.usual[0]).toBeNull();
    for (let i = 1; i < BATCHES; i++)
      expect(nulls.values[i]).toBeWithin(nulls.low[i]!, nulls.high[i]! + 1e-9);
    expect(nulls.alarms).toEqual(Array(BATCHES).fill(null));
    for (const id of [
      'median',
      'quartile_1',
      'quartile_3',
      'distinct_share',
      'string_share',
      'integer_share',
    ])
      expect(find(found, id)?.values).toHaveLength(BATCHES);
  });

  test('a BLOCKed batch is there with its value outside the bounds, and with the alarm of its report', async () => {
    const service = await lived();
    const { request_id, anomalies } = (await screened(service, rows(BATCHES, 80))) as never as {
      request_id: string;
      anomalies: { statistic: string; expected: [number, number] }[];
    };
    const found = await trends(service);
    expect(found.batches.at(-1)).toMatchObject({ job_id: request_id, status: 'BLOCK', learned: false });
    const nulls = find(found, 'null_rate');
    const { expected } = anomalies.find(({ statistic }) => statistic === 'null_rate')!;
    expect([nulls.values.at(-1), nulls.alarms.at(-1)]).toEqual([0.8, 'block']);
    expect([nulls.low.at(-1), nulls.high.at(-1)]).toEqual(expected);
    expect(nulls.usual.at(-1)).toBeWithin(0, 0.05);
  });

  test('without a field are those of the batch as a whole', async () => {
    const found = await trends(await lived(), '');
    expect(found.statistics.map(({ statistic }) => statistic)).toEqual(['row_count', 'duplicate_row_share']);
    expect(find(found, 'row_count').values).toEqual(Array(BATCHES).fill(100));
  });

  test('of a share that never varied have room for chance', async () => {
    const { low, high } = find(await trends(await lived(), '?field=id'), 'null_rate');
    expect(low.at(-1)).toBe(0);
    expect(high.at(-1)).toBeWithin(1e-6, 0.2);
  });

  test('are empty for what is not known', async () => {
    const service = await lived();
    expect((await trends(service, '?field=never')).statistics).toEqual([]);
    expect((await trends(service, '?field=')).statistics).toEqual([]);
    expect((await ask(service, 'GET', '/v1/schema/never/trends')).body).toEqual({
      source: 'never',
      field: null,
      batches: [],
      statistics: [],
    });
  });

  test.each(['?field=a&field=b', '?field=%ff'])('with %s are refused', async query => {
    expect((await ask(ticking(), 'GET', `${PATH}${query}`)).body).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: expect.stringContaining('field'),
    });
  });

  test('have the alarms of the field alone, where another field raised the same alarm', async () => {
    const service = await lived();
    const given = rows(BATCHES, 80).map((row, i) => ({ ...row, id: i < 80 ? null : row.id }));
    await screened(service, given);
    const batch = await trends(service, '');
    for (const field of ['amount', 'id']) {
      const { alarms } = find(await trends(service, `?field=${field}`), 'null_rate');
      expect(alarms.at(-1)).toBe('block');
    }
    expect(batch.statistics.flatMap(({ alarms }) => alarms.filter(each => each !== null))).toEqual([]);
  });

  test('have at most 16 batches that were not learned, the newest', async () => {
    const service = await lived();
    // So that no new normal settles.
    await ask(service, 'POST', '/v1/schema/orders/pin', { pinned: true });
    const ids: unknown[] = [];
    for (let i = 0; i < 17; i++) ids.push((await screened(service, rows(99 + i, 80))).request_id);
    const unlearned = (await trends(service)).batches.filter(({ learned }) => !learned);
    expect(unlearned.map(({ job_id }) => job_id as unknown)).toEqual(ids.slice(-16));
  });
});
