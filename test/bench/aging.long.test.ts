/** A tiny run on private servers: that it works and what it says, never how fast. */
import { describe, expect, test } from 'bun:test';
import { benchAging } from '../../bench/aging.ts';
import { postgresBinaries, redisBinary } from '../servers/binaries.ts';
import { expectPositive } from './positive.ts';

const TINY = { warmBatches: 10, batches: 100, clients: 2, threads: 2 };
const hasServers = redisBinary() !== null && postgresBinaries() !== null;

describe.skipIf(!hasServers)('the aging bench', () => {
  test('gives the cost of a batch at the start and at the end', async () => {
    const { embedded, redis_postgres, servers, batches } = await benchAging(7, TINY);
    expect(batches).toBe(100);
    expect(servers.redis).toMatch(/^Redis \d+\.\d/);
    // Processor time, a rate, and what a client waits: each at first, in the end, and their ratio.
    expect(expectPositive(embedded)).toBe(7);
    expect(expectPositive(redis_postgres)).toBe(10);
  });
});
