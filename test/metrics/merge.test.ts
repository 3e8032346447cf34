import { expect, test } from 'bun:test';
import { Metrics } from '../../src/metrics/metrics.ts';
import { mergeMetrics } from '../../src/metrics/merge.ts';
import { familiesOf, sumOf } from './exposition.ts';

async function worker(index: number, requests: number): Promise<string> {
  const metrics = new Metrics(index);
  for (let i = 0; i < requests; i++) metrics.ofStore('jobs', 'list')(1, false);
  return metrics.text();
}

test('every metric occurs once, with the samples of all workers', async () => {
  const found = familiesOf(mergeMetrics([await worker(0, 2), await worker(1, 3)]));
  expect(sumOf(found, 'sluice_store_seconds_count', { worker: '0' })).toBe(2);
  expect(sumOf(found, 'sluice_store_seconds_count', { worker: '1' })).toBe(3);
  expect(found.get('process_resident_memory_bytes')!.samples).toHaveLength(2);
});

test('a worker that does not answer is left out', async () => {
  const text = await worker(0, 1);
  expect(mergeMetrics([text, '', '\n'])).toBe(text);
  expect(mergeMetrics([])).toBe('\n');
});
