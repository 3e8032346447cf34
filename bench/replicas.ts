/**
 * What do more threads gain, what do Redis and Postgres cost compared with the embedded stores, and how much do they store?
 *
 * Runs the real program with private servers on this machine, which share its cores with the program and the clients. Rows a
 * second are the total of this machine. Rows a core-second use only the processor time of Sluice's process, so they predict a
 * larger machine. The cost of a store is measured with batches of ten rows, all combinations in turn. Postgres by default waits
 * for the disk at each commit, and SQLite here does not: that is most of the difference.
 */
import { Database } from 'bun:sqlite';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../test/servers/postgres.ts';
import type { RedisServer } from '../test/servers/redis.ts';
import { Child, postHead } from './child.ts';
import type { Connection } from './connection.ts';
import { cpuSeconds } from './cpu.ts';
import { type Figure, figuresOf } from './figures.ts';
import { named, type Payload, payloadsOf } from './payloads.ts';
import { startPosting } from './posting.ts';
import { type Effort, race, ratioOf, rounded } from './race.ts';
import { narrowTable, wideTable } from './tables.ts';

export interface ReplicasEffort {
  threads: readonly number[];
  rows: number;
  clients: number;
  postingMs: number;
  /** As in `http.ts`: in total fewer requests than the burst of the plan. */
  small: Effort;
  /** Sources that are measured after about `batches` batches. Each has one more than the last, so their tails differ in length. */
  sources: number;
  batches: number;
  /** Batches of one more source; after so many it does not grow any more. */
  oldBatches: number;
}

export const REPLICAS_EFFORT: ReplicasEffort = {
  threads: [1, 2, 4],
  rows: 10_000,
  clients: 8,
  postingMs: 5000,
  small: { warmRounds: 500, rounds: 1000, budgetMs: 15_000 },
  sources: 12,
  batches: 40,
  oldBatches: 1040,
};

export interface ReplicasResult {
  /** Versions. */
  servers: { redis: string; postgres: string };
  /** Load average of the last minute before the run: other work on the machine. */
  load: number;
  /** Median of a batch of ten rows / the median with the embedded stores. */
  ratios: { redis: number; postgres: number; redis_postgres: number };
  /** By stores. The processor time is of Sluice's process. */
  small: Record<string, Figure & { cpu_ms: number }>;
  /** By number of threads, with Redis and Postgres. */
  throughput: Record<string, Throughput>;
  stored: Stored;
}

interface Throughput {
  batches_per_s: number;
  rows_per_s: number;
  /** By processor time of Sluice's process. */
  rows_per_core_s: number;
  /** Processor time. */
  cpu_ms_per_batch: { sluice: number; redis: number; postgres: number };
}

interface Stored {
  /** Size of a source with 20 fields after a few dozen batches, and after more than a thousand. */
  redis_bytes_per_source: { young: number; old: number };
  sqlite_bytes_per_source: number;
  postgres_rows_per_job: number;
  postgres_bytes_per_job: number;
  sqlite_bytes_per_job: number;
}

export interface Servers {
  redis: RedisServer;
  postgres: PostgresServer;
}

const SMALL_ROWS = 10;
const STORED_ROWS = 1000;
const PAYLOADS = 3;

export async function benchReplicas(seed: number, effort = REPLICAS_EFFORT): Promise<ReplicasResult> {
  const [load] = loadavg() as [number];
  const servers = await startServers();
  try {
    const small = await overSmall(seed, effort, servers);
    const throughput: Record<string, Throughput> = {};
    for (const threads of effort.threads)
      throughput[threads] = await throughputOf(threads, seed, effort, servers);
    const ratios = {
      redis: ratioOf(small.redis!, small.embedded!),
      postgres: ratioOf(small.postgres!, small.embedded!),
      redis_postgres: ratioOf(small.redis_postgres!, small.embedded!),
    };
    const stored = await storedBy(seed, effort, servers);
    return { servers: await versionsOf(servers), load: rounded(load), ratios, small, throughput, stored };
  } finally {
    await stopServers(servers);
  }
}

