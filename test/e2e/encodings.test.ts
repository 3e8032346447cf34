/** Compressed bodies and NDJSON over a socket: refused in the middle, broken off, bombs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { BOMBS, CODINGS, ENCODE, FLUSHED } from '../intake/codings.ts';
import { head, RawClient } from './raw-client.ts';
import { KEY, Server } from './server.ts';

const MIB = 1024 * 1024;
const BATCH = '{"source":"coded","rows":[{"a":1},{"a":"x"}]}';
let server: Server;
beforeAll(async () => {
  server = await Server.start({ BODY_STALL_SECONDS: '30' });
});
afterAll(() => server[Symbol.asyncDispose]());

const answers = (text: string) => text.match(/HTTP\/1\.1 \d+/g);
const coded = (coding: string, length: number) =>
  head(`Content-Length: ${length}`, `Content-Encoding: ${coding}\r\n`);
const lines = `POST /v1/screen HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nX-Source: lines\r\nContent-Type: application/x-ndjson\r\n`;

describe.each(CODINGS)('%s', coding => {
  test('is screened when it comes in two pieces with a pause between', async () => {
    const bytes = ENCODE[coding](BATCH);
    const client = await RawClient.open(server.port);
    await client.send(coded(coding, bytes.length));
    await client.send(bytes.subarray(0, 10));
    await Bun.sleep(300);
    await client.send(bytes.subarray(10));
    await client.receives(/"rows_received":2/);
    client.destroy();
  });

  test('is refused as soon as the bad byte is there, for a client that pauses', async () => {
    const client = await RawClient.open(server.port);
    const rows = `{"source":"coded","rows":[${Array(10_001).fill('{"a":1}').join()}`;
    await client.send(coded(coding, MIB));
    await client.send(FLUSHED[coding](rows));
    const received = await client.untilClosed();
    expect(answers(received)).toEqual(['HTTP/1.1 413']);
    expect(received).toContain('10,000 rows');
  });

  test('that is damaged is refused without waiting for the rest', async () => {
    const client = await RawClient.open(server.port);
    await client.send(coded(coding, MIB));
    await client.send(new Uint8Array(1000).fill(0xee));
    expect(await client.untilClosed()).toContain('INVALID_ENCODING');
  });

  test('is a bomb that is cut at the limit, and the next request is answered', async () => {
    const bomb = await BOMBS[coding]();
    const bombs = Array.from({ length: 4 }, () =>
      fetch(`${server.url}/v1/screen`, {
        method: 'POST',
        body: bomb,
        headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', 'Content-Encoding': coding },
      }),
    );
    for (const response of await Promise.all(bombs)) {
      expect(response.status).toBe(413);
      expect(await response.text()).toContain('33,554,432 bytes');
    }
    expect((await server.post(BATCH)).status).toBe(200);
  });
});

test('clients that go away in the middle of a compressed body give their engines back', async () => {
  for (let i = 0; i < 20; i++) {
    const client = await RawClient.open(server.port);
    await client.send(coded('zstd', 1000));
    await client.send(FLUSHED.zstd(BATCH.slice(0, 30)));
    client.destroy();
  }
  expect((await server.post(BATCH)).status).toBe(200);
});

test('more clients in the middle of compressed bodies than there are engines lose nothing', async () => {
  const bytes = ENCODE.gzip(BATCH);
  const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(server.port)));
  for (const client of clients) {
    await client.send(coded('gzip', bytes.length));
    await client.send(bytes.subarray(0, 40));
  }
  expect((await server.post(BATCH)).status).toBe(200);
  await Promise.all(clients.map(client => client.send(bytes.subarray(40))));
  await Promise.all(clients.map(client => client.receives(/"rows_received":2/)));
  for (const client of clients) client.destroy();
});

test('a coding that nobody knows is refused before the body, with those that are known', async () => {
  const client = await RawClient.open(server.port);
  await client.send(coded('compress', MIB));
  const received = await client.untilClosed();
  expect(answers(received)).toEqual(['HTTP/1.1 415']);
  expect(received).toMatch(/accept-encoding: gzip, deflate, br, zstd/i);
});

describe('NDJSON', () => {
  test('is refused at the line feed inside a row, for a client that pauses', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${lines}Content-Length: 1000\r\n\r\n{"a":1}\n{"a":[1,\n`);
    const received = await client.untilClosed();
    expect(answers(received)).toEqual(['HTTP/1.1 400']);
    expect(received).toContain('Line 2 is not JSON');
  });

  test('is refused when row 10,001 begins', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${lines}Content-Length: ${MIB}\r\n\r\n${'{"a":1}\n'.repeat(10_000)}{`);
    expect(await client.untilClosed()).toContain('PAYLOAD_TOO_LARGE');
  });

  test('may end without a line feed', async () => {
    const client = await RawClient.open(server.port);
    await client.send(`${lines}Content-Length: 15\r\n\r\n{"a":1}\n{"a":2}`);
    await client.receives(/"rows_received":2/);
    client.destroy();
  });
});
