import { expect, test } from 'bun:test';
import { alertRun } from './alert-run.ts';

test('each source is one incident and one message, whoever hangs, fails or is killed', async () => {
  const run = { batches: 300, sources: 10, kills: 2, replicas: 2, clients: 6 };
  expect(await alertRun(run)).toMatchObject({
    answered: 300,
    kills: 2,
    incidents: 10,
    batches: 300,
    messages: { 'incident.opened': 10, 'incident.resolved': 10 },
    unsigned: 0,
    followed: 0,
  });
}, 240_000);
