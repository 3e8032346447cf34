import { expect, test } from 'bun:test';
import { benchStream } from '../../bench/stream.ts';
import { describeWithKafka, STARTS_MS } from '../stream/suites.ts';

describeWithKafka('the bench of streams', () => {
  test(
    'compares a gate with a copy, and measures how long rows take',
    async () => {
      const result = await benchStream(1, { partitions: [2], rows: 4000, rounds: 1, latencySeconds: 8 });
      expect(result.partitions_2).toMatchObject({
        gate: [expect.any(Number)],
        copy: [expect.any(Number)],
        plain_copy: [expect.any(Number)],
      });
      expect(result.partitions_2!.ratio).toBeGreaterThan(0);
      expect(result.latency_ms.p99).toBeGreaterThanOrEqual(result.latency_ms.p50);
    },
    2 * STARTS_MS,
  );
});
