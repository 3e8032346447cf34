/**
 * What clients may do on one connection. Bun.serve 1.4 closes it without a response when bytes arrive while a request is
 * being answered; that is why the program reads HTTP itself.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { head, RawClient } from './raw-client.ts';
import { KEY, newFolder, Server } from './server.ts';

/** Less than the ten seconds for which a body may stall. */
const STALL_MS = 9000;

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const SIZES = [100, 12_000, 70_000, 600_000, 5_000_000];
const bodyOf = (size: number, source = 'connection') =>
  `{"source":"${source}","rows":[{"a":1,"note":"${'x'.repeat(size)}"}]}`;
const withLength = (body: string) => head(`Content-Length: ${body.length}`) + body;
const withChunks = (body: string, end = '0\r\n\r\n') => {
  const half = body.length >> 1;
  const chunks = [body.slice(0, half), body.slice(half)];
  return (
    head('Transfer-Encoding: chunked') +
    chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('') +
    end
  );
};
const HEALTH = 'GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

/** Sends all this, and returns the first `count` statuses and whether the connection is still open. */
async function exchange(pieces: string[], count: number) {
  const client = await RawClient.open(server.port);
  for (const piece of pieces) await client.send(piece);
  await client.receives(new RegExp(`(HTTP/1\\.1 \\d+[\\s\\S]*?\\r\\n\\r\\n[\\s\\S]*?){${count}}`));
  // Another request shows that the connection is whole, and that no further response was on its way.
  await client.send(HEALTH);
  await client.receives(new RegExp(`(HTTP/1\\.1 \\d+[\\s\\S]*?\\r\\n\\r\\n[\\s\\S]*?){${count + 1}}`));
  client.destroy();
  return statuses(client.received);
}

describe.each(SIZES)('a batch of %i bytes', size => {
  const body = bodyOf(size);
  test.each([
    ['a request', withLength(body) + HEALTH, [200, 200]],
    ['a request, in chunks', withChunks(body) + HEALTH, [200, 200]],
    ['another batch', withLength(body) + withLength(body), [200, 200]],
    ['five requests', withLength(body) + HEALTH.repeat(5), [200, 200, 200, 200, 200, 200]],
    ['trailers', withChunks(body, '0\r\nX-Sum: 1\r\nX-B: c\r\n\r\n'), [200]],
    ['trailers and a request', withChunks(body, '0\r\nX-Sum: 1\r\n\r\n') + HEALTH, [200, 200]],
    ['a line end', `${withLength(body)}\r\n`, [200]],
    ['line ends and a request', `${withLength(body)}\r\n\r\n${HEALTH}`, [200, 200]],
  ])('and %s behind it in one write are answered in order', async (_, bytes, expected) => {
    expect(await exchange([bytes], expected.length)).toEqual([...expected, 200]);
  });

  test('and a request behind it, sent while the batch is screened, are answered in order', async () => {
    expect(await exchange([withLength(body), HEALTH, '\r\n', HEALTH], 3)).toEqual([200, 200, 200, 200]);
  });

  test('of a client that closes its side after it is answered', async () => {
    const text = await halfClosed(withLength(body));
    expect(statuses(text)).toEqual([200]);
    expect(text).toContain('"request_id"');
  });

  test('that ends early because the client closes its side is a 400 that says so', async () => {
    for (const bytes of [
      withLength(body).slice(0, -10),
      withChunks(body, '').slice(0, -10),
      withChunks(body, ''),
    ]) {
      const text = await halfClosed(bytes);
      expect(statuses(text)).toEqual([400]);
      expect(text).toMatch(/connection: close/i);
      expect(text).toContain('The connection ended in the middle of the body');
    }
  });
});

/** Sends, closes its side, and returns all that comes until the server closes. */
function halfClosed(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.end(bytes),
    );
    let text = '';
    socket.on('data', data => {
      text += data.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(text));
  });
}

