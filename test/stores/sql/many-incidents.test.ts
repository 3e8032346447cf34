import { expect, test } from 'bun:test';
import type { Incident } from '../../../src/stores/ports.ts';
import { MAX_INCIDENTS } from '../../../src/stores/ports/alerts.ts';
import { SqlAlerts } from '../../../src/stores/sql/alerts.ts';
import { newDatabase } from '../../http/stores.ts';

const idOf = (number: number) => `inc_${String(number).padStart(26, '0')}`;

test('an account keeps its newest incidents, and those that are open', async () => {
  const { client, database } = newDatabase();
  client.run(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MAX_INCIDENTS})
    INSERT INTO incidents SELECT printf('inc_%026d', n), 'owner', '"source ' || n || '"', CASE n WHEN 1 THEN 'open' ELSE 'resolved' END,
      'WARN', n, n, 1, 'req', 'req', n, 0.5, 'nulls', NULL, NULL, NULL, 1, NULL, NULL, NULL FROM numbers`);
  const alerts = new SqlAlerts(database);
  const like = (await alerts.findIncident('owner', idOf(1)))!;
  // Of a release that did not keep it.
  expect(like.lastVerdict).toBe('WARN');
  const add = (number: number) =>
    alerts.move({ ...like, id: idOf(number), source: `new ${number}`, version: 0 }, [], []);
  await add(MAX_INCIDENTS + 1);
  await add(MAX_INCIDENTS + 2);
  const kept: Incident[] = await alerts.incidents('owner', { limit: 2 * MAX_INCIDENTS });
  expect(kept).toHaveLength(MAX_INCIDENTS + 1);
  expect(kept.slice(-2).map(({ id }) => id)).toEqual([idOf(3), idOf(1)]);
});
