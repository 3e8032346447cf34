/** Replicas whose ways to Redis and Postgres are bad: distant, and then failing at random. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { postgresBinaries, redisBinary } from '../servers/binaries.ts';
import { eventually } from '../servers/process.ts';
import { Toxiproxy, toxiproxyProgram } from '../servers/toxiproxy.ts';
import { faultRun } from './fault-run.ts';
import { Fleet } from './fleet.ts';
import { Load } from './load.ts';

/** `npm run faults` plays longer ones. */
const RUN = { seconds: 8, batches: 20, seed: 7, clients: 8, replicas: 2 };
/** More than the default allows, and far below the limit: two seconds in which the machine stalls must not pass for distance. */
const LATENCY_MS = 600;
const STORE_TIMEOUT_MS = 3000;
const CLIENTS = 4;

const program = redisBinary() && postgresBinaries() && toxiproxyProgram();
const describeThroughToxiproxy = program ? describe : describe.skip;

describeThroughToxiproxy('through Toxiproxy', () => {
  let toxiproxy: Toxiproxy;
  let fleet: Fleet;
  beforeAll(async () => {
    toxiproxy = await Toxiproxy.start(program!);
    const settings = { STORE_TIMEOUT_MS: String(STORE_TIMEOUT_MS) };
    fleet = await Fleet.start(1, false, settings, (store, port) => toxiproxy.wayTo(store, port));
  }, 240_000);
  afterEach(() => toxiproxy.heal());
  afterAll(async () => {
    await fleet[Symbol.asyncDispose]();
    await toxiproxy.process.remove();
  });

  const slow = (store: string) =>
    toxiproxy.poison(store, {
      type: 'latency',
      stream: 'downstream',
      attributes: { latency: LATENCY_MS, jitter: 20 },
    });

  /** Twenty batches and more, and whether anybody noticed but by the time they took. */
  async function served(): Promise<void> {
    const load = new Load(CLIENTS, () => fleet.next(), true);
    await eventually(async () => expect(load.replies.length).toBeGreaterThan(20), 40_000);
    const ready = await fleet.get('/v1/ready');
    await load.end();
    expect(load.failures).toEqual([]);
    expect(load.replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect(ready.status).toBe(200);
  }

  test(`${LATENCY_MS} ms to both stores is slow at a limit of ${STORE_TIMEOUT_MS} ms, and no outage`, async () => {
    for (const store of ['redis', 'postgres']) await slow(store);
    await served();
  }, 240_000);

  test('a replica starts at such a distance, and its first requests are served', async () => {
    for (const store of ['redis', 'postgres']) await slow(store);
    const server = await fleet.add();
    const { status } = await server.post('{"source":"distant","rows":[{"a":1}]}');
    expect(status).toBe(200);
  }, 240_000);

  test('faults at random lose nothing and count nothing twice', async () => {
    const result = await faultRun(program!, RUN);
    console.info(JSON.stringify(result));
    expect(result.wrong).toEqual([]);
    expect(result.batches).toBeGreaterThanOrEqual(RUN.batches);
  }, 240_000);
});
