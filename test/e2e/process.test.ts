/** The program from its start to its end. */
import { describe, expect, test } from 'bun:test';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { head, RawClient } from './raw-client.ts';
import { eventually, freePort } from '../servers/process.ts';
import { begin, KEY, newFolder, run, Server } from './server.ts';

const row = { id: 1, email: 'a@corp.com' };
const batch = (rows: object[]) => JSON.stringify({ source: 'process', rows });
const ROWS = Array.from({ length: 30 }, () => row);

describe('a start that cannot succeed is one line and exit 1', () => {
  test('a bad variable', async () => {
    const { code, stderr } = await run({ PORT: '8o8o' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^PORT must be [^\n]+\n$/);
  });

  test('a port that is taken', async () => {
    await using server = await Server.start();
    const { code, stdout, stderr } = await run({ PORT: String(server.port), DATA_DIR: newFolder() });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*PORT \d+[^\n]*\n$/);
    expect(stdout).not.toContain('sluice_live_');
  });

  test('a folder that is a file', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const { code, stderr } = await run({ DATA_DIR: file });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DATA_DIR [^\n]+\n$/);
  });
});

describe('the first start without a key', () => {
  const noKey = { BOOTSTRAP_API_KEY: '', BOOTSTRAP_PLAN: 'developer' };

  test('prints one, and a command that works when it is pasted', async () => {
    await using server = await Server.start(noKey);
    const [, command] = await server.prints(/^(curl .*)\n/m);
    const pasted = Bun.spawnSync(['sh', '-c', command!]);
    expect(pasted.exitCode).toBe(0);
    expect(JSON.parse(pasted.stdout.toString())).toMatchObject({
      status: 'BLOCK',
      schema: { amount: { type: 'mixed', confidence: 0.5 } },
    });
  });

  test('is the only one that prints it', async () => {
    const folder = newFolder();
    const first = await Server.start(noKey, folder);
    const [key] = await first.prints(/sluice_live_\w{43}(?=\n)/);
    await first.kill('SIGTERM');
    await using second = await Server.start(noKey, folder);
    expect((await second.post(batch([row]), { 'X-API-Key': key })).status).toBe(200);
    await second.kill('SIGTERM');
    expect(second.output).not.toContain('sluice_live_');
  });
});

test('on a free port, alerts link to the port that was bound', async () => {
  const { promise, resolve } = Promise.withResolvers<{ data: { url: string } }>();
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      resolve((await request.json()) as { data: { url: string } });
      return new Response();
    },
  });
  await using server = await Server.start({ PORT: '0', ALERT_ALLOW_PRIVATE: 'true' });
  const post = async (path: string, body: object) => {
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${server.url}/v1/alerts/channels${path}`, init)).json();
  };
  const { id } = (await post('', { type: 'webhook', url: receiver.url.href })) as { id: string };
  await post(`/${id}/test`, {});
  expect((await promise).data.url).toStartWith(`${server.url}/#/jobs/`);
  await receiver.stop(true);
});

