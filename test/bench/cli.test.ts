/** A small file: that both read it and what is said, never how fast. */
import { expect, test } from 'bun:test';
import { benchCli } from '../../bench/cli.ts';
import { expectPositive } from './positive.ts';

test('the cli bench screens a file of several batches with the program and with the engine', async () => {
  const result = await benchCli(7, { rows: 500, payloads: 2, fileBytes: 3e6, rounds: 1 });
  expect(result.file_mb).toBeGreaterThanOrEqual(3);
  expect([result.sluice.runs, result.engine.runs]).toEqual([1, 1]);
  expect(result.ratios.file_engine).toBeCloseTo(result.sluice.medianMs / result.engine.medianMs, 0);
  expectPositive(result);
});
