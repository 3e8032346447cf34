/** A few numbers far beyond all that a source has had. */
import { expect, test } from 'bun:test';
import { get } from './asking.ts';
import { batch, SCALE_KEY, Service } from './service.ts';

const rowsOf = (day: number, damaged: readonly number[] = []) =>
  Array.from({ length: 80 }, (_, i) => ({
    id: day * 1000 + i,
    amount: (10 + ((i * 7919 + day * 31) % 30)) * (damaged.includes(i) ? 100 : 1),
  }));

const BROKEN = [3, 17, 42, 61];

async function judged(service: Service) {
  const post = async (rows: object[], more = {}) =>
    (await service.post(batch(rows, { options: { ...more } }))).body;
  for (let day = 0; day < 10; day++) await post(rowsOf(day));
  // The salt of the account is random, and with one in some hundred salts the mix of values of this batch is unusual.
  const clean = await post(rowsOf(10), { dry_run: true });
  expect(JSON.stringify(clean)).not.toContain('far_number_share');
  return post(rowsOf(10, BROKEN), { row_verdicts: true });
}

test('amounts a hundred times too high are WARN, with their rows and their range', async () => {
  const { status, anomalies, issues, quarantine } = await judged(new Service());
  expect(status).toBe('WARN');
  expect(anomalies).toContainEqual(
    expect.objectContaining({ field: 'amount', statistic: 'far_number_share', observed: 0.05, rows: BROKEN }),
  );
  expect(issues.outliers.amount).toMatchObject({ count: 4, rows: BROKEN });
  expect(quarantine.reasons).toContainEqual(
    expect.objectContaining({ code: 'outlier', field: 'amount', count: 4 }),
  );
});

test('where no values are stored, the job has the share and the rows, and no range', async () => {
  const service = new Service({ storeValues: false });
  const { request_id } = await judged(service);
  const { body } = await get(service, `/v1/jobs/${request_id}`, SCALE_KEY);
  const far = body.report.anomalies.find(
    ({ statistic }: { statistic: string }) => statistic === 'far_number_share',
  );
  expect(far).toMatchObject({ observed: 0.05, rows: BROKEN });
  expect(body.report.issues.outliers.amount).not.toHaveProperty('max');
});