describe('the log', () => {
  test('has neither keys nor what is in a payload', async () => {
    await using server = await Server.start({ LOG_LEVEL: 'trace' });
    await server.post(batch(ROWS));
    await server.post(batch(ROWS), { 'X-API-Key': `${KEY}x` });
    await server.post('{"source":"process","rows":[{"secret":}]}');
    await server.kill('SIGTERM');
    expect(server.output).toContain('"verdict":"PASS"');
    for (const text of [KEY, 'a@corp.com', 'email', 'secret', '"process"'])
      expect(server.output).not.toContain(text);
    for (const line of server.output.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('the end', () => {
  test('by SIGTERM lets a running upload finish, takes no new connection, and is exit 0', async () => {
    await using server = await Server.start();
    const client = await RawClient.open(server.port);
    const body = batch(ROWS);
    await client.send(head(`Content-Length: ${body.length}`) + body.slice(0, 50));
    await server.post(body);
    const exited = server.kill('SIGTERM');
    await server.prints(/"stopping"/);
    const newcomer = await server.post(body);
    expect([newcomer.status, newcomer.headers.get('connection')]).toEqual([503, 'close']);
    await eventually(async () => expect(RawClient.open(server.port)).rejects.toThrow());
    await client.send(body.slice(50));
    await client.receives(/^HTTP\/1\.1 200 [\s\S]*"timestamp":"[^"]*"\}$/);
    expect(await exited).toBe(0);
  });

  test('by SIGTERM while it still starts is exit 0 as well', async () => {
    const folder = newFolder();
    const { ended, child } = begin({ DATA_DIR: folder });
    await eventually(async () => expect(existsSync(join(folder, 'sluice.sqlite'))).toBe(true));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('by SIGTERM waits no longer than DRAIN_SECONDS for who never ends, and is exit 0', async () => {
    await using server = await Server.start({ DRAIN_SECONDS: '1' });
    const client = await RawClient.open(server.port);
    await client.send(`${head('Content-Length: 100')}{`);
    await server.post(batch(ROWS));
    expect(await server.kill('SIGTERM')).toBe(0);
  });

  test('by a second signal is at once, and exit 1', async () => {
    await using server = await Server.start();
    const client = await RawClient.open(server.port);
    await client.send(`${head('Content-Length: 100')}{`);
    await server.post(batch(ROWS));
    server.child.kill('SIGTERM');
    await server.prints(/"stopping"/);
    // Sooner it is taken for the same one.
    await Bun.sleep(1100);
    expect(await server.kill('SIGTERM')).toBe(1);
  });

  test.each([
    ['npm', (pid: number) => pid],
    ['the process group', (pid: number) => -pid],
  ])(
    'by SIGTERM to %s, where npm start runs it, lets a running upload finish',
    async (_, target) => {
      const folder = newFolder();
      const environment = { PATH: process.env.PATH!, HOME: folder, PORT: '0', DATA_DIR: folder };
      const child = Bun.spawn(['setsid', 'npm', 'start', '--silent'], {
        cwd: join(import.meta.dir, '../..'),
        env: { ...environment, BOOTSTRAP_API_KEY: KEY },
        stdout: 'pipe',
        stderr: 'ignore',
      });
      let output = '';
      const read = (async () => {
        for await (const bytes of child.stdout) output += Buffer.from(bytes).toString();
      })();
      const port = await eventually(async () => Number(/"url":"http:[^"]*:(\d+)"/.exec(output)![1]), 60_000);
      const client = await RawClient.open(port);
      const body = batch(ROWS);
      await client.send(head(`Content-Length: ${body.length}`) + body.slice(0, 50));
      await fetch(`http://127.0.0.1:${port}/v1/health`);
      process.kill(target(child.pid), 'SIGTERM');
      await eventually(async () => expect(output).toContain('"stopping"'));
      await Bun.sleep(200);
      await client.send(body.slice(50));
      await client.receives(/^HTTP\/1\.1 200 [\s\S]*"timestamp":"[^"]*"\}$/);
      await Promise.all([child.exited, read]);
      rmSync(folder, { recursive: true, force: true });
      expect(output.match(/"stopping"/g)).toHaveLength(1);
    },
    240_000,
  );

  test('by kill -9 loses no baseline', async () => {
    const folder = newFolder();
    const first = await Server.start({}, folder);
    expect(await first.report(batch(ROWS))).not.toHaveProperty('drift');
    await first.kill('SIGKILL');
    await using second = await Server.start({}, folder);
    const { drift } = await second.report(batch(ROWS.map(({ id }) => ({ id }))));
    expect(drift).toMatchObject([{ field: 'email', kind: 'field_removed', severity: 'block' }]);
  });
});

test('a log whose disk is full costs its lines, and no request', async () => {
  const port = await freePort();
  const main = join(import.meta.dir, '../../src/main.ts');
  const folder = newFolder();
  const environment = { PORT: String(port), DATA_DIR: folder, BOOTSTRAP_API_KEY: KEY };
  const child = Bun.spawn([process.execPath, main], { env: environment, stdout: Bun.file('/dev/full') });
  using _ = {
    [Symbol.dispose]() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  await eventually(async () => expect((await ask('/v1/ready')).status).toBe(200));
  const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };
  for (let i = 0; i < 5; i++)
    expect((await ask('/v1/screen', { method: 'POST', headers, body: batch(ROWS) })).status).toBe(200);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
}, 240_000);