/** Imported late: other benches need no servers, and the import may install them. */
export async function startServers(): Promise<Servers> {
  const { postgresBinaries, redisBinary } = await import('../test/servers/binaries.ts');
  if (redisBinary() === null || postgresBinaries() === null)
    throw new Error('redis-server and Postgres must be installed');
  const { RedisServer } = await import('../test/servers/redis.ts');
  const { PostgresServer } = await import('../test/servers/postgres.ts');
  const servers = { redis: await RedisServer.start(), postgres: await PostgresServer.start() };
  await servers.redis.settled();
  return servers;
}

export const stopServers = ({ redis, postgres }: Servers): Promise<unknown> =>
  Promise.all([redis.process.remove(), postgres.process.remove()]);

export async function versionsOf({ redis, postgres }: Servers): Promise<ReplicasResult['servers']> {
  const [shown] = await postgres.query('SHOW server_version');
  const number = String(shown!.server_version).split(' ')[0];
  return { redis: `Redis ${await redis.info('redis_version')}`, postgres: `Postgres ${number}` };
}

const onRedis = ({ redis }: Servers) => ({ REDIS_URL: redis.url });
const onPostgres = async ({ postgres }: Servers) => ({ DATABASE_URL: await postgres.newDatabase() });
export const onBoth = async (servers: Servers) => ({ ...onRedis(servers), ...(await onPostgres(servers)) });

async function overSmall(
  seed: number,
  effort: ReplicasEffort,
  servers: Servers,
): Promise<ReplicasResult['small']> {
  await using embedded = await Child.sluice();
  await using redis = await Child.sluice(onRedis(servers));
  await using postgres = await Child.sluice(await onPostgres(servers));
  await using both = await Child.sluice(await onBoth(servers));
  const payloads = payloadsOf(
    seed,
    { payloads: PAYLOADS, rows: SMALL_ROWS },
    narrowTable,
    named('bench-small'),
  );
  const children = { embedded, redis, postgres, redis_postgres: both };
  const clients = await Promise.all(
    Object.entries(children).map(async ([name, child]) => [name, await SmallClient.of(child)] as const),
  );
  const contestants = Object.fromEntries(clients.map(([name, client]) => [name, client.post]));
  const { warmRounds, ...measured } = effort.small;
  const warm = { warmRounds: 0, rounds: warmRounds, budgetMs: Number.POSITIVE_INFINITY };
  await race(contestants, payloads, warm);
  for (const [, client] of clients) client.begin();
  const figures = await figuresOf(contestants, payloads, { ...measured, warmRounds: 0 });
  return Object.fromEntries(
    clients.map(([name, client]) => [name, { ...figures[name]!, cpu_ms: client.cpuMs() }]),
  );
}

/** Posts batches, and measures the server's processor time for them. */
class SmallClient {
  #posts = 0;
  #begunSeconds = 0;

  private constructor(
    readonly child: Child,
    readonly connection: Connection,
  ) {}

  static async of(child: Child): Promise<SmallClient> {
    return new SmallClient(child, await child.connect());
  }

  /** Starts to count from now. */
  begin(): void {
    this.#posts = 0;
    this.#begunSeconds = cpuSeconds(this.child.pid);
  }

  readonly post = (payload: Payload): Promise<string> => {
    this.#posts++;
    return poster(this.connection)(payload);
  };

