/** Several processes on one port: what they tell each other, and what becomes of them when one of them dies. */
import { describe, expect, test } from 'bun:test';
import { eventually } from '../servers/process.ts';
import { head, RawClient } from './raw-client.ts';
import { KEY, newFolder, run, Server } from './server.ts';

const BATCH = JSON.stringify({ source: 'workers', rows: [{ id: 1 }] });
/** The kernel shares connections out by chance: so many reach both of two workers, but once in 2^39 times. */
const CONNECTIONS = 40;

const start = () => Server.start({ WORKERS: '2' });

/** Process ids of the workers that live. */
function workersOf(server: Server): number[] {
  const listed = Bun.spawnSync(['pgrep', '-P', String(server.child.pid)]).stdout.toString();
  return listed.split('\n').filter(Boolean).map(Number);
}

/** The status of each of many requests, each on a connection of its own. */
async function statuses(server: Server, key: string): Promise<number[]> {
  const asked = Array.from({ length: CONNECTIONS }, () =>
    fetch(`${server.url}/v1/jobs`, { headers: { 'X-API-Key': key }, keepalive: false }),
  );
  return (await Promise.all(asked)).map(({ status }) => status);
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const gone = (pids: number[]) => eventually(async () => expect(pids.filter(isAlive)).toEqual([]));

describe('a key that was deleted at one worker', () => {
  test('works at none of them from then on', async () => {
    await using server = await start();
    const manage = (method: string, path: string) =>
      fetch(`${server.url}${path}`, { method, headers: { 'X-API-Key': KEY } });
    const { key, id } = (await (await manage('POST', '/v1/keys')).json()) as { key: string; id: string };
    expect(new Set(await statuses(server, key))).toEqual(new Set([200]));
    expect((await manage('DELETE', `/v1/keys/${id}`)).status).toBe(200);
    // Not after a while, as where they can only forget it: each looks before it believes what it remembers.
    expect(new Set(await statuses(server, key))).toEqual(new Set([401]));
  });
});

describe('workers that are killed', () => {
  test('are replaced on the same port, and the stop ends those who came', async () => {
    await using server = await start();
    const killed = workersOf(server);
    expect(killed).toHaveLength(2);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await gone(killed);
    await eventually(async () => expect((await server.post(BATCH)).status).toBe(200));
    await eventually(async () => expect(workersOf(server)).toHaveLength(2));
    const workers = workersOf(server);
    expect(await server.kill('SIGTERM')).toBe(0);
    await gone(workers);
  });
});

describe('workers that are all killed again and again', () => {
  test('are replaced at once, and meanwhile requests are answered with 503', async () => {
    await using server = await start();
    const status = () => fetch(`${server.url}/v1/health`, { keepalive: false }).then(({ status }) => status);
    for (let round = 0; round < 4; round++) {
      const killed = workersOf(server);
      for (const pid of killed) process.kill(pid, 'SIGKILL');
      await gone(killed);
      // The supervisor hears of the deaths a moment later.
      await eventually(async () => expect(await status()).toBe(503));
      // Nothing is refused from then on.
      while ((await status()) !== 200) await Bun.sleep(10);
      await eventually(async () => expect(workersOf(server).length).toBeGreaterThan(0));
    }
    // The first one to die is not the last that listens, and waits longer each time.
    expect(server.output.match(/"restartMs":100,/g)?.length).toBeGreaterThanOrEqual(4);
  });
});

describe('a supervisor that is killed', () => {
  test('takes its workers along, once they have answered what they had begun', async () => {
    await using server = await start();
    const workers = workersOf(server);
    const client = await RawClient.open(server.port);
    await client.send(head(`Content-Length: ${BATCH.length}`) + BATCH.slice(0, 20));
    await eventually(async () => expect((await server.post(BATCH)).status).toBe(200));
    server.child.kill('SIGKILL');
    await server.prints(/"signal":"disconnect"/);
    await client.send(BATCH.slice(20));
    await client.receives(/^HTTP\/1\.1 200 [\s\S]*"timestamp":"[^"]*"\}$/);
    await gone(workers);
  });
});

describe('a start of several that cannot succeed', () => {
  test('is one line and exit 1, and leaves nobody behind', async () => {
    await using server = await Server.start();
    const { code, stderr } = await run({
      PORT: String(server.port),
      DATA_DIR: newFolder(),
      WORKERS: '2',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*PORT \d+[^\n]*\n$/);
  });
});
