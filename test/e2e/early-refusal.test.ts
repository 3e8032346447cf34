/** A body that is refused while it is still on its way, as clients of every kind see it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { head, RawClient } from './raw-client.ts';
import { KEY, Server } from './server.ts';

const MIB = 1024 * 1024;
let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const rows = (count: number) => `{"source":"early","rows":[${Array(count).fill('{"a":1}').join()}`;
const HEALTH = 'GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const answers = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

describe('a client that sends everything before it reads', () => {
  test.each([
    ['10,001 rows and megabytes after them', rows(10_001), 413, 'PAYLOAD_TOO_LARGE'],
    ['a syntax error at the begin', '{{', 400, 'INVALID_JSON'],
  ])('gets the answer and no reset: %s', async (_, start, status, code) => {
    const client = await RawClient.open(server.port, false);
    await client.send(head(`Content-Length: ${24 * MIB}`));
    await client.send(start);
    await client.send(new Uint8Array(24 * MIB - start.length).fill(0x20));
    client.read();
    const received = await client.untilClosed();
    expect(client.failure).toBeNull();
    expect(answers(received)).toEqual([`HTTP/1.1 ${status}`]);
    expect(received).toContain(code);
    expect(received).toMatch(/connection: close/i);
  });

  test('gets it when the key is wrong and nothing of the body was looked at', async () => {
    const client = await RawClient.open(server.port, false);
    await client.send(head(`Content-Length: ${8 * MIB}`).replace(KEY, 'nobody'));
    await client.send(new Uint8Array(8 * MIB));
    client.read();
    expect(await client.untilClosed()).toContain('AUTH_INVALID');
    expect(client.failure).toBeNull();
  });

  test('gets it where no route is', async () => {
    const client = await RawClient.open(server.port, false);
    await client.send(head(`Content-Length: ${8 * MIB}`).replace('/v1/screen', '/v1/nothing'));
    await client.send(new Uint8Array(8 * MIB));
    client.read();
    expect(await client.untilClosed()).toContain('NOT_FOUND');
    expect(client.failure).toBeNull();
  });

  test('gets it for a body just over the limit', async () => {
    const client = await RawClient.open(server.port, false);
    await client.send(head('Transfer-Encoding: chunked'));
    const size = 33 * MIB;
    await client.send(`${size.toString(16)}\r\n`);
    await client.send(new Uint8Array(size).fill(0x20));
    await client.send('\r\n0\r\n\r\n');
    client.read();
    expect(await client.untilClosed()).toContain('PAYLOAD_TOO_LARGE');
    expect(client.failure).toBeNull();
  });

  test('is an ordinary fetch, too', async () => {
    const response = await server.post(`${rows(10_001)}${','.repeat(8 * MIB)}`);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});

describe('a client that stops sending', () => {
  test.each([
    ['Content-Length: 1000000', (text: string) => text],
    ['Transfer-Encoding: chunked', (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`],
  ])('gets the answer whole without sending more: %s', async (framing, framed) => {
    const client = await RawClient.open(server.port);
    await client.send(head(framing) + framed(rows(10_001)));
    const received = await client.untilClosed();
    expect(answers(received)).toEqual(['HTTP/1.1 413']);
    expect(received).toMatch(/"code":"PAYLOAD_TOO_LARGE"\}(\r\n0\r\n\r\n)?$/);
  });

  test('gets it although the bad byte is in a row so long that the engine waits for more', async () => {
    const client = await RawClient.open(server.port);
    await client.send(head(`Content-Length: ${MIB}`));
    await client.send(`{"source":"early","rows":[{"a":"${'x'.repeat(400_000)}`);
    await client.send('\u0001');
    expect(await client.untilClosed()).toContain('INVALID_JSON');
  });

  test('gets it for a body that says itself that it is too long', async () => {
    const client = await RawClient.open(server.port);
    await client.send(head(`Content-Length: ${33 * MIB}`));
    expect(await client.untilClosed()).toContain('PAYLOAD_TOO_LARGE');
  });

  test('speaks HTTP/1.0', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${head('Content-Length: 100').replace('HTTP/1.1', 'HTTP/1.0')}{{`);
    const received = await client.untilClosed();
    expect(received).toContain('INVALID_JSON');
    expect(received).not.toMatch(/chunked/i);
  });
});

describe('what follows a refusal on its connection', () => {
  test('is no request, behind the rest of the body', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${head('Content-Length: 50000')}{{`);
    await client.receives(/INVALID_JSON/);
    await client.send(' '.repeat(49_998) + HEALTH);
    expect(answers(await client.untilClosed())).toEqual(['HTTP/1.1 400']);
  });

  test('is no request, in the place of the body', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${head('Content-Length: 50000')}{{`);
    await client.receives(/INVALID_JSON/);
    await client.send(HEALTH);
    expect(answers(await client.untilClosed())).toEqual(['HTTP/1.1 400']);
  });

  test('is the next request if the body had arrived whole', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${head('Content-Length: 5')}{{   ${HEALTH}`);
    await client.receives(/HTTP\/1\.1 200 /);
    expect(answers(client.received)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });
});