  cpuMs(): number {
    return rounded((1000 * (cpuSeconds(this.child.pid) - this.#begunSeconds)) / this.#posts);
  }
}

const poster =
  (connection: Connection) =>
  ({ bytes }: Payload): Promise<string> =>
    connection.ok(postHead(bytes.length), bytes);

async function throughputOf(
  threads: number,
  seed: number,
  { rows, clients, postingMs }: ReplicasEffort,
  servers: Servers,
): Promise<Throughput> {
  const environment = { ...(await onBoth(servers)), ENGINE_THREADS: String(threads) };
  await using sluice = await Child.sluice(environment);
  const result = await startPosting({ port: sluice.port, clients, rows, seed, ms: postingMs });
  const of = () => ({
    sluice: cpuSeconds(sluice.pid),
    redis: cpuSeconds(servers.redis.process.pid),
    postgres: cpuSeconds(servers.postgres.process.pid),
  });
  const before = of();
  const { batches, ms } = await result();
  const after = of();
  const perBatch = (who: keyof typeof before) => rounded((1000 * (after[who] - before[who])) / batches);
  return {
    batches_per_s: rounded((1000 * batches) / ms),
    rows_per_s: Math.round((1000 * rows * batches) / ms),
    rows_per_core_s: Math.round((rows * batches) / (after.sluice - before.sluice)),
    cpu_ms_per_batch: {
      sluice: perBatch('sluice'),
      redis: perBatch('redis'),
      postgres: perBatch('postgres'),
    },
  };
}

async function storedBy(seed: number, effort: ReplicasEffort, servers: Servers): Promise<Stored> {
  const { sources, oldBatches } = effort;
  await servers.redis.command('FLUSHALL');
  const environment = await onBoth(servers);
  const database = new URL(environment.DATABASE_URL).pathname.slice(1);
  await using remote = await Child.sluice(environment);
  await using embedded = await Child.sluice();
  const empty = { sql: sqliteBytes(embedded, 'sluice'), baselines: sqliteBytes(embedded, 'baselines') };
  const jobs = await screenSources(seed, effort, [await remote.connect(), await embedded.connect()]);
  const young = await redisBytes(servers.redis);
  const usage = await postgresUsage(servers.postgres, database);
  const sqlBytes = sqliteBytes(embedded, 'sluice') - empty.sql;
  const baselineBytes = sqliteBytes(embedded, 'baselines') - empty.baselines;
  await using quick = await Child.sluice(onRedis(servers));
  await screenOften(seed, 'old', oldBatches, [await quick.connect()]);
  const old = (await redisBytes(servers.redis)) - young;
  return {
    redis_bytes_per_source: { young: Math.round(young / sources), old: Math.round(old) },
    sqlite_bytes_per_source: Math.round(baselineBytes / sources),
    postgres_rows_per_job: rounded(usage.rows / jobs),
    postgres_bytes_per_job: Math.round(usage.bytes / jobs),
    sqlite_bytes_per_job: Math.round(sqlBytes / jobs),
  };
}

/** The number of jobs that this created. */
async function screenSources(
  seed: number,
  { sources, batches }: ReplicasEffort,
  connections: readonly Connection[],
): Promise<number> {
  let made = 0;
  for (let source = 0; source < sources; source++) {
    await screenOften(seed + source, `source ${source}`, batches + source, connections);
    made += batches + source;
  }
  return made;
}

async function screenOften(
  seed: number,
  source: string,
  times: number,
  connections: readonly Connection[],
): Promise<void> {
  const payloads = payloadsOf(seed, { payloads: PAYLOADS, rows: STORED_ROWS }, wideTable, named(source));
  for (let turn = 0; turn < times; turn++) {
    const payload = payloads[turn % PAYLOADS]!;
    await Promise.all(connections.map(connection => poster(connection)(payload)));
  }
}

const ALL_KEYS = `
  local bytes = 0
  for _, key in ipairs(redis.call('KEYS', '*')) do
    bytes = bytes + redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0)
  end
  return bytes`;

const redisBytes = async (redis: RedisServer): Promise<number> =>
  Number(await redis.command('EVAL', ALL_KEYS, 0));

/** Bytes of everything that a job writes. */
async function postgresUsage(
  postgres: PostgresServer,
  database: string,
): Promise<{ rows: number; bytes: number }> {
  const tables = ['jobs', 'reports', 'ledger'];
  const rows = tables.map(table => `(SELECT count(*) FROM ${table})`).join(' + ');
  const bytes = tables.map(table => `pg_total_relation_size('${table}')`).join(' + ');
  const [usage] = await postgres.query(`SELECT ${rows} AS rows, ${bytes} AS bytes`, database);
  return { rows: Number(usage!.rows), bytes: Number(usage!.bytes) };
}

/** Size of the file after a checkpoint of the write-ahead log. */
function sqliteBytes(sluice: Child, name: string): number {
  using database = new Database(join(sluice.folder, `${name}.sqlite`), { readonly: true });
  const value = (pragma: string) => Object.values(database.query(`PRAGMA ${pragma}`).get() as object)[0];
  return value('page_count') * value('page_size');
}
