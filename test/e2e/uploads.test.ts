/** Bodies as they come over a socket: slow, stalled, broken off, in pieces. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { head, RawClient } from './raw-client.ts';
import { Server } from './server.ts';

const BATCH = '{"source":"uploads","rows":[{"a":1},{"a":"x"}]}';
let server: Server;
beforeAll(async () => {
  server = await Server.start({ BODY_STALL_SECONDS: '1' });
});
afterAll(() => server[Symbol.asyncDispose]());

const answers = (text: string) => text.match(/HTTP\/1\.1 \d+/g);

describe('a client that stalls', () => {
  test('gets a 408, and the next one its report', async () => {
    const client = await RawClient.open(server.port);
    await client.send(head('Content-Length: 1000') + BATCH.slice(0, 20));
    const received = await client.untilClosed();
    expect(answers(received)).toEqual(['HTTP/1.1 408']);
    expect(received).toContain('REQUEST_TIMEOUT');
    expect((await server.post(BATCH)).status).toBe(200);
  });

  test('before its first byte is no different', async () => {
    const client = await RawClient.open(server.port);
    await client.send(head('Content-Length: 1000'));
    expect(await client.untilClosed()).toContain('REQUEST_TIMEOUT');
  });

  test('leaves the engines to others: more stall than there are engines, and a batch is screened', async () => {
    await using patient = await Server.start({ BODY_STALL_SECONDS: '60' });
    const stalled = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(patient.port)));
    await Promise.all(stalled.map(client => client.send(head('Content-Length: 1000'))));
    expect((await patient.post(BATCH)).status).toBe(200);
    for (const client of stalled) {
      expect(client.received).toBe('');
      client.destroy();
    }
  });
});

test('more clients in the middle of their bodies than there are engines leave them to others', async () => {
  await using patient = await Server.start({ BODY_STALL_SECONDS: '60' });
  const stalled = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(patient.port)));
  await Promise.all(
    stalled.map(client => client.send(head(`Content-Length: ${BATCH.length}`) + BATCH.slice(0, 30))),
  );
  expect((await patient.post(BATCH)).status).toBe(200);
  for (const client of stalled) expect(client.received).toBe('');
  // Having given their engines back, they lose nothing of what they had sent.
  await Promise.all(stalled.map(client => client.send(BATCH.slice(30))));
  await Promise.all(stalled.map(client => client.receives(/"rows_received":2/)));
  for (const client of stalled) client.destroy();
});

test('clients that go away in the middle give their engines back', async () => {
  for (let i = 0; i < 20; i++) {
    const client = await RawClient.open(server.port);
    await client.send(head('Content-Length: 1000') + BATCH.slice(0, 30));
    client.destroy();
  }
  expect((await server.post(BATCH)).status).toBe(200);
});

test('more batches at once than there are engines wait for one and are no stall', async () => {
  const texts = Array.from({ length: 30 }, (_, i) => BATCH.replace('uploads', `at-once-${i}`));
  const statuses = await Promise.all(texts.map(async text => (await server.post(text)).status));
  expect(statuses).toEqual(texts.map(() => 200));
});

test('chunks of one byte give the report of the whole', async () => {
  const client = await RawClient.open(server.port);
  const chunks = [...BATCH.replace('uploads', 'pieces')].map(character => `1\r\n${character}\r\n`);
  await client.send(head('Transfer-Encoding: chunked', 'Connection: close\r\n'));
  for (const chunk of chunks) await client.send(chunk);
  await client.send('0\r\n\r\n');
  const pieced = JSON.parse((await client.untilClosed()).split('\r\n\r\n')[1]!);
  const whole = await server.report(BATCH.replace('uploads', 'whole'));
  for (const report of [pieced, whole]) {
    for (const own of ['request_id', 'batch_id', 'latency_ms', 'timestamp']) delete report[own];
    delete report.stats.source;
  }
  expect(pieced).toEqual(whole);
});

// One behind the other without waiting would be pipelining, at which Bun closes the connection.
test('two batches one after the other are two reports on one connection', async () => {
  const client = await RawClient.open(server.port);
  const request = head(`Content-Length: ${BATCH.length}`) + BATCH;
  await client.send(request);
  await client.receives(/HTTP\/1\.1 200[\s\S]*"timestamp":"[^"]*"\}$/);
  await client.send(request);
  await client.receives(/HTTP\/1\.1 200[\s\S]*HTTP\/1\.1 200[\s\S]*"timestamp":"[^"]*"\}$/);
  client.destroy();
});

test('Expect: 100-continue is answered, then the body', async () => {
  const client = await RawClient.open(server.port);
  await client.send(head(`Content-Length: ${BATCH.length}`, 'Expect: 100-continue\r\nConnection: close\r\n'));
  await client.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
  await client.send(BATCH);
  expect(answers(await client.untilClosed())).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
});

test('HTTP/1.0 without Host is served', async () => {
  const client = await RawClient.open(server.port);
  await client.send('GET /v1/health HTTP/1.0\r\n\r\n');
  expect(await client.untilClosed()).toContain('"version":"1.0.0"');
});

test.each([
  'garbage\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  head('Content-Length: -1'),
  head('Content-Length: 3\r\nContent-Length: 4'),
  head('Content-Length: 3\r\nTransfer-Encoding: chunked'),
  `${head('Transfer-Encoding: chunked')}zz\r\n`,
])('what is not HTTP is never a 5xx: %p', async bytes => {
  const client = await RawClient.open(server.port);
  await client.send(bytes);
  expect(await client.untilClosed()).toStartWith('HTTP/1.1 4');
  expect((await fetch(`${server.url}/v1/health`)).status).toBe(200);
});
