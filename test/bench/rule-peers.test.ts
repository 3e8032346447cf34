/** A tiny run where the other libraries are installed; else what to do is said. */
import { expect, test } from 'bun:test';
import { benchRulePeers } from '../../bench/rule-peers.ts';
import { expectPositive } from './positive.ts';

const interpreter = process.env.RULE_PEERS;

test.skipIf(!interpreter)(
  'the other libraries find the same rows, and are timed',
  async () => {
    const { ratios } = await benchRulePeers(7, { rows: 700, rounds: 1 });
    expect(Object.keys(ratios)).toEqual(['pandera', 'great_expectations', 'duckdb']);
    expect(expectPositive(ratios)).toBe(3);
  },
  240_000,
);

test.skipIf(interpreter !== undefined)('without them the bench says how to install them', async () => {
  await expect(benchRulePeers(7)).rejects.toThrow('Run scripts/rule-peers.sh FOLDER');
});
