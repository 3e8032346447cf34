import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { CAPACITY_BEGIN, CAPACITY_END, capacityText } from '../../bench/capacity.ts';
import { replaceBetween } from '../../bench/results.ts';

const figure = { medianMs: 2, p90Ms: 3, runs: 9, mb_per_s: 1, rows_per_s: 5000, cpu_ms: 1.5 };

/** Made up. */
const RUN = {
  ...{ bench: 'replicas' as const, seed: 9, date: '2026-11-21T12:00:00.000Z', load: 0.5 },
  machine: {
    ...{ cpu: 'A Processor', cores: 2, memory_gb: 8, os: 'linux 6' },
    ...{ bun: '1.2.3', papaparse: '4.5.6', udsv: '7.8.9' },
  },
  servers: { redis: 'Redis 7.0', postgres: 'Postgres 15.1' },
  ratios: { redis: 1.5, postgres: 2, redis_postgres: 2.5 },
  small: {
    embedded: { ...figure, medianMs: 1 },
    redis: figure,
    postgres: figure,
    redis_postgres: { ...figure, medianMs: 2.5, cpu_ms: 2 },
  },
  throughput: {
    1: {
      ...{ batches_per_s: 50, rows_per_s: 500_000, rows_per_core_s: 666_667 },
      cpu_ms_per_batch: { sluice: 15, redis: 0.5, postgres: 0.6 },
    },
  },
  stored: {
    redis_bytes_per_source: { young: 200_000, old: 300_000 },
    ...{ sqlite_bytes_per_source: 250_000, postgres_rows_per_job: 2.03 },
    ...{ postgres_bytes_per_job: 4000, sqlite_bytes_per_job: 4500 },
  },
};

test('the needs of a billion rows a day follow from the measurements', () => {
  const text = capacityText(RUN);
  expect(text).toContain('| Requests a second | 1.2 | 1,157 |');
  // 1.157 batches of 15 ms a second, and 1,157 of 2 ms.
  expect(text).toContain('| Cores for Sluice | 0.017 | 2.3 |');
  expect(text).toContain('| Cores for Redis | 0.00058 | 0.58 |');
  expect(text).toContain('| Postgres, a day of jobs | 400 MB | 400 GB |');
  expect(text).toContain('| Postgres, 400 days of jobs | 160 GB | 160 TB |');
  expect(text).toContain('| Redis for 10,000 sources | 3 GB | 3 GB |');
});

test('sixteen cores are shared as the batches need, and Redis has one thread', () => {
  const text = capacityText(RUN);
  // 16 cores / 16.1 ms, and / 3.1 ms.
  expect(text).toContain('| Batches/s | 994 | 5,161 |');
  expect(text).toContain('| Cores for Redis | 0.5 | 2.6 |');
  expect(text).toContain('| Batches/s of one Redis | 2,000 | 2,000 |');
});

test('the cost of each store is beside that of the embedded ones', () => {
  const text = capacityText(RUN);
  expect(text).toContain('| embedded | 1 ms | 3 ms | 1 | 1.5 ms |');
  expect(text).toContain('| Redis and Postgres | 2.5 ms | 3 ms | 2.5 | 2 ms |');
  expect(text).toContain('| 1 | 50 | 500,000 | 666,667 | 15 ms | 0.5 ms | 0.6 ms |');
});

test('machine, versions, load, date and seed are named', () => {
  const [provenance] = capacityText(RUN).split('\n');
  for (const fact of [
    '2026-11-21',
    '2 cores of A Processor',
    'Bun 1.2.3',
    'Redis 7.0',
    'Postgres 15.1',
    'seed 9',
    '0.5',
  ])
    expect(provenance).toContain(fact);
});

test('the page has a place for the figures', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/capacity.md')).text();
  expect(replaceBetween(page, CAPACITY_BEGIN, CAPACITY_END, 'new')).toContain('\nnew\n');
});
