import { describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import fc from 'fast-check';
import '../../property/seed.ts';
import { Connection } from '../../../src/http/wire/connection.ts';
import { parseHead } from '../../../src/http/wire/head.ts';
import type { WireRequest } from '../../../src/http/wire/request.ts';
import { READ_BYTES, Turns } from '../../../src/http/wire/turns.ts';
import { FakeSocket } from './fake-socket.ts';

/** A client that sends these pieces to a server that answers with what it has received, each time after a delay. */
class Client extends FakeSocket {
  received = '';
  readonly connection: Connection;

  constructor(
    delay: () => Promise<unknown> = async () => {},
    /** Bytes that the kernel takes at a time. */
    readonly room = Number.POSITIVE_INFINITY,
    hasBody = true,
    turns = new Turns(),
  ) {
    super();
    const respond = async (request: WireRequest) => {
      const reader = request.body?.getReader();
      const pieces: Uint8Array[] = [];
      for (let read = await reader?.read(); read && !read.done; read = await reader!.read())
        pieces.push(read.value);
      await delay();
      if (!hasBody) return new Response();
      return new Response(`${request.method} ${new URL(request.url).pathname} ${Buffer.concat(pieces)}`);
    };
    const service = { respond, closing: false, idleMs: 1000, turns, keep() {} };
    this.connection = new Connection(this as unknown as Socket<Connection>, service);
  }

  write(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, Math.min(this.room, bytes.length));
    this.received += Buffer.from(taken).toString('latin1');
    if (taken.length < bytes.length) setImmediate(() => this.connection.drain());
    return taken.length;
  }

  /** Bodies of the responses so far. */
  get bodies(): string[] {
    const texts = this.received.split('HTTP/1.1 200 OK\r\n').slice(1);
    return texts.map(text => text.slice(text.indexOf('\r\n\r\n') + 4));
  }

  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }

  async settled(until: () => boolean): Promise<void> {
    for (let turns = 0; turns < 2000 && !until(); turns++)
      await new Promise(resolve => setImmediate(resolve));
  }
}

interface Sent {
  method: string;
  path: string;
  body: string;
  framing: 'length' | 'chunks' | 'chunks and trailers';
  before: string;
}

const bytesOf = ({ method, path, body, framing, before }: Sent): string => {
  const start = `${before}${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-A:  b \r\n`;
  if (framing === 'length') return `${start}Content-Length: ${body.length}\r\n\r\n${body}`;
  const half = body.length >> 1;
  const chunks = [body.slice(0, half), body.slice(half)].filter(chunk => chunk !== '');
  const text = chunks.map(chunk => `${chunk.length.toString(16)};a="b"\r\n${chunk}\r\n`).join('');
  const trailers = framing === 'chunks' ? '' : 'X-Sum: 5\r\nX-B:\r\n';
  return `${start}Transfer-Encoding: Chunked\r\n\r\n${text}0\r\n${trailers}\r\n`;
};

const sent: fc.Arbitrary<Sent> = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'DELETE'),
  path: fc.constantFrom('/a', '/b/c', '/v1/%C3%A9'),
  body: fc.oneof(
    fc.constantFrom('', 'x', '\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', '0\r\n\r\n'),
    fc.string({ unit: 'binary-ascii', maxLength: 3000 }),
  ),
  framing: fc.constantFrom('length', 'chunks', 'chunks and trailers'),
  before: fc.constantFrom('', '', '\r\n', '\r\n\r\n'),
});

test('requests split at any bytes, with any delays, get their own responses in order', async () => {
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  const delays = fc.array(fc.nat(3), { minLength: 1, maxLength: 5 });
  const rooms = fc.constantFrom(1, 50, Number.POSITIVE_INFINITY);
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 5 }),
      cuts,
      delays,
      rooms,
      async (all, at, turns, room) => {
        let count = 0;
        const delay = async () => {
          for (let i = turns[count++ % turns.length]!; i > 0; i--)
            await new Promise(resolve => setImmediate(resolve));
        };
        const client = new Client(delay, room);
        const bytes = Buffer.from(`${all.map(bytesOf).join('')}\r\n`, 'latin1');
        const ends = [...new Set([...at.map(cut => cut % bytes.length), bytes.length])].sort((a, b) => a - b);
        let start = 0;
        for (const end of ends) {
          client.connection.data(Buffer.from(bytes.subarray(start, end)));
          start = end;
          if (end % 2) await new Promise(resolve => setImmediate(resolve));
        }
        const expected = all.map(({ method, path, body }) => `${method} ${path} ${body}`);
        await client.settled(
          () => client.bodies.length === all.length && client.bodies.at(-1) === expected.at(-1),
        );
        // A body may hold what looks like a status line, but never that of a 200.
        expect(client.bodies).toEqual(expected);
        expect(client.isShut).toBe(false);
      },
    ),
  );
});

