/** Values that a field of few values never had: looked for in every row, and judged by how many are usual. */
import { expect, test } from 'bun:test';
import { type Answer, batch, Service } from './service.ts';

const STATUSES = ['open', 'paid', 'sent', 'back'];

const rowsOf = (day: number, count: number, odd = 0, value = 'lost') =>
  Array.from({ length: count }, (_, i) => ({
    id: day * 100_000 + i,
    status: (i * 37) % count < odd ? value : STATUSES[(i * 7 + day) % 4],
    city: ['Oslo', 'Rome', 'Kyiv', 'Lima', 'Cork'][(i * 13 + day) % 5],
    amount: ((i * 7919 + day * 31) % 10_000) / 100,
  }));

async function warmed(count: number): Promise<(rows: object[]) => Promise<Answer['body']>> {
  const service = new Service();
  const post = async (rows: object[], dryRun = false) =>
    (await service.post(batch(rows, { options: { dry_run: dryRun, row_verdicts: true } }))).body;
  for (let day = 0; day < 8; day++) await post(rowsOf(day, count));
  return rows => post(rows, true);
}

test('10 rows in 1,000 with a value that was never seen are WARN, and named', async () => {
  const judge = await warmed(1000);
  expect((await judge(rowsOf(8, 1000))).status).toBe('PASS');
  const { status, anomalies, quarantine } = await judge(rowsOf(8, 1000, 10));
  expect(status).toBe('WARN');
  expect(anomalies[0]).toMatchObject({ field: 'status', statistic: 'new_value_share', observed: 0.01 });
  expect(quarantine.reasons[0]).toMatchObject({ code: 'new_value', field: 'status', count: 10 });
});

test('so are they if they are few among many rows, of which only a sample is measured', async () => {
  const judge = await warmed(4000);
  expect((await judge(rowsOf(8, 4000))).status).toBe('PASS');
  const { status, anomalies } = await judge(rowsOf(8, 4000, 20));
  expect(status).toBe('WARN');
  expect(anomalies[0]).toMatchObject({ field: 'status', statistic: 'new_value_share', observed: 0.005 });
});

test('one odd cell alone is no alarm', async () => {
  const judge = await warmed(1000);
  expect((await judge(rowsOf(8, 1000, 1))).status).toBe('PASS');
});

test.each([
  ['a word for a missing value', 'N/A', 'missing_text_share'],
  ['another case', 'PAID', 'capitals_share'],
])('a few texts with %s are WARN', async (_, value, statistic) => {
  const judge = await warmed(1000);
  const { status, anomalies } = await judge(rowsOf(8, 1000, 30, value));
  expect(status).toBe('WARN');
  expect(anomalies.map((each: { statistic: string }) => each.statistic)).toContain(statistic);
});
