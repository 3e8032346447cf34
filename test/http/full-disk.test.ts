import { expect, test } from 'bun:test';
import type { Database } from 'bun:sqlite';
import pino from 'pino';
import { monthOf } from '../../src/account/period.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { batch, newDatabase, NOW, SCALE_KEY, Service } from './service.ts';

/** The database may have no page more than it has now, until it is `freed`. */
function fill(client: Database): { freed(): void } {
  const { page_count } = client.query('PRAGMA page_count').get() as { page_count: number };
  client.run(`PRAGMA max_page_count = ${page_count}`);
  return { freed: () => client.run('PRAGMA max_page_count = 1073741823') };
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ [`field ${i}`]: crypto.randomUUID() }));

async function statistics({ app }: Service) {
  const request = new Request('http://localhost/v1/stats', { headers: { 'X-API-Key': SCALE_KEY } });
  return (await app.handle(request)).json() as Promise<{ totalJobs: number; totalRows: number }>;
}

test('a full disk gives a 503, changes nothing and is logged, and requests work when there is room again', async () => {
  const lines: string[] = [];
  const { client, database } = newDatabase();
  const allowance = new SqlAllowance(database);
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const service = new Service({ log, allowance, jobs: new SqlJobs(database) });
  await service.post(batch(rows(100)));
  const disk = fill(client);
  const refused = [];
  while (refused.length < 3) {
    const { status, headers, body } = await service.post(batch(rows(100)));
    if (status !== 200) refused.push({ status, retryAfter: headers.get('retry-after'), code: body.code });
  }
  expect(new Set(refused.map(each => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ status: 503, retryAfter: '1', code: 'SERVICE_UNAVAILABLE' })]),
  );
  expect(lines.filter(line => line.includes('a store cannot answer')).length).toBe(3);
  expect(lines.join('')).toContain('database or disk is full');
  disk.freed();
  expect((await service.post(batch(rows(100)))).status).toBe(200);
  const { totalJobs, totalRows } = await statistics(service);
  expect(totalRows).toBe(100 * totalJobs);
  expect(await allowance.counted('scaler', monthOf(NOW).start)).toBe(totalRows);
});
