/** A tiny run on private servers: that it works and what it says, never how fast. */
import { describe, expect, test } from 'bun:test';
import { benchReplicas } from '../../bench/replicas.ts';
import { postgresBinaries, redisBinary } from '../servers/binaries.ts';
import { expectPositive } from './positive.ts';

const FEW = { warmRounds: 1, rounds: 3, budgetMs: 0 };
const TINY = {
  ...{ threads: [1, 2], rows: 50, clients: 2, postingMs: 100, small: FEW },
  ...{ sources: 2, batches: 3, oldBatches: 4 },
};
const hasServers = redisBinary() !== null && postgresBinaries() !== null;

describe.skipIf(!hasServers)('the replicas bench', () => {
  test('gives the cost of each store, the gain of more threads and the stored sizes', async () => {
    const { ratios, small, throughput, stored, servers } = await benchReplicas(7, TINY);
    expect(servers.redis).toMatch(/^Redis \d+\.\d/);
    expect(servers.postgres).toMatch(/^Postgres \d+\.\d/);
    expect(Object.keys(ratios)).toEqual(['redis', 'postgres', 'redis_postgres']);
    expect(Object.keys(small)).toEqual(['embedded', 'redis', 'postgres', 'redis_postgres']);
    expectPositive(ratios);
    // A tick of the processor's clock is longer than a few small requests.
    for (const { cpu_ms, ...figure } of Object.values(small)) {
      expectPositive(figure);
      expect(cpu_ms).toBeGreaterThanOrEqual(0);
    }
    expect(Object.keys(throughput)).toEqual(['1', '2']);
    for (const { batches_per_s, rows_per_s } of Object.values(throughput))
      expect(rows_per_s / batches_per_s).toBeCloseTo(50, 0);
    // A job and its report, and shards of the ledger that all jobs share.
    expect(stored.postgres_rows_per_job).toBeGreaterThan(2);
    expect(stored.postgres_rows_per_job).toBeLessThanOrEqual(3);
    expectPositive(stored);
  });
});
