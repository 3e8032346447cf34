/** A tiny run: that it works and that its figures are figures. */
import { expect, test } from 'bun:test';
import { benchColumns } from '../../bench/columns.ts';

test('the bench of columns times Arrow beside JSON, in process and over HTTP', async () => {
  const effort = { warmRounds: 0, rounds: 3, budgetMs: 5000 };
  const { ratios, in_process, http, parquet } = await benchColumns(5, {
    ...{ rows: 100, payloads: 1, inProcess: effort, http: effort },
    parquet: { ...effort, rounds: 1 },
  });
  expect(Object.keys(in_process)).toEqual(['json', 'arrow', 'json_parse']);
  expect(Object.keys(http)).toEqual(['json', 'arrow']);
  for (const { medianMs, runs } of [
    ...Object.values(in_process),
    ...Object.values(http),
    ...Object.values(parquet ?? {}),
  ]) {
    expect(medianMs).toBeGreaterThan(0);
    expect(runs).toBeGreaterThan(0);
  }
  for (const ratio of Object.values(ratios)) expect(ratio).toBeGreaterThan(0);
});
