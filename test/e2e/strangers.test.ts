/**
 * Beside each flood of a stranger or a tenant, and when it ends, no turn of the event loop takes long. Processor time of the program's thread
 * counts, so that a loaded machine does not matter. A collection of garbage may fall into an attempt, so one of a few must be short.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { processorMs } from '../fuzz/processor-time.ts';
import { MIB, peakBytesOf } from './most-memory.ts';
import { Server } from './server.ts';
import { FLOODS, type Flood, Stranger } from './strangers.ts';

const ATTEMPTS = 8;
const FLOOD_MS = 250;
/** The promise to others, on a machine that parses `WORK` in 6 ms. A slower one may take as much longer. */
const MOST_MS = 50;
const MOST_WORKS = 8;
const WORK = JSON.stringify(
  Array.from({ length: 30_000 }, (_, i) => ({ id: i, text: `text ${i}`, amount: i / 7 })),
);
const MOST_BYTES = 1024 * MIB;
/** Of a flood, so that they are open in the time of an attempt. */
const CONNECTIONS = 200;

let server: Server;
let clock = '';
let mostMs = MOST_MS;

beforeAll(async () => {
  server = await Server.start({ BUN_OPTIONS: `--preload=${join(import.meta.dir, 'loop-clock.ts')}` });
  const [, port] = await server.prints(/loop clock (\d+)/);
  clock = `http://127.0.0.1:${port}`;
  // What the program does only once is not of the floods.
  for (const path of ['/docs', '/openapi.json', '/asyncapi.json', '/v1/health'])
    await fetch(server.url + path);
  mostMs = Math.max(MOST_MS, MOST_WORKS * workMs());
});

afterAll(() => server[Symbol.asyncDispose]());

/** Of several attempts, because the first ones compile. */
function workMs(): number {
  const times = Array.from({ length: 10 }, () => {
    const before = processorMs();
    JSON.parse(WORK);
    return processorMs() - before;
  });
  return Math.min(...times);
}

const longestTurn = async (): Promise<number> => Number(await (await fetch(clock)).text());

/** The longest turn in ms of processor time beside the flood. */
async function turnBeside(flood: Flood): Promise<number> {
  const connections = Math.min(flood.connections, CONNECTIONS);
  const stranger = new Stranger(server.port, { ...flood, connections });
  await longestTurn();
  void stranger.start();
  await Bun.sleep(FLOOD_MS);
  const { status } = await fetch(`${server.url}/v1/health`);
  expect(status).toBe(200);
  stranger.end();
  // What it left is read until now.
  await fetch(`${server.url}/v1/health`);
  return longestTurn();
}

const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux.each(Object.entries(FLOODS))(
  'no turn is long beside: %s',
  async (_, flood) => {
    const turns: number[] = [];
    do turns.push(await turnBeside(flood));
    while (turns.at(-1)! >= mostMs && turns.length < ATTEMPTS);
    expect(Math.min(...turns), `turns of ${turns} ms`).toBeLessThan(mostMs);
    expect(peakBytesOf(server.child.pid)).toBeLessThan(MOST_BYTES);
  },
  60_000,
);
