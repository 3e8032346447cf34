/**
 * Clients post batches that do not pass to replicas that are killed meanwhile, while some receivers of alerts hang, reset, answer
 * 500 or redirect. In the end each source has one incident with all its batches, and the receiver that works has heard of each
 * once. As a command:
 *
 *     npm run alerts -- --batches 10000 --sources 50 --kills 20 --replicas 2
 *
 * Every client repeats a batch under its Idempotency-Key until it is answered with 200, as clients should.
 */
import '../../scripts/built.ts';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../servers/process.ts';
import { Fleet } from './fleet.ts';
import { KEY } from './server.ts';

export interface AlertRun {
  batches: number;
  sources: number;
  kills: number;
  replicas: number;
  clients: number;
}

export interface AlertRunResult {
  answered: number;
  kills: number;
  incidents: number;
  /** Of all incidents. */
  batches: number;
  /** Different messages that arrived, by type. A message that arrives twice has the same id. */
  messages: Record<string, number>;
  repeated: number;
  unsigned: number;
  /** Requests that followed a redirect. */
  followed: number;
  seconds: number;
}

const BAD = [{ amount: null }, { amount: null }];
const GOOD = [{ amount: 1 }, { amount: 2 }];

export async function alertRun(run: AlertRun): Promise<AlertRunResult> {
  const began = Date.now();
  const environment = { ALERT_ALLOW_PRIVATE: 'true' };
  await using fleet = await Fleet.start(run.replicas, false, environment);
  const receivers = new Receivers();
  await receivers.addTo(fleet);
  let left = run.batches;
  let answered = 0;
  let kills = 0;
  const killAt = run.batches / (run.kills + 1);
  let killing: Promise<void> = Promise.resolve();
  const post = async () => {
    while (left > 0) {
      const number = left--;
      await postUntilAnswered(fleet, `source ${number % run.sources}`, BAD, `bad-${number}`);
      answered++;
      if (kills < run.kills && answered >= (kills + 1) * killAt) {
        kills++;
        killing = killing.then(() => replace(fleet, kills % run.replicas));
      }
    }
  };
  await Promise.all(Array.from({ length: run.clients }, post));
  await killing;
  await eventually(async () => {
    const { batches } = await incidentsOf(fleet);
    if (batches < answered || receivers.messages('incident.opened') < run.sources)
      throw new Error(`${batches} batches and ${receivers.messages('incident.opened')} messages so far`);
  }, 240_000);
  for (let n = 0; n < run.sources; n++) await postUntilAnswered(fleet, `source ${n}`, GOOD, `good-${n}`);
  await eventually(async () => {
    if (receivers.messages('incident.resolved') < run.sources) throw new Error('some are not resolved');
  }, 240_000);
  const { incidents, batches } = await incidentsOf(fleet);
  return { answered, kills, incidents, batches, ...receivers.result(), seconds: (Date.now() - began) / 1000 };
}

async function replace(fleet: Fleet, index: number): Promise<void> {
  await fleet.replicas[index]!.kill('SIGKILL');
  const [old] = fleet.replicas.splice(index, 1);
  await fleet.add();
  await old![Symbol.asyncDispose]();
}

async function postUntilAnswered(fleet: Fleet, source: string, rows: object[], key: string): Promise<void> {
  for (;;) {
    const headers = { 'Idempotency-Key': key };
    const response = await fleet
      .next()
      .post(JSON.stringify({ source, rows }), headers)
      .catch(() => null);
    if (response?.status === 200) return void (await response.text().catch(() => ''));
    await Bun.sleep(100);
  }
}

async function incidentsOf(fleet: Fleet): Promise<{ incidents: number; batches: number }> {
  const [found] = await fleet.sql(
    'SELECT count(*) AS incidents, coalesce(sum(batches), 0) AS batches FROM incidents',
  );
  return { incidents: Number(found!.incidents), batches: Number(found!.batches) };
}

/** One that works, and four that do not. */
class Receivers {
  #webhook: Webhook | null = null;
  readonly #types = new Map<string, string>();
  #arrived = 0;
  #unsigned = 0;
  #followed = 0;
  readonly #stops: (() => void)[] = [];

  async addTo(fleet: Fleet): Promise<void> {
    const works = this.#serve(request => this.#take(request));
    const inner = this.#serve(async () => {
      this.#followed++;
      return new Response();
    });
    const urls = [
      await this.#listen(socket => socket.on('error', () => {})),
      await this.#listen(socket => socket.resetAndDestroy()),
      this.#serve(async () => new Response(null, { status: 500 })),
      this.#serve(async () => Response.redirect(inner, 307)),
    ];
    const create = async (url: string) => {
      const response = await fetch(`${fleet.replicas[0]!.url}/v1/alerts/channels`, {
        method: 'POST',
        headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json' },
        body: JSON.stringify({ type: 'webhook', url, sources: ['source *'] }),
      });
      if (response.status !== 201) throw new Error(await response.text());
      return ((await response.json()) as { secret: string }).secret;
    };
    for (const url of urls) await create(url);
    this.#webhook = new Webhook(await create(works));
  }

  messages(type: string): number {
    return [...this.#types.values()].filter(each => each === type).length;
  }

  result() {
    for (const stop of this.#stops) stop();
    const types = Object.groupBy(this.#types.values(), type => type);
    return {
      messages: Object.fromEntries(Object.entries(types).map(([type, all]) => [type, all!.length])),
      repeated: this.#arrived - this.#types.size,
      unsigned: this.#unsigned,
      followed: this.#followed,
    };
  }

  async #take(request: Request): Promise<Response> {
    const body = await request.text();
    const headers = Object.fromEntries(request.headers);
    try {
      const { type } = this.#webhook!.verify(body, headers) as { type: string };
      this.#arrived++;
      this.#types.set(headers['webhook-id']!, type);
    } catch {
      this.#unsigned++;
    }
    return new Response(null, { status: 204 });
  }

  #serve(fetch: (request: Request) => Promise<Response>): string {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
    this.#stops.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}/`;
  }

  async #listen(accept: NonNullable<Parameters<typeof createServer>[1]>): Promise<string> {
    const server = createServer(accept);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', resolve);
    await promise;
    server.unref();
    this.#stops.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      batches: { type: 'string', default: '10000' },
      sources: { type: 'string', default: '50' },
      kills: { type: 'string', default: '20' },
      replicas: { type: 'string', default: '2' },
      clients: { type: 'string', default: '8' },
    },
  });
  const run = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
  console.log(JSON.stringify(await alertRun(run as unknown as AlertRun), null, 2));
  process.exit(0);
}
