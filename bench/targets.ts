/** The targets of the benches, each with the path to its figure, and further figures without a target. */
import type { BenchName, Run } from './benches.ts';

/** The benches behind the tables of docs/speed.md. Figures that need other servers are in `docs/capacity.md`. */
export type ReadmeBench = Exclude<
  BenchName,
  'replicas' | 'aging' | 'accuracy' | 'rows' | 'rules' | 'rule-peers' | 'columns' | 'stream'
>;
export type Runs = { [N in ReadmeBench]: Run<N> };

export interface Target {
  measure: string;
  unit: '' | 'ms' | 'MB' | 's';
  /** The figure must be at most (or at least) this; without either it has no target. */
  atMost?: number;
  atLeast?: number;
  /** What stands in the way where the target is not reached: one plain sentence. */
  limit?: string;
  /** Null where a peer is not installed. */
  figure(runs: Runs): number | null;
}

const LIMIT_OF_PARSING =
  'Each byte is looked at once to find where values begin and end, and that alone takes more than half of the time.';

const LIMIT_OF_NARROW =
  'The handler measures nothing; here 295 statistics are measured, compared with the past, moved on and kept.';

const LIMIT_OF_SMALL =
  'Each batch compares 295 statistics with the past and moves them on; the handler has none.';

/** The RSS of a process with garbage collection always varies: growth below this does not count. */
const NO_GROWTH = 1.05;

export const TARGETS: readonly Target[] = [
  {
    measure: 'full screen in process / `JSON.parse(text)`, wide',
    unit: '',
    atMost: 0.33,
    limit: LIMIT_OF_PARSING,
    figure: ({ engine }) => engine.ratios.wide_json,
  },
  {
    measure: 'the same, narrow',
    unit: '',
    atMost: 0.48,
    limit: LIMIT_OF_PARSING,
    figure: ({ engine }) => engine.ratios.narrow_json,
  },
  {
    measure: 'worst of the ten shapes / decode and parse',
    unit: '',
    atMost: 0.9,
    figure: ({ engine }) => Math.max(...Object.values(engine.ratios.shapes_decode)),
  },
  {
    measure: 'geometric mean over the shapes / `JSON.parse(text)`',
    unit: '',
    atMost: 0.38,
    limit: LIMIT_OF_PARSING,
    figure: ({ engine }) => engine.ratios.geomean_json,
  },
  {
    measure: 'CSV wide, full / udsv string arrays',
    unit: '',
    atMost: 0.75,
    figure: ({ engine }) => engine.ratios.csv_wide_udsv,
  },
  {
    measure: 'CSV wide, full / papaparse',
    unit: '',
    atMost: 0.3,
    figure: ({ engine }) => engine.ratios.csv_wide_papaparse,
  },
  {
    measure: '`JSON.parse` and a plain JS profile / full screen, wide',
    unit: '',
    atLeast: 8,
    limit:
      'The full screen measures more than the plain profile: dates, formats of texts, neighbours, repeated rows.',
    figure: ({ engine }) => engine.ratios.plain_profile_wide,
  },
  {
    measure: 'HTTP p50, wide full scan / handler with `await req.json()`',
    unit: '',
    atMost: 0.4,
    limit:
      'Half is receiving, parsing and measuring; a fourth is comparing 586 statistics with the past, what is found, and the profile that is kept.',
    figure: ({ http }) => http.ratios.wide_req_json,
  },
  {
    measure: 'HTTP p50, narrow full scan / the same handler',
    unit: '',
    atMost: 0.75,
    limit: LIMIT_OF_NARROW,
    figure: ({ http }) => http.ratios.narrow_req_json,
  },
  {
    measure: 'core time of a narrow batch, 4 clients / the same handler',
    unit: '',
    atMost: 0.75,
    limit: LIMIT_OF_NARROW,
    figure: ({ load }) => load.ratios.narrow_req_json,
  },
  {
    measure: 'HTTP p50, 10 rows × 10 / bare Elysia JSON echo',
    unit: '',
    atMost: 5,
    limit:
      'Comparing 295 statistics with the past and moving them on takes as long as two echoes, the write to disk as long as two more.',
    figure: ({ http }) => http.ratios.small_elysia_echo,
  },
  {
    measure:
      'core time of 10 rows × 10, 8 clients on one source / handler that only writes job, ledger and state',
    unit: '',
    atMost: 8,
    limit: LIMIT_OF_SMALL,
    figure: ({ load }) => load.ratios.one_source,
  },
  {
    measure: 'the same on eight sources',
    unit: '',
    atMost: 8,
    limit: LIMIT_OF_SMALL,
    figure: ({ load }) => load.ratios.eight_sources,
  },
  {
    measure: 'the same on one source with a window',
    unit: '',
    atMost: 2.5,
    limit:
      'Each post is measured and judged alone, and a group of eight leaves behind a state of 25 kB, which takes as long to make for ten rows as for a thousand.',
    figure: ({ load }) => load.ratios.window,
  },
  {
    measure: 'the same, the first 1,000 batches of a source',
    unit: '',
    atMost: 8,
    limit: LIMIT_OF_SMALL,
    figure: ({ load }) => load.ratios.young,
  },
  {
    measure: 'the same, the first 1,000 batches of a fresh process',
    unit: '',
    atMost: 8,
    limit: 'The processor compiles code meanwhile.',
    figure: ({ load }) => load.ratios.first,
  },
  {
    measure: 'batches a second of one source, 1,000 rows × 20, 8 clients: adaptive / contract mode',
    unit: '',
    atLeast: 0.8,
    figure: ({ throughput }) => throughput.ratios.adaptive_contract,
  },
  {
    measure: 'batches a second, wide, 8 sources: two threads / one',
    unit: '',
    atLeast: 1.6,
    limit:
      'The clients, and the threads that compile and collect garbage for one thread, already use a part of the second core.',
    figure: ({ throughput }) => throughput.ratios.two_threads_one,
  },
  {
    measure: '`GET /v1/health` p99 while 4 clients post wide batches',
    unit: 'ms',
    atMost: 15,
    limit:
      'Four clients, two engine threads and the main thread share two cores, and a probe waits for its turn.',
    figure: ({ http }) => http.health.p99_ms,
  },
  {
    measure: '64 wide uploads at once: answered 200',
    unit: '',
    atLeast: 64,
    figure: ({ memory }) => memory.uploads.answered_200,
  },
  {
    measure: '64 wide uploads at once: peak RSS',
    unit: 'MB',
    atMost: 600,
    figure: ({ memory }) => memory.uploads.peak_rss_mb,
  },
  {
    measure: '3,000 wide screens in a row: RSS at the end / after warm-up',
    unit: '',
    atMost: NO_GROWTH,
    limit: 'Memory goes up and down by a third between collections, without a trend over 3,000 batches.',
    figure: ({ memory }) => memory.screens.growth,
  },
  {
    measure: 'process start to first answered wide batch, p50',
    unit: 's',
    atMost: 0.6,
    figure: ({ cold }) => cold.first_answer.sluice.medianMs / 1000,
    limit: 'Half of it is loading modules, our own and those of the libraries.',
  },
  {
    measure: 'HTTP p50, 10 rows, while 1,000 wrong codes a second are guessed / while nobody guesses',
    unit: '',
    atMost: 1.5,
    figure: ({ guesses }) => guesses.ratios.codes,
  },
  {
    measure: 'HTTP p50, 10 rows, while 1,000 wrong keys a second are guessed / while nobody guesses',
    unit: '',
    atMost: 1.5,
    figure: ({ guesses }) => guesses.ratios.keys,
  },
  {
    measure: '`sluice screen` of a 1 GB CSV file / the engine in process on the same bytes',
    unit: '',
    atMost: 3,
    limit:
      'Every value is measured, and what each slice adds to its columns takes as long as parsing and measuring it.',
    figure: ({ cli }) => cli.ratios.file_engine,
  },
  {
    measure:
      '`sluice screen` of a 1 GB CSV file / polars: `read_csv`, `describe`, `null_count`, `approx_n_unique`, whole processes',
    unit: '',
    atMost: 0.75,
    limit:
      'The verdict is on the whole file, so every value is measured, and each slice adds to what is kept of its columns. Before, 1,000 of each 10,000 rows were measured, and it was 0.65.',
    figure: ({ cli }) => cli.ratios.file_polars,
  },
  {
    measure: '`sluice screen` of a 1 GB CSV file: peak RSS',
    unit: 'MB',
    atMost: 200,
    limit: 'Keys of rows take up to 64 MB, and each of two threads keeps what it knows of the columns.',
    figure: ({ cli }) => cli.peak_rss_mb,
  },
  {
    measure: '`GET /v1/stats` over 100,000 jobs, p50',
    unit: 'ms',
    atMost: 100,
    limit: 'The jobs are read and summed up a thousand at a time, so that other requests run in between.',
    figure: ({ statistics }) => statistics.p50_ms,
  },
];

