/** Keys in the real program, and the body of a small JSON request as clients of every kind send it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { head, RawClient } from './raw-client.ts';
import { KEY, newFolder, Server } from './server.ts';

const MIB = 1024 * 1024;
const BATCH = JSON.stringify({ source: 'keys', rows: [{ id: 1 }] });
const HEALTH = 'GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n';

let server: Server;
beforeAll(async () => {
  server = await Server.start({ BODY_STALL_SECONDS: '1' });
});
afterAll(() => server[Symbol.asyncDispose]());

const headOf = (framing: string) => head(framing).replace('/v1/screen', '/v1/keys');
const answers = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

async function ask(at: Server, method: string, path: string, key = KEY) {
  const response = await fetch(`${at.url}${path}`, { method, headers: { 'X-API-Key': key } });
  // biome-ignore lint/suspicious/noExplicitAny: what the body holds is what the tests ask
  return { status: response.status, body: (await response.json()) as any };
}

test('a key is made, used, listed, deleted, and used no more', async () => {
  const made = await ask(server, 'POST', '/v1/keys');
  expect(made.status).toBe(201);
  const { key, id } = made.body;
  expect((await server.post(BATCH, { 'X-API-Key': key })).status).toBe(200);
  const { keys } = (await ask(server, 'GET', '/v1/keys', key)).body;
  expect(keys.map((each: { last_used: unknown }) => typeof each.last_used)).toEqual(['string', 'string']);
  expect((await ask(server, 'DELETE', `/v1/keys/${id}`, key)).body.code).toBe('KEY_IN_USE');
  expect((await ask(server, 'DELETE', `/v1/keys/${id}`)).status).toBe(200);
  expect((await server.post(BATCH, { 'X-API-Key': key })).status).toBe(401);
});

test('the end by SIGTERM writes when keys were used', async () => {
  const folder = newFolder();
  const first = await Server.start({}, folder);
  const { key, id } = (await ask(first, 'POST', '/v1/keys')).body;
  await first.post(BATCH, { 'X-API-Key': key });
  const before = (await ask(first, 'GET', '/v1/keys')).body.keys;
  expect(await first.kill('SIGTERM')).toBe(0);
  await using second = await Server.start({}, folder);
  const after = (await ask(second, 'GET', '/v1/keys')).body.keys;
  const used = (keys: { id: string }[]) => keys.find(each => each.id === id);
  expect(used(after)).toEqual(used(before)!);
  expect(used(after)).toMatchObject({ last_used: expect.any(String) });
});

describe('a small body that is refused whole', () => {
  test.each([
    ['Content-Type: text/plain', '{}', 415],
    ['Content-Type: application/json', '{"name"', 400],
    ['Content-Type: application/json', '{"name":7}', 400],
  ])('leaves the connection to the next request: %s, %s', async (type, body, status) => {
    const client = await RawClient.open(server.port);
    const start = headOf(`Content-Length: ${body.length}`).replace('Content-Type: application/json', type);
    await client.send(start + body);
    await client.receives(new RegExp(`^HTTP/1\\.1 ${status} [^]*"code":"[A-Z_]+"\\}$`));
    await client.send(HEALTH);
    await client.receives(/HTTP\/1\.1 200 /);
    client.destroy();
  });
});

describe('a small body that is refused before its end', () => {
  test('is read to its end where the client sends everything before it reads', async () => {
    const client = await RawClient.open(server.port, false);
    await client.send(headOf(`Content-Length: ${8 * MIB}`));
    await client.send(new Uint8Array(8 * MIB).fill(0x20));
    client.read();
    const received = await client.untilClosed();
    expect(client.failure).toBeNull();
    expect(answers(received)).toEqual(['HTTP/1.1 413']);
    expect(received).toMatch(/connection: close/i);
  });

  test.each([
    ['413', `Content-Length: ${MIB}`, ' '.repeat(70_000)],
    ['413', 'Transfer-Encoding: chunked', `${(70_000).toString(16)}\r\n${' '.repeat(70_000)}\r\n`],
    ['408', 'Content-Length: 100', '{'],
    ['408', 'Content-Length: 100', ''],
    ['408', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
  ])(
    'is answered %s where the client pauses, and the connection closes: %s',
    async (status, framing, sent) => {
      const client = await RawClient.open(server.port);
      await client.send(headOf(framing) + sent);
      const received = await client.untilClosed();
      expect(client.failure).toBeNull();
      expect(answers(received)).toEqual([`HTTP/1.1 ${status}`]);
      expect(received).toMatch(/"code":"(PAYLOAD_TOO_LARGE|REQUEST_TIMEOUT)"\}(\r\n0\r\n\r\n)?$/);
    },
  );

  test('has no request in what follows it', async () => {
    const client = await RawClient.open(server.port);
    await client.send(headOf(`Content-Length: ${MIB}`) + ' '.repeat(70_000));
    await client.receives(/PAYLOAD_TOO_LARGE/);
    await client.send(HEALTH.repeat(3));
    expect(answers(await client.untilClosed())).toEqual(['HTTP/1.1 413']);
  });

  test('harms nobody where the client goes away', async () => {
    await using talkative = await Server.start({ LOG_LEVEL: 'debug' });
    const client = await RawClient.open(talkative.port);
    await client.send(`${headOf('Content-Length: 100')}{`);
    client.destroy();
    // A client that goes away looks like one that closes its side and waits for the response.
    await talkative.prints(/"status":400,"code":"INVALID_PARAMETER"/);
    expect((await ask(talkative, 'GET', '/v1/keys')).status).toBe(200);
    expect(talkative.output).not.toContain('"bug"');
  });
});
