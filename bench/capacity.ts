/** Writes the figures of `docs/capacity.md` between two markers, from a run of `replicas`: the measurements, and what a billion rows a day would need. */
import { join } from 'node:path';
import { type Run, runBench } from './benches.ts';
import { replaceBetween, table } from './results.ts';

const PAGE = join(import.meta.dir, '../docs/capacity.md');
export const CAPACITY_BEGIN = '<!-- bench: begin, written by `npm run bench -- capacity` -->';
export const CAPACITY_END = '<!-- bench: end -->';

const ROWS_A_DAY = 1e9;
const DAY_SECONDS = 86_400;
/** Default of `JOB_RETENTION_DAYS`. */
const RETENTION_DAYS = 400;
const SOURCES = 10_000;
const MODEL_CORES = 16;
const HEADS = ['', 'In batches of 10,000 × 20', 'In batches of 10 × 10'];

type Replicas = Run<'replicas'>;

/** Runs the bench and writes the page. It takes a minute and needs an idle machine. */
export async function writeCapacity(seed: number): Promise<void> {
  const page = await Bun.file(PAGE).text();
  const run = (await runBench('replicas', seed)) as Replicas;
  await Bun.write(PAGE, replaceBetween(page, CAPACITY_BEGIN, CAPACITY_END, capacityText(run)));
}

export const capacityText = (run: Replicas): string =>
  [
    provenance(run),
    '### Throughput, Redis and Postgres',
    throughputTable(run),
    '### What a store costs a request',
    storesTable(run),
    '### What is stored',
    storedTable(run),
    '### Sixteen cores',
    modelTable(run),
    '### A billion rows a day',
    billionTable(run),
  ].join('\n\n');

const provenance = ({ date, machine: { cpu, cores, memory_gb, os, bun }, servers, load, seed }: Replicas) =>
  `\`npm run bench -- replicas\`, ${date.slice(0, 10)}, ${cores} cores of ${cpu}, ${memory_gb} GB, ${os}; Bun ${bun}, ` +
  `${servers.redis}, ${servers.postgres}; seed ${seed}. Load average of the machine before the run: ${shown(load)}.`;

function throughputTable({ throughput }: Replicas): string {
  const head = ['Processes', 'Batches/s', 'Rows/s', 'Rows/s and core of Sluice', ...CPU_HEADS];
  const rows = Object.entries(throughput).map(([threads, { cpu_ms_per_batch: cpu, ...figures }]) => [
    threads,
    shown(figures.batches_per_s),
    whole(figures.rows_per_s),
    whole(figures.rows_per_core_s),
    ...[cpu.sluice, cpu.redis, cpu.postgres].map(ms => `${shown(ms)} ms`),
  ]);
  return table(head, rows);
}

const CPU_HEADS = ['Sluice', 'Redis', 'Postgres'].map(who => `${who}, core time a batch`);

function storesTable({ small }: Replicas): string {
  const embedded = small.embedded!;
  const rows = Object.entries(small).map(([stores, { medianMs, p90Ms, cpu_ms }]) => [
    STORES[stores]!,
    `${shown(medianMs)} ms`,
    `${shown(p90Ms)} ms`,
    shown(medianMs / embedded.medianMs),
    `${shown(cpu_ms)} ms`,
  ]);
  return table(['Stores', 'p50', 'p90', 'p50 / embedded', 'Sluice, core time'], rows);
}

const STORES: Record<string, string> = {
  embedded: 'embedded',
  redis: 'Redis and SQLite',
  postgres: 'SQLite and Postgres',
  redis_postgres: 'Redis and Postgres',
};

const storedTable = ({ stored }: Replicas): string =>
  table(
    ['What', 'Measured'],
    [
      ['Redis, a source after some 45 batches', bytes(stored.redis_bytes_per_source.young)],
      ['Redis, a source after 1,040 batches', bytes(stored.redis_bytes_per_source.old)],
      ['SQLite, a source after some 45 batches', bytes(stored.sqlite_bytes_per_source)],
      ['Postgres, rows a job (job, report, its share of the ledger)', shown(stored.postgres_rows_per_job)],
      ['Postgres, a job with its indexes', bytes(stored.postgres_bytes_per_job)],
      ['SQLite, a job with its indexes', bytes(stored.sqlite_bytes_per_job)],
    ],
  );

/** Computed: all cores busy, each program with the share that its batches need. Redis works with one thread. */
function modelTable(run: Replicas): string {
  const [wide, tiny] = costsOf(run).map(({ sluice, redis, postgres }) => {
    const perSecond = (MODEL_CORES * 1000) / (sluice + redis + postgres);
    const cores = [sluice, redis, postgres].map(ms => shown((perSecond * ms) / 1000));
    return [shown(perSecond), ...cores, shown(1000 / redis)];
  }) as [string[], string[]];
  const names = [
    'Batches/s',
    'Cores for Sluice',
    'Cores for Redis',
    'Cores for Postgres',
    'Batches/s of one Redis',
  ];
  return table(
    HEADS,
    names.map((name, i) => [name, wide[i]!, tiny[i]!]),
  );
}

/** Of a wide batch, and of one of ten rows. */
function costsOf({ throughput, small, stored }: Replicas): [BatchCost, BatchCost] {
  const wide = { ...throughput['1']!.cpu_ms_per_batch, bytes: stored.postgres_bytes_per_job };
  return [wide, { ...wide, sluice: small.redis_postgres!.cpu_ms }];
}

/** Computed from the measurements, evenly over the day. */
function billionTable(run: Replicas): string {
  const [wide, tiny] = costsOf(run).map((cost, i) => need(i === 0 ? 10_000 : 10, cost)) as [Needs, Needs];
  const sources = `Redis for ${whole(SOURCES)} sources`;
  const held = bytes(SOURCES * run.stored.redis_bytes_per_source.old);
  return table(HEADS, [
    ...wide.map(([what, figure], i) => [what, figure, tiny[i]![1]]),
    [sources, held, held],
  ]);
}

interface BatchCost {
  /** Core time in ms. */
  sluice: number;
  redis: number;
  postgres: number;
  /** Bytes in SQL. */
  bytes: number;
}

type Needs = [what: string, figure: string][];

function need(rows: number, { sluice, redis, postgres, bytes: size }: BatchCost): Needs {
  const batches = ROWS_A_DAY / rows;
  const perSecond = batches / DAY_SECONDS;
  const cores = (ms: number) => shown((perSecond * ms) / 1000);
  return [
    ['Requests a second', shown(perSecond)],
    ['Cores for Sluice', cores(sluice)],
    ['Cores for Redis', cores(redis)],
    ['Cores for Postgres', cores(postgres)],
    ['Jobs a day', whole(batches)],
    ['Postgres, a day of jobs', bytes(batches * size)],
    [`Postgres, ${RETENTION_DAYS} days of jobs`, bytes(RETENTION_DAYS * batches * size)],
  ];
}

const shown = (value: number): string => (value >= 100 ? whole(value) : String(Number(value.toPrecision(2))));
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Units of 10^3. */
function bytes(value: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  return `${Number((value / 1000 ** unit).toPrecision(3))} ${UNITS[unit]}`;
}
