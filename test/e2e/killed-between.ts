/**
 * The program is killed between the writes of a request with an Idempotency-Key, and the request is repeated to the next process: the
 * baseline has its batch exactly once, as the jobs have. Run on each kind of stores.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../servers/process.ts';
import { KEY, newFolder, Server } from './server.ts';

const LEASE_MS = 3000;
const HISTORY = 3;
/** So many later batches make the baseline fold the ones before. */
const UNTIL_FOLDED = 29;

interface Report {
  request_id: string;
  status: string;
  anomalies?: unknown[];
}

/** A service on stores of its own: whenever its process is killed, the next one begins after the lease of its claims. */
class Service {
  readonly #folder = newFolder();
  readonly signalFile = join(this.#folder, 'signal');
  readonly #servers: Server[] = [];
  #starts = 0;

  constructor(readonly stores: Record<string, string>) {}

  get server(): Server {
    return this.#servers.at(-1)!;
  }

  async start(): Promise<Server> {
    const CLOCK_AHEAD_MS = String(LEASE_MS * this.#starts++);
    const environment = { ...this.stores, SIGNAL_FILE: this.signalFile, CLOCK_AHEAD_MS };
    this.#servers.push(await Server.start(environment, this.#folder));
    return this.server;
  }

  /** The next request gets the signal there. */
  async signalAt(place: string, signal: string): Promise<void> {
    await Bun.write(this.signalFile, `${place} ${signal}`);
  }

  /** Sends the batch to a process that is killed there, and starts the next one. */
  async kill(place: string, post: () => Promise<unknown>): Promise<void> {
    await this.signalAt(place, 'SIGKILL');
    await expect(post()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await this.server.child.exited;
    await this.start();
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.server.url}${path}`, { headers: { 'X-API-Key': KEY } });
    return (await response.json()) as T;
  }

  async put(path: string, body: unknown): Promise<void> {
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };
    const init = { method: 'PUT', headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.server.url}${path}`, init);
    expect(response.status).toBe(200);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true });
  }
}

/** As usual as all others, and with other values in every column. */
const rowsOf = (batch: number) =>
  Array.from({ length: 20 }, (_, i) => ({
    id: `b${batch}-${i}`,
    amount: 100 + ((37 * i) % 50) + batch / 1000,
  }));

/** One source, and what is sent to it. */
class Source {
  static #count = 0;
  readonly name = `source-${Source.#count++}`;
  #batches = 0;
  readonly key = `key-of-${this.name}`;
  readonly repeated = rowsOf(99);

  constructor(readonly service: Service) {}

  async post(
    rows: unknown[],
    headers: Record<string, string> = {},
    server = this.service.server,
  ): Promise<Report> {
    const response = await server.post(JSON.stringify({ source: this.name, rows }), headers);
    const body = await response.text();
    expect([response.status, body]).toEqual([200, body]);
    return JSON.parse(body) as Report;
  }

  async others(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.post(rowsOf(this.#batches++));
  }

  /** With its key, as often as it is sent. */
  keyed = (server?: Server): Promise<Report> =>
    this.post(this.repeated, { 'Idempotency-Key': this.key }, server);

  async learned(): Promise<number> {
    return (await this.service.get<{ batches: number }>(`/v1/schema/${this.name}`)).batches;
  }

  async jobs(): Promise<string[]> {
    const { jobs } = await this.service.get<{ jobs: { id: string }[] }>(`/v1/jobs?source=${this.name}`);
    return jobs.map(({ id }) => id);
  }
}

const PLACES = [
  'claim before',
  'claim after',
  'append before',
  'append after',
  'complete before',
  'complete after',
];

export function killedBetween(stores: () => Promise<Record<string, string>>): void {
  let service: Service;
  beforeAll(async () => {
    service = new Service(await stores());
    const server = await service.start();
    // A Redis that has just started grants nothing.
    await eventually(async () => {
      const { status } = await server.post('{"source":"first","rows":[{"a":1}]}');
      if (status !== 200) throw new Error(`${status} instead of 200`);
    });
  }, 120_000);
  afterAll(() => service[Symbol.asyncDispose]());

  const begun = async (history = HISTORY): Promise<Source> => {
    const source = new Source(service);
    await source.others(history);
    return source;
  };

  /** The repeat is judged as if nothing had come before it. */
  const expectOnce = async (source: Source, others: number): Promise<void> => {
    const report = await source.keyed();
    expect(report).toMatchObject({ status: 'PASS' });
    expect(report.anomalies).toBeUndefined();
    expect(await source.keyed()).toEqual(report);
    expect(await source.learned()).toBe(others + 1);
    expect(await source.jobs()).toContain(report.request_id);
    expect(await source.jobs()).toHaveLength(others + 1);
  };

  test.each(PLACES)('a request that is killed at %s is learned once', async place => {
    const source = await begun();
    await service.kill(place, source.keyed);
    await expectOnce(source, HISTORY);
  });

  test.each([
    'callOff before',
    'callOff after',
    'forgetUnfinished before',
    'forgetUnfinished after',
    'append before',
    'append after',
  ])('a request whose repeat is killed too, at %s, is learned once', async place => {
    const source = await begun();
    await service.kill('append after', source.keyed);
    await service.kill(place, source.keyed);
    await expectOnce(source, HISTORY);
  });

  test("a source's first batch is learned once", async () => {
    const source = await begun(0);
    await service.kill('append after', source.keyed);
    await expectOnce(source, 0);
  });

  test('a batch that was merged with others before its repeat is learned once', async () => {
    const source = await begun();
    await service.kill('append after', source.keyed);
    await source.others(UNTIL_FOLDED);
    await service.kill('append after', source.keyed);
    await expectOnce(source, HISTORY + UNTIL_FOLDED);
  });

  test('a batch that is BLOCK by now is not learned', async () => {
    const source = await begun();
    await service.kill('append after', source.keyed);
    await service.put(`/v1/schema/${source.name}/rules`, { rows: { min: 1000 } });
    expect(await source.keyed()).toMatchObject({ status: 'BLOCK' });
    expect(await source.learned()).toBe(HISTORY);
  });

  test('a batch that is never repeated stays learned', async () => {
    const source = await begun();
    await service.kill('append after', source.keyed);
    expect(await source.learned()).toBe(HISTORY + 1);
    expect(await source.jobs()).toHaveLength(HISTORY);
  });

  test.each(['append before', 'append after', 'complete before'])(
    'a request that stands still at %s for longer than its lease takes nothing from its successor',
    async place => {
      const source = await begun();
      const slow = service.server;
      await service.signalAt(place, 'SIGSTOP');
      const late = source.keyed();
      await eventually(async () => expect(await Bun.file(service.signalFile).exists()).toBe(false));
      await service.start();
      const report = await source.keyed();
      slow.child.kill('SIGCONT');
      expect(await late).toEqual(report);
      await expectOnce(source, HISTORY);
    },
  );
}
