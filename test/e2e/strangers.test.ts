/**
 * Beside each flood of a stranger or a tenant, no turn of the event loop takes long. Processor time of the program's thread counts, so that a
 * loaded machine does not matter. A collection of garbage may fall into one attempt, so the best of three counts.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MIB, peakBytesOf } from './most-memory.ts';
import { Server } from './server.ts';
import { FLOODS, type Flood, Stranger } from './strangers.ts';

const ATTEMPTS = 3;
const FLOOD_MS = 250;
/** The promise to others. */
const MOST_MS = 50;
const MOST_BYTES = 1024 * MIB;
/** Of a flood, so that they are open in the time of an attempt. */
const CONNECTIONS = 200;

let server: Server;
let clock = '';

beforeAll(async () => {
  server = await Server.start({ BUN_OPTIONS: `--preload=${join(import.meta.dir, 'loop-clock.ts')}` });
  const [, port] = await server.prints(/loop clock (\d+)/);
  clock = `http://127.0.0.1:${port}`;
  // What the program does only once is not of the floods.
  for (const path of ['/docs', '/openapi.json', '/asyncapi.json', '/v1/health'])
    await fetch(server.url + path);
});

afterAll(() => server[Symbol.asyncDispose]());

const longestTurn = async (): Promise<number> => Number(await (await fetch(clock)).text());

/** The longest turn in ms of processor time beside the flood. */
async function turnBeside(flood: Flood): Promise<number> {
  const connections = Math.min(flood.connections, CONNECTIONS);
  const stranger = new Stranger(server.port, { ...flood, connections });
  await longestTurn();
  void stranger.start();
  await Bun.sleep(FLOOD_MS);
  const { status } = await fetch(`${server.url}/v1/health`);
  const turn = await longestTurn();
  stranger.end();
  expect(status).toBe(200);
  return turn;
}

const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux.each(Object.entries(FLOODS))(
  'no turn is long beside: %s',
  async (_, flood) => {
    const turns: number[] = [];
    for (let i = 0; i < ATTEMPTS; i++) turns.push(await turnBeside(flood));
    expect(Math.min(...turns)).toBeLessThan(MOST_MS);
    expect(peakBytesOf(server.child.pid)).toBeLessThan(MOST_BYTES);
  },
  60_000,
);
