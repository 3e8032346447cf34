import { expect, test } from 'bun:test';
import { BEGIN, END, replaceResults, resultsText } from '../../bench/results.ts';
import { isMet, type Runs, TARGETS } from '../../bench/targets.ts';

const timing = (medianMs: number) => ({
  medianMs,
  p90Ms: medianMs,
  runs: 5,
  mb_per_s: 512,
  rows_per_s: 1234567,
});
const facts = {
  seed: 9,
  date: '2026-11-21T12:00:00.000Z',
  machine: {
    ...{ cpu: 'A Processor', cores: 2, memory_gb: 8, os: 'linux 6' },
    ...{ bun: '1.2.3', papaparse: '4.5.6', udsv: '7.8.9' },
  },
};
const loaded = (core_ms: number) => ({
  core_ms,
  core_ms_least: core_ms,
  core_ms_most: core_ms,
  client_core_ms: 0.2,
  per_s: 100,
});
const probes = { p50_ms: 1, p99_ms: 16, max_ms: 20, probes: 100 };

/** Made up, and each figure another. */
const RUNS = {
  engine: {
    ...{ ...facts, bench: 'engine', peak_rss_mb: 900 },
    ratios: {
      ...{ wide_json: 0.31, narrow_json: 0.56, geomean_json: 0.41, plain_profile_wide: 9.5 },
      ...{ csv_wide_udsv: 0.71, csv_wide_udsv_typed: 0.33, csv_wide_papaparse: 0.29 },
      shapes_json: { small_integers: 0.8, nested: 0.6 },
      shapes_decode: { small_integers: 0.95, nested: 0.5 },
      csv_udsv: { csv_wide: 0.71, csv_narrow: 0.72, csv_quoted: 0.73 },
    },
    figures: { small_integers: { sluice: timing(2) }, nested: { sluice: timing(3) } },
  },
  http: {
    ...{ ...facts, bench: 'http', server_peak_rss_mb: 300 },
    ratios: {
      ...{ wide_req_json: 0.34, wide_drain: 3.5, small_elysia_echo: 3.9 },
      ...{ narrow_req_json: 0.74, narrow_drain: 2.5 },
    },
    wide: { sluice: timing(12) },
    narrow: { sluice: timing(7) },
    small: { sluice: timing(0.4) },
    health: { ...probes, idle: probes },
    posted: { batches: 10, mb_per_s: 400, rows_per_s: 800000 },
  },
  load: {
    ...{ ...facts, bench: 'load' },
    ratios: {
      ...{
        first: 20,
        young: 19,
        one_client: 3.1,
        one_source: 2.9,
        eight_sources: 9.3,
        one_source_echo: 8,
        window: 2.4,
        window_one_client: 5,
      },
      narrow_req_json: 0.73,
    },
    small: {
      ...{ first: loaded(13), young: loaded(14) },
      ...{
        one_client: loaded(1),
        one_source: loaded(2),
        eight_sources: loaded(3),
        window: loaded(1),
        window_one_client: loaded(1),
      },
      ...{ durable_one_client: loaded(4), durable: loaded(5), echo: loaded(6) },
    },
    narrow: { sluice: loaded(7), req_json: loaded(8) },
  },
  throughput: {
    ...{ ...facts, bench: 'throughput' },
    ratios: { adaptive_contract: 0.79, two_threads_one: 1.7 },
    modes: { adaptive: loaded(9), contract: loaded(10) },
    threads: { one: loaded(11), two: loaded(12) },
  },
  memory: {
    ...{ ...facts, bench: 'memory' },
    uploads: { at_once: 64, answered_200: 63, peak_rss_mb: 412.3, ms: 1000 },
    screens: {
      ...{ count: 3000, rss_after_warm_up_mb: 200, rss_at_end_mb: 204, growth: 1.02 },
      ...{ rss_on_the_way_mb: [200], rows_per_s: 500000 },
    },
  },
  cold: {
    ...{ ...facts, bench: 'cold' },
    ratios: { first_answer_req_json: 1.8 },
    first_answer: { sluice: timing(512), req_json: timing(300) },
  },
  guesses: {
    ...{ ...facts, bench: 'guesses' },
    ratios: { codes: 1.4, keys: 1.6 },
    batches: { nobody: timing(1), codes: timing(1.4), keys: timing(1.6) },
    guesses: {
      codes: { per_s: 1000, statuses: { 401: 3000 } },
      keys: { per_s: 1000, statuses: { 401: 3000 } },
    },
  },
  cli: {
    ...{ ...facts, bench: 'cli', file_mb: 1001, peak_rss_mb: 210 },
    ratios: { file_engine: 2.2, file_engine_cpu: 2.1, file_polars: null },
    ...{ sluice: timing(3500), engine: timing(1600), polars: null, mb_per_s: { sluice: 286, engine: 625 } },
  },
  statistics: {
    ...{ ...facts, bench: 'statistics' },
    jobs: 100_000,
    first_ms: 70,
    p50_ms: 101,
    p99_ms: 120,
    cpu_ms: 55,
  },
} satisfies Runs;

