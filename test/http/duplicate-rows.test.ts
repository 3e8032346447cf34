/** Repeated rows: judged by what is usual for the source. */
import { expect, test } from 'bun:test';
import { batch, Service } from './service.ts';

const rowsOf = (day: number, count = 200) =>
  Array.from({ length: count }, (_, i) => ({
    customer: (day * 31 + i * 7) % 900,
    item: `item ${(day * 13 + i * 11) % 400}`,
    amount: ((day * 17 + i * 23) % 5000) / 100,
  }));

test('rows that were sent twice are found and named, in a source that has none', async () => {
  const service = new Service();
  const post = async (rows: object[]) =>
    (await service.post(batch(rows, { options: { row_verdicts: true } }))).body;
  for (let day = 0; day < 6; day++) await post(rowsOf(day));
  const clean = rowsOf(6);
  const rows = [...clean.slice(0, 190), ...clean.slice(20, 30)];
  const { status, anomalies, quarantine, decision } = await post(rows);
  expect(status).toBe('WARN');
  const repeated = Array.from({ length: 10 }, (_, i) => 190 + i);
  expect(anomalies).toContainEqual(
    expect.objectContaining({
      ...{ field: '*', statistic: 'duplicate_row_share', observed: 0.05, severity: 'warn' },
      rows: repeated,
    }),
  );
  expect(decision.reason).toStartWith('Unusual share of rows that repeat an earlier row: 5%, usually 0%');
  expect(quarantine.reasons).toContainEqual(
    expect.objectContaining({ code: 'duplicate_row', field: '*', severity: 'warning', count: 10 }),
  );
  expect((await post(clean)).status).toBe('PASS');
});

test('repeated rows are no alarm in a source that always has some', async () => {
  const service = new Service();
  const withRepeats = (day: number) => [...rowsOf(day, 180), ...rowsOf(day, 15 + (day % 5))];
  const statuses: string[] = [];
  for (let day = 0; day < 10; day++) statuses.push((await service.post(batch(withRepeats(day)))).body.status);
  expect(statuses.slice(3)).toEqual(Array(7).fill('PASS'));
});