export const isMet = ({ atMost, atLeast }: Target, figure: number): boolean =>
  figure <= (atMost ?? Number.POSITIVE_INFINITY) && figure >= (atLeast ?? Number.NEGATIVE_INFINITY);

/** Figures without targets that complete the picture. */
export const BESIDE: readonly Target[] = [
  {
    measure: 'CSV wide, full / udsv typed arrays',
    unit: '',
    figure: ({ engine }) => engine.ratios.csv_wide_udsv_typed,
  },
  {
    measure: 'CSV narrow, full / udsv string arrays',
    unit: '',
    figure: ({ engine }) => engine.ratios.csv_udsv.csv_narrow!,
  },
  {
    measure: 'CSV wide, every text quoted, full / udsv string arrays',
    unit: '',
    figure: ({ engine }) => engine.ratios.csv_udsv.csv_quoted!,
  },
  {
    measure: 'HTTP p50, wide full scan',
    unit: 'ms',
    figure: ({ http }) => http.wide.sluice!.medianMs,
  },
  {
    measure: 'HTTP p50, wide full scan / handler that only drains the body',
    unit: '',
    figure: ({ http }) => http.ratios.wide_drain,
  },
  {
    measure: 'HTTP p50, 10 rows × 10',
    unit: 'ms',
    figure: ({ http }) => http.small.sluice!.medianMs,
  },
  {
    measure: '`GET /v1/health` p99 of an idle server',
    unit: 'ms',
    figure: ({ http }) => http.health.idle.p99_ms,
  },
  {
    measure: 'process start to first answered wide batch / bare handler with `await req.json()`',
    unit: '',
    figure: ({ cold }) => cold.ratios.first_answer_req_json,
  },
  {
    measure: '`sluice screen` of a 1 GB CSV file / the engine, processor time of all threads',
    unit: '',
    figure: ({ cli }) => cli.ratios.file_engine_cpu,
  },
];