test('many requests in one write are each done once, in order', async () => {
  const client = await RawClient.open(server.port);
  const count = 200;
  await client.send(
    Array.from({ length: count }, (_, i) => withLength(bodyOf(i * 100, `pipelined ${i}`))).join(''),
  );
  await client.receives(new RegExp(`"pipelined ${count - 1}"`));
  const sources = [...client.received.matchAll(/"source":"pipelined (\d+)"/g)].map(([, i]) => Number(i));
  expect(sources).toEqual(Array.from({ length: count }, (_, i) => i));
  client.destroy();
});

test.each(['\r\n', '\r\n\r\n'])('a line end before a request is ignored: %j', async start => {
  expect(await exchange([start + HEALTH, start, withLength(bodyOf(10))], 2)).toEqual([200, 200, 200]);
});

test.each(['BREW', 'PROPFIND', 'TRACE', 'CONNECT', 'get', 'M-SEARCH', 'A'.repeat(100)])(
  'the method %s is a 405 that names the known ones, with and without a body',
  async method => {
    for (const rest of ['\r\n', 'Content-Length: 5\r\n\r\nhello', 'Content-Length: 500000\r\n\r\nhello']) {
      const client = await RawClient.open(server.port);
      await client.send(`${method} /v1/health HTTP/1.1\r\nHost: localhost\r\n${rest}`);
      const text = await client.untilClosed();
      expect(client.failure).toBeNull();
      expect(statuses(text)).toEqual([405]);
      expect(text).toMatch(/\r\nallow: GET, HEAD, POST/i);
      expect(text).toContain('METHOD_NOT_ALLOWED');
    }
  },
);

describe('Connection: close', () => {
  test.each([
    ['GET', HEALTH],
    ['POST', withLength(bodyOf(100))],
    ['POST', withChunks(bodyOf(600_000))],
    ['POST', withLength('{}')],
    ['POST', withLength(bodyOf(100)).replace(KEY, 'nobody')],
    ['HTTP/1.0', HEALTH.replace('1.1', '1.0')],
  ])('of a request is answered with it: %s', async (_, bytes) => {
    for (const value of ['close', 'Close, TE', 'keep-alive, CLOSE']) {
      const client = await RawClient.open(server.port);
      await client.send(bytes.replace('Host:', `Connection: ${value}\r\nHost:`) + HEALTH);
      const text = await client.untilClosed();
      expect(statuses(text)).toHaveLength(1);
      expect(text).toMatch(/^HTTP\/1\.1 \d+[\s\S]*\r\nconnection: close\r\n/i);
    }
  });
});

describe('Expect: 100-continue', () => {
  const EXPECTING = head('Content-Length: 5000', 'Expect: 100-continue\r\n');

  test('is answered with 100 Continue where the headers are accepted', async () => {
    const client = await RawClient.open(server.port);
    await client.send(EXPECTING);
    await client.receives(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    await client.send(bodyOf(10).padEnd(5000));
    await client.receives(/"request_id"/);
    expect(statuses(client.received)).toEqual([100, 200]);
    client.destroy();
  });

  test.each([
    ['the key', 401, (text: string) => text.replace(KEY, 'nobody')],
    ['the content type', 415, (text: string) => text.replace('application/json', 'image/png')],
    ['the length', 413, (text: string) => text.replace('5000', '99999999999')],
    ['the address', 404, (text: string) => text.replace('/v1/screen', '/v1/nothing')],
  ])('is refused without it, at once: %s', async (_, status, change) => {
    const client = await RawClient.open(server.port);
    const since = performance.now();
    await client.send(change(EXPECTING));
    const text = await client.untilClosed();
    expect(statuses(text)).toEqual([status]);
    expect(performance.now() - since).toBeLessThan(STALL_MS);
    expect(text).toMatch(/connection: close/i);
  });
});

test('a head that comes too slowly is a 408, and an idle connection is closed', async () => {
  await using hasty = await Server.start({ BODY_STALL_SECONDS: '1', DATA_DIR: newFolder() });
  const [slow, idle] = await Promise.all([RawClient.open(hasty.port), RawClient.open(hasty.port)]);
  const text = HEALTH.slice(0, 40);
  const dripping = setInterval(() => slow.send('x'), 500);
  await slow.send(text);
  expect(statuses(await slow.untilClosed())).toEqual([408]);
  clearInterval(dripping);
  expect(await idle.untilClosed()).toBe('');
}, 240_000);