test('each target that is reached is beside its figure', () => {
  const text = resultsText(RUNS);
  expect(text).toContain('| full screen in process / `JSON.parse(text)`, wide | ≤ 0.33 | 0.31 |');
  expect(text).toContain('full screen, wide | ≥ 8 | 9.5 |');
  expect(text).toContain('peak RSS | ≤ 600 MB | 412 MB |');
  expect(text).toContain('| HTTP p50, narrow full scan / the same handler | ≤ 0.75 | 0.74 |');
  expect(text).toContain('ledger and state | ≤ 8 | 2.9 |');
  expect(text).toContain('two threads / one | ≥ 1.6 | 1.7 |');
  expect(text).toContain('codes a second are guessed / while nobody guesses | ≤ 1.5 | 1.4 |');
  expect(text).toContain('the engine in process on the same bytes | ≤ 3 | 2.2 |');
  expect(text).toContain('first answered wide batch, p50 | ≤ 0.6 s | 0.512 s |');
  expect(text).toContain('| small integers | 0.8 | 0.95 | 512 | 1,234,567 |');
});

test('what is not reached is a sentence with what stands in the way', () => {
  const text = resultsText(RUNS);
  expect(text).toMatch(/\n- the same, narrow: 0\.56 instead of ≤ 0\.48\. Each byte [^\n]+\.\n/);
  expect(text).toContain(
    '- worst of the ten shapes / decode and parse: 0.95 instead of ≤ 0.9. The cause is not known.',
  );
  expect(text).toContain('- the same on eight sources: 9.3 instead of ≤ 8. ');
  expect(text).toContain('adaptive / contract mode: 0.79 instead of ≥ 0.8.');
  expect(text).toContain('post wide batches: 16 ms instead of ≤ 15 ms.');
  expect(text).toContain('answered 200: 63 instead of ≥ 64.');
  expect(text).toContain('keys a second are guessed / while nobody guesses: 1.6 instead of ≤ 1.5.');
  expect(text).toContain('CSV file: peak RSS: 210 MB instead of ≤ 200 MB.');
  expect(text).toContain('over 100,000 jobs, p50: 101 ms instead of ≤ 100 ms.');
  expect(text).not.toContain('missed');
});

test('machine, versions, date and seed are named', () => {
  const [provenance] = resultsText(RUNS).split('\n');
  for (const fact of [
    '2026-11-21',
    '2 cores of A Processor',
    'Bun 1.2.3',
    'papaparse 4.5.6',
    'udsv 7.8.9',
    'seed 9',
  ])
    expect(provenance).toContain(fact);
});

test('a target is met up to its bound, and not beyond', () => {
  for (const target of TARGETS) {
    const bound = (target.atMost ?? target.atLeast)!;
    const past = target.atMost === undefined ? bound * 0.99 : bound * 1.01;
    expect(isMet(target, bound)).toBe(true);
    expect(isMet(target, past)).toBe(false);
  }
});

test('only what is between the markers is replaced', () => {
  const readme = `# Title\n\n${BEGIN}\nold\n${END}\n\nafter\n`;
  expect(replaceResults(readme, 'new')).toBe(`# Title\n\n${BEGIN}\nnew\n${END}\n\nafter\n`);
});

test.each([
  ['none', 'text'],
  ['no end', BEGIN],
  ['the wrong order', `${END}\n${BEGIN}`],
  ['two', `${BEGIN}${END}${BEGIN}${END}`],
])('markers that are not one pair are rejected: %s', (_, readme) => {
  expect(() => replaceResults(readme, 'new')).toThrow('The page must hold once each');
});
