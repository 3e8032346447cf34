/** The short form of `npm run stream-faults`. */
import { describe, expect, test } from 'bun:test';
import { postgresBinaries, redisBinary } from '../servers/binaries.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';
import { streamFaults } from './stream-faults.ts';

const hasStores = redisBinary() !== null && postgresBinaries() !== null;

(hasStores ? describeWithKafka : describe.skip)('two gates on four partitions', () => {
  test(
    'pass each row on once, in order, and count it once, while gates and the broker are killed',
    async () => {
      const result = await streamFaults({ rounds: 3, rows: 9000, seed: 1 });
      expect(result.kills).toMatchObject({ broker: 1 });
      expect(result).toMatchObject({ wrong: [], read: 9000 });
    },
    3 * STARTS_MS,
  );
});
