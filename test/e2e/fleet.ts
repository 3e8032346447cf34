/** Replicas of the real program on a Redis and a Postgres of their own, and what lies in both. */
import { monthOf } from '../../src/account/period.ts';
import { PostgresServer } from '../servers/postgres.ts';
import { eventually } from '../servers/process.ts';
import { SlowProxy } from '../servers/proxy.ts';
import { RedisServer } from '../servers/redis.ts';
import { KEY, Server } from './server.ts';

/** Rows and requests, from each place that counts them. */
export interface Books {
  /** Rows by request id. */
  jobs: Map<string, number>;
  jobRows: number;
  ledgerRows: number;
  ledgerRequests: number;
  reports: number;
  /** What Redis has counted against the allowance. */
  counted: number;
  /** Batches by source: jobs that are not BLOCK, and what the baselines rest on. */
  batches: { jobs: Record<string, number>; baselines: Record<string, number> };
}

export class Fleet {
  readonly replicas: Server[] = [];
  #next = 0;

  private constructor(
    readonly redis: RedisServer,
    readonly postgres: PostgresServer,
    /** What the replicas reach them through. */
    readonly ways: { redis: SlowProxy; postgres: SlowProxy },
    readonly database: string,
    readonly environment: Record<string, string>,
  ) {}

  /**
   * `throughProxies`: faults are made on the way; else nothing of the tests' process is on it. `wayTo`: the port of another
   * proxy before the port of a store.
   */
  static async start(
    replicas: number,
    throughProxies: boolean,
    environment: Record<string, string> = {},
    wayTo: (store: 'redis' | 'postgres', port: number) => Promise<number> = async (_, port) => port,
  ): Promise<Fleet> {
    const [redis, postgres] = await Promise.all([RedisServer.start(), PostgresServer.start()]);
    const ways = {
      redis: await SlowProxy.before(redis.port),
      postgres: await SlowProxy.before(postgres.port),
    };
    const database = new URL(await postgres.newDatabase()).pathname.slice(1);
    const redisPort = await wayTo('redis', (throughProxies ? ways.redis : redis).port);
    const postgresPort = await wayTo('postgres', (throughProxies ? ways.postgres : postgres).port);
    const stores = {
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      DATABASE_URL: `postgres://postgres@127.0.0.1:${postgresPort}/${database}`,
    };
    const fleet = new Fleet(redis, postgres, ways, database, { ...stores, ...environment });
    await Promise.all(Array.from({ length: replicas }, () => fleet.add()));
    // A Redis that has just started grants nothing.
    await eventually(async () => {
      const { status } = await fleet.replicas[0]!.post('{"source":"first","rows":[{"a":1}]}');
      if (status !== 200) throw new Error(`${status} instead of 200`);
    });
    return fleet;
  }

  async add(): Promise<Server> {
    const server = await Server.start(this.environment);
    this.replicas.push(server);
    return server;
  }

  /** One after the other, as a simple balancer does it. */
  next(): Server {
    return this.replicas[this.#next++ % this.replicas.length]!;
  }

  get(path: string, replica = this.next()): Promise<Response> {
    return fetch(`${replica.url}${path}`, { headers: { 'X-API-Key': KEY } });
  }

  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.postgres.query(text, this.database);
  }

  async books(): Promise<Books> {
    const jobs = await this.sql('SELECT id, rows_received AS rows FROM jobs');
    const [ledger] = await this.sql(
      'SELECT coalesce(sum(rows), 0) AS rows, coalesce(sum(requests), 0) AS requests FROM ledger',
    );
    const [reports] = await this.sql('SELECT count(*) AS count FROM reports');
    return {
      jobs: new Map(jobs.map(({ id, rows }) => [id as string, Number(rows)])),
      jobRows: jobs.reduce((sum, { rows }) => sum + Number(rows), 0),
      ledgerRows: Number(ledger!.rows),
      ledgerRequests: Number(ledger!.requests),
      reports: Number(reports!.count),
      counted: await this.#counted(),
      batches: { jobs: await this.#batches(), baselines: await this.#baselines() },
    };
  }

  async #batches(): Promise<Record<string, number>> {
    const found = await this.sql(
      "SELECT source, count(*) AS count FROM jobs WHERE status <> 'BLOCK' GROUP BY source ORDER BY source",
    );
    return Object.fromEntries(
      found.map(({ source, count }) => [JSON.parse(source as string), Number(count)]),
    );
  }

  async #baselines(): Promise<Record<string, number>> {
    const { sources } = (await (await this.get('/v1/schema')).json()) as {
      sources: { source: string; batches: number }[];
    };
    return Object.fromEntries(sources.map(({ source, batches }) => [source, batches]));
  }

  async #counted(): Promise<number> {
    const { start } = monthOf(Date.now());
    let counted = 0;
    for (const { id } of await this.sql('SELECT id FROM accounts'))
      counted += Number((await this.redis.command('HGET', `sluice:allowance:{${id}}`, start)) ?? 0);
    return counted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.replicas) await replica[Symbol.asyncDispose]();
    for (const way of Object.values(this.ways)) way.stop();
    await Promise.all([this.redis.process.remove(), this.postgres.process.remove()]);
  }
}