describe('requests that come together', () => {
  const PIPELINED = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n';
  const oneTurn = () => new Promise(resolve => setImmediate(resolve));

  test('are answered one in each turn of the event loop, so that others come in between', async () => {
    const client = new Client();
    client.connection.data(Buffer.from(PIPELINED.repeat(20)));
    let before = 0;
    for (let turns = 0; turns < 100 && before < 20; turns++) {
      await oneTurn();
      expect(client.bodies.length - before).toBeLessThanOrEqual(1);
      before = client.bodies.length;
    }
    expect(before).toBe(20);
  });

  test('are refused one in each turn, too', async () => {
    const client = new Client();
    client.connection.data(Buffer.from(PIPELINED.repeat(3)));
    client.connection.data(Buffer.from('BREW /a HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3)));
    await client.settled(() => client.isShut);
    expect(client.statuses).toEqual([200, 200, 200, 405]);
  });

  test('are all answered to a client that has closed its side, and the last answer closes', async () => {
    const client = new Client();
    client.connection.data(Buffer.from(PIPELINED.repeat(5)));
    client.connection.end();
    await client.settled(() => client.isShut);
    expect(client.bodies).toEqual(Array(5).fill('GET /a '));
    expect(client.isShut).toBe(true);
  });

  test('of many connections are answered a few in each turn', async () => {
    const turns = new Turns();
    const clients = Array.from({ length: 100 }, () => new Client(undefined, undefined, true, turns));
    const answers = () => clients.reduce((sum, { bodies }) => sum + bodies.length, 0);
    for (const { connection } of clients) connection.data(Buffer.from(PIPELINED.repeat(3)));
    await oneTurn();
    // The first ones have not waited.
    let before = answers();
    expect(before).toBeGreaterThanOrEqual(100);
    for (let i = 0; i < 1000 && before < 300; i++) {
      await oneTurn();
      expect(answers() - before).toBeLessThanOrEqual(8);
      before = answers();
    }
    expect(before).toBe(300);
  });

  test('pause the socket while some of them wait', async () => {
    const client = new Client();
    client.connection.data(Buffer.from(PIPELINED.repeat(3000)));
    expect(client.isPaused).toBe(true);
    await client.settled(() => !client.isPaused);
    expect(client.isPaused).toBe(false);
  });
});

describe('what a connection keeps', () => {
  const keeps = ({ connection }: Client) => [connection.keptBytes, connection.silentSince !== null];
  const HEAD = 'GET /a HTTP/1.1\r\nHost: a\r\n';

  test('is nothing when it is idle, and a head that is not complete', async () => {
    const client = new Client();
    expect(keeps(client)).toEqual([0, true]);
    client.connection.data(Buffer.from(HEAD));
    expect(keeps(client)).toEqual([HEAD.length, true]);
    client.connection.data(Buffer.from('\r\n'));
    await client.settled(() => client.bodies.length === 1);
    expect(keeps(client)).toEqual([0, true]);
  });

  test('are requests behind one that is being answered, which the client does not delay', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const client = new Client(() => promise);
    client.connection.data(Buffer.from(`${HEAD}\r\n${HEAD}\r\n`));
    expect(keeps(client)).toEqual([HEAD.length + 2, false]);
    resolve();
    await client.settled(() => client.bodies.length === 2);
    expect(keeps(client)).toEqual([0, true]);
  });

  test('is an answer that the client does not read', async () => {
    const client = new Client(undefined, 0);
    client.connection.data(Buffer.from(`${HEAD}\r\n`));
    await client.settled(() => client.connection.keptBytes > 0);
    expect(keeps(client)).toEqual([expect.any(Number), true]);
    client.connection.cut();
    expect(client.connection.keptBytes).toBe(0);
  });

  test('is nothing of a body that is taken as it comes, and the client is waited for', async () => {
    const client = new Client();
    client.connection.data(Buffer.from('POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1'));
    await client.settled(() => client.connection.keptBytes === 0);
    expect(keeps(client)).toEqual([0, true]);
  });
});

test('a socket that has filled a read is not read again in the same turn, whatever becomes of the bytes', async () => {
  const client = new Client();
  client.connection.data(Buffer.alloc(READ_BYTES, '\r\n'));
  expect(client.isPaused).toBe(true);
  await client.settled(() => !client.isPaused);
  expect(client.isPaused).toBe(false);
  client.connection.data(Buffer.alloc(READ_BYTES - 2, '\r\n'));
  expect(client.isPaused).toBe(false);
});

test('a body in chunks of a byte is read in many turns, while the socket pauses', async () => {
  const client = new Client();
  const chunks = '1\r\na\r\n'.repeat(20_000);
  client.connection.data(
    Buffer.from(`POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`),
  );
  expect(client.isPaused).toBe(true);
  await client.settled(() => !client.isPaused);
  client.connection.data(Buffer.from('0\r\n\r\n'));
  await client.settled(() => client.bodies.length === 1);
  expect(client.bodies).toEqual([`POST /a ${'a'.repeat(20_000)}`]);
});

test('a request that repeats the head before it has its own body, and one that differs in a byte its own head', async () => {
  const client = new Client();
  const heads = ['/a', '/a', '/b', '/a'].map(
    (path, i) => `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n${i}`,
  );
  for (const head of heads) {
    client.connection.data(Buffer.from(head));
    await client.settled(() => client.bodies.length === heads.indexOf(head) + 1);
  }
  await client.settled(() => client.bodies.length === 4);
  expect(client.bodies).toEqual(['POST /a 0', 'POST /a 1', 'POST /b 2', 'POST /a 3']);
});

test('addresses are written as a Request writes them', () => {
  const part = fc.constantFrom(
    'a',
    'B',
    '/',
    '.',
    '..',
    '%2e',
    '%2F',
    '~',
    '?',
    '=',
    '&',
    ':',
    "'",
    '*',
    '-',
  );
  const host = fc.constantFrom('localhost', 'LOCALHOST:80', 'a.b:8080', '127.1', '[::1]:9', 'x-y');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), host, (parts, name) => {
      const target = `/${parts.join('')}`;
      // Segments that `URL` resolves are refused.
      fc.pre(!/^[^?]*\/(\.|%2e){1,2}([/?]|$)/.test(target));
      const { url } = parseHead(`GET ${target} HTTP/1.1\r\nHost: ${name}`);
      expect(url).toBe(new Request(`http://${name}${target}`).url);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['the length of the body to GET, if it is known', true, /\r\nContent-Length: 8\r\n/],
  ['no length, if the body to GET was not made', false, /^(?!.*content-length)/is],
])('HEAD gets %s', async (_, hasBody, expected) => {
  const client = new Client(undefined, undefined, hasBody);
  client.connection.data(Buffer.from('HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n'));
  await client.settled(() => client.received.endsWith('\r\n\r\n'));
  expect(client.received).toMatch(expected);
  expect(client.bodies).toEqual(['']);
});

test('any single byte at a time is one request', async () => {
  const client = new Client();
  for (const byte of Buffer.from(
    bytesOf({ method: 'POST', path: '/a', body: 'hello', framing: 'chunks and trailers', before: '\r\n' }),
  ))
    client.connection.data(Buffer.from([byte]));
  await client.settled(() => client.bodies.length === 1);
  expect(client.bodies).toEqual(['POST /a hello']);
});

test('any bytes get responses or nothing, and never an exception', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'GET / HTTP/1.1\r\n',
      'Host: a\r\n',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\r\n',
      '5\r\n',
      '0\r\n',
      'hello',
      ':',
      ' ',
      '\n',
      '\r',
      '\0',
      'Expect: 100-continue\r\n',
      'POST /x HTTP/1.0\r\n',
    ),
    fc.string({ unit: 'binary-ascii', maxLength: 10 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 15 }), fc.boolean(), async (pieces, ends) => {
      const client = new Client();
      for (const text of pieces) if (text !== '') client.connection.data(Buffer.from(text, 'latin1'));
      if (ends) client.connection.end();
      await client.settled(() => client.isShut);
      for (const status of client.statuses)
        expect([100, 200, 400, 405, 417, 431, 500, 501, 505]).toContain(status);
      if (ends) expect(client.isShut).toBe(true);
    }),
    { numRuns: 100 },
  );
});

const REQUEST = 'POST /x HTTP/1.1\r\nHost: a\r\n';
describe('what could be read in two ways is answered once, and the connection closes', () => {
  test.each<[number, string, string]>([
    [
      400,
      'a length and chunks',
      `${REQUEST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [400, 'two lengths', `${REQUEST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    [400, 'the same length twice', `${REQUEST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
    [400, 'a list of lengths', `${REQUEST}Content-Length: 5, 5\r\n\r\nhello`],
    [400, 'a length with a sign', `${REQUEST}Content-Length: +5\r\n\r\nhello`],
    [400, 'a negative length', `${REQUEST}Content-Length: -5\r\n\r\nhello`],
    [400, 'a hexadecimal length', `${REQUEST}Content-Length: 0x5\r\n\r\nhello`],
    [400, 'an empty length', `${REQUEST}Content-Length:\r\n\r\nhello`],
    [400, 'a length past all doubles', `${REQUEST}Content-Length: 99999999999999999999\r\n\r\nhello`],
    [501, 'another coding', `${REQUEST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    [
      501,
      'chunked twice',
      `${REQUEST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [501, 'chunked with a vertical tab', `${REQUEST}Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n`],
    [400, 'chunks in HTTP/1.0', 'POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [400, 'a space before the colon', `${REQUEST}Content-Length : 5\r\n\r\nhello`],
    [400, 'a folded header', `${REQUEST}X-A: b\r\n c\r\n\r\n`],
    [400, 'a header without a name', `${REQUEST}: b\r\n\r\n`],
    [400, 'a header without a colon', `${REQUEST}X-A\r\n\r\n`],
    [400, 'a NUL in a header', `${REQUEST}X-A: a\0b\r\n\r\n`],
    [400, 'a line that ends in LF', 'POST /x HTTP/1.1\nHost: a\r\n\r\n'],
    [400, 'a CR alone', `${REQUEST}X-A: b\rX-C: d\r\n\r\n`],
    [400, 'no host', 'GET /x HTTP/1.1\r\n\r\n'],
    [400, 'two hosts', `${REQUEST}Host: b\r\n\r\n`],
    [400, 'a host that is a path', 'GET /x HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    [400, 'a host with a user', 'GET /x HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    [400, 'a fragment', 'DELETE /v1/schema/a#b HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'a step up', 'DELETE /v1/schema/../keys/x HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'an encoded step up', 'DELETE /v1/schema/x/%2e%2E HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'a step up behind a backslash', 'GET http://a/v1\\.. HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'a backslash', 'DELETE /v1/schema/a\\b HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'a backslash at the end', 'DELETE /v1/schema\\ HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'two sources', `${REQUEST}X-Source: a\r\nX-Source: a\r\n\r\n`],
    [400, 'a step nowhere', 'GET /v1/schema/a/./b?x HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'an invalid address', 'GET x HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'a space in the address', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
    [400, 'a space before the method', ' GET /x HTTP/1.1\r\nHost: a\r\n\r\n'],
    [505, 'another version', 'GET /x HTTP/2.0\r\nHost: a\r\n\r\n'],
    [405, 'an unknown method', 'BREW /x HTTP/1.1\r\nHost: a\r\n\r\n'],
    [405, 'a method in lower case', 'get /x HTTP/1.1\r\nHost: a\r\n\r\n'],
    [405, 'a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    [417, 'another expectation', `${REQUEST}Expect: tea\r\n\r\n`],
    [431, 'a head that is too long', `${REQUEST}X-A: ${'a'.repeat(17_000)}\r\n\r\n`],
    [431, 'a head without an end', `${REQUEST}X-A: ${'a'.repeat(17_000)}`],
    [431, 'too many headers', `${REQUEST}${'A: b\r\n'.repeat(101)}\r\n`],
  ])('%i: %s', async (status, _, text) => {
    const client = new Client();
    client.connection.data(Buffer.from(`${text}GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`, 'latin1'));
    await client.settled(() => client.isShut);
    expect(client.statuses).toEqual([status]);
    expect(client.received).toContain('Connection: close\r\n');
    expect(client.received).toMatch(/"code":"(INVALID_PARAMETER|METHOD_NOT_ALLOWED)"\}$/);
    expect(client.isShut).toBe(true);
  });

  test.each([
    ['an invalid size', 'g\r\n'],
    ['a size with a sign', '+5\r\nhello\r\n0\r\n\r\n'],
    ['a size with a prefix', '0x5\r\nhello\r\n0\r\n\r\n'],
    ['an empty size', '\r\n'],
    ['a size past all doubles', `${'f'.repeat(14)}\r\n`],
    ['a size line that ends in LF', '5\nhello\r\n0\r\n\r\n'],
    ['a chunk that is longer than its size', '5\r\nhello!\r\n0\r\n\r\n'],
    ['a chunk without its line end', '5\r\nhello0\r\n\r\n'],
    ['a trailer without a name', '0\r\n: b\r\n\r\n'],
    ['a request as a trailer', '0\r\nGET /x HTTP/1.1\r\n\r\n'],
    ['trailers without end', `0\r\n${'A: b\r\n'.repeat(20_000)}`],
    ['an extension without end', `5;${'a'.repeat(5000)}`],
  ])('chunks with %s', async (_, chunks) => {
    const client = new Client();
    client.connection.data(
      Buffer.from(
        `${REQUEST}Transfer-Encoding: chunked\r\n\r\n${chunks}GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
      ),
    );
    await client.settled(() => client.isShut);
    expect(client.bodies.filter(body => body.includes('smuggled'))).toEqual([]);
    expect(client.statuses).toHaveLength(1);
    expect(client.isShut).toBe(true);
  });
});

describe('a head', () => {
  const headOf = (target: string, more = '') => parseHead(`GET ${target} HTTP/1.1\r\nHost: a:80${more}`);

  test.each([
    ['/v1/schema/\xc3\xa9', 'http://a/v1/schema/%C3%A9'],
    ['http://other/x?y', 'http://a/x?y'],
    ['HTTP://other', 'http://a/'],
    ['/a//b/%2F?c=d?e', 'http://a/a//b/%2F?c=d?e'],
    ['//other/x', 'http://a//other/x'],
    ['/x?a\\b', 'http://a/x?a\\b'],
  ])('with the target %s names the address %s', (target, url) => {
    expect(new Request(headOf(target).url).url.toLowerCase()).toBe(url.toLowerCase());
  });

  test.each([
    ['', false],
    ['\r\nConnection: close', true],
    ['\r\nConnection: Close, TE', true],
    ['\r\nConnection: TE\r\nConnection: CLOSE', true],
    ['\r\nConnection: keep-alive', false],
    ['\r\nConnection: closed', false],
  ])('%j closes the connection: %p', (more, close) => {
    expect(headOf('/', more).close).toBe(close);
  });
});

describe('100 Continue', () => {
  const EXPECTING = `${REQUEST}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`;

  test('is sent when the body is wanted, once, before the response', async () => {
    const client = new Client();
    client.connection.data(Buffer.from(EXPECTING));
    await client.settled(() => client.received !== '');
    expect(client.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.connection.data(Buffer.from('hello'));
    await client.settled(() => client.bodies.length === 1);
    expect(client.statuses).toEqual([100, 200]);
  });

  test('is not sent to HTTP/1.0', async () => {
    const client = new Client();
    client.connection.data(Buffer.from(EXPECTING.replace('1.1', '1.0')));
    await client.settled(() => client.received !== '');
    expect(client.received).toBe('');
  });
});
