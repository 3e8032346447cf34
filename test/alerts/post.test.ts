/** Posts to receivers on this machine that are hostile, or broken. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { MAX_ANSWER_BYTES, MAX_INFORMATIONAL, NotDelivered, Refused } from '../../src/alerts/answer.ts';
import { post, publicOnly } from '../../src/alerts/post.ts';
import { newCertificates } from '../servers/certificates.ts';

/** Far longer than a test may take: whoever waits for it fails. */
const NEVER_MS = 600_000;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const folder = mkdtempSync(join(tmpdir(), 'sluice-post-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A server on a free port that answers the first bytes of each connection. */
async function receiver(answer: (socket: Socket, request: string) => void): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', request => answer(socket, request.toString()));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes without an end, as fast as it is read. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    if (!socket.destroyed && socket.write(text)) setImmediate(more);
  };
  socket.on('drain', more);
  more();
}

/** What became of a message. */
const sent = (url: string, timeoutMs = NEVER_MS): Promise<string> =>
  post({ url, headers: { 'X-Test': 'yes' }, body: '{"é":1}' }, { allowPrivate: true, timeoutMs }).then(
    () => 'delivered',
    (error: NotDelivered) => error.message,
  );

describe('a receiver that is hostile', () => {
  test.each([
    ['103 Early Hints\r\nLink: </a>; rel=preload'],
    ['100 Continue'],
    ['102 Processing\r\nX: y'],
    ['199 '],
  ])('is cut off after a few informational answers: %j', async head => {
    const url = await receiver(socket => pour(socket, `HTTP/1.1 ${head}\r\n\r\n`.repeat(1500)));
    expect(await sent(url)).toBe(`it sent more than ${MAX_INFORMATIONAL} informational answers (1xx)`);
  });

  test('is cut off within an endless informational answer', async () => {
    const url = await receiver(socket => {
      socket.write('HTTP/1.1 103 Early Hints\r\n');
      pour(socket, 'X-Header: x\r\n'.repeat(5000));
    });
    expect(await sent(url)).toBe(`it sent ${MAX_ANSWER_BYTES} bytes without a final status`);
  });

  test('is cut off within an endless first line', async () => {
    const url = await receiver(socket => pour(socket, 'x'.repeat(65_536)));
    expect(await sent(url)).toBe(`it sent ${MAX_ANSWER_BYTES} bytes without a final status`);
  });

  test('is cut off after its status, however long its head and body are', async () => {
    const head = await receiver(socket =>
      pour(socket, `HTTP/1.1 200 OK\r\n${'X-Header: x\r\n'.repeat(5000)}`),
    );
    expect(await sent(head)).toBe('delivered');
    const body = await receiver(socket => pour(socket, `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(65_536)}`));
    expect(await sent(body)).toBe('delivered');
  });

  test('that drips bytes has the time of the whole exchange', async () => {
    const url = await receiver(socket => {
      socket.write('HTTP/1.1 103 Early Hints\r\n');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await sent(url, 100)).toBe('no answer within 0.1 seconds');
  });

  test('that does not answer in HTTP is named as the reason', async () => {
    expect(await sent(await receiver(socket => socket.write('SSH-2.0-x\r\n')))).toBe(
      'its answer is not HTTP/1.1',
    );
    expect(await sent(await receiver(socket => socket.end('HTTP/1.1 20')))).toBe(
      'the connection was closed without an answer',
    );
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n';
    expect(await sent(await receiver(socket => socket.write(upgrade)))).toBe('it answered 101');
  });
});

test('a message has one head and its body, in UTF-8', async () => {
  let got = '';
  const url = await receiver((socket, request) => {
    got = request;
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  });
  expect(await sent(`${url}/a b?c=é#d`)).toBe('delivered');
  const [host] = url.split('//').slice(1);
  expect(got).toBe(
    `POST /a%20b?c=%C3%A9 HTTP/1.1\r\nHost: ${host}\r\nX-Test: yes\r\nContent-Length: 8\r\nConnection: close\r\n\r\n{"é":1}`,
  );
});

test.each([{}, { all: true }])(
  'a name that resolves to a private address is not connected to: %j',
  async options => {
    let connections = 0;
    const url = await receiver(() => {});
    const { promise, resolve } = Promise.withResolvers<Error>();
    const socket = connect({
      host: 'localhost',
      port: Number(new URL(url).port),
      ...options,
      lookup: publicOnly,
    });
    socket.on('connect', () => connections++);
    socket.on('error', resolve);
    expect((await promise).message).toBe('it leads to a private, loopback or link-local address');
    expect(connections).toBe(0);
  },
);

describe('the answer', () => {
  const failure = async (status: number) => {
    const url = await receiver(socket => socket.end(`HTTP/1.1 ${status} x\r\n\r\n`));
    const options = { allowPrivate: true, timeoutMs: NEVER_MS };
    return post({ url, headers: {}, body: '' }, options).catch((error: Error) => error);
  };

  test.each([200, 201, 202, 204, 299])('%i is delivered', async status => {
    expect(await failure(status)).toBeUndefined();
  });

  test.each([400, 401, 403, 404, 409, 410, 413, 422, 424, 426, 428, 430, 451, 499])(
    '%i refuses the message',
    async status => {
      const error = await failure(status);
      expect(error).toBeInstanceOf(Refused);
      expect((error as Error).message).toBe(
        `it answered ${status}, which refuses the message: it is not tried again`,
      );
    },
  );

  test.each([300, 307, 399, 408, 425, 429, 500, 503, 599])('%i is tried again', async status => {
    const error = await failure(status);
    expect(error).toBeInstanceOf(NotDelivered);
    expect(error).not.toBeInstanceOf(Refused);
  });
});

describe('https', () => {
  /** Posts in a process that trusts `ca`. */
  async function sentTo(host: string, ca?: string): Promise<string> {
    const { server } = await newCertificates(folder);
    const both = readFileSync(server);
    const tls = createTlsServer({ key: both, cert: both }, socket => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    });
    tls.on('tlsClientError', () => {});
    await new Promise<void>(resolve => tls.listen(0, '127.0.0.1', resolve));
    closing.push(() => tls.close());
    const url = `https://${host}:${(tls.address() as AddressInfo).port}/`;
    const program = `
      import { post, publicOnly } from ${JSON.stringify(join(import.meta.dir, '../../src/alerts/post.ts'))};
      const options = { allowPrivate: true, timeoutMs: ${NEVER_MS} };
      await post({ url: ${JSON.stringify(url)}, headers: {}, body: '{}' }, options).then(
        () => console.log('delivered'),
        error => console.log(error.message),
      );`;
    const child = Bun.spawn([process.execPath, '-e', program], {
      env: { ...process.env, ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: join(folder, ca) }) },
      stdout: 'pipe',
    });
    return (await new Response(child.stdout).text()).trim();
  }

  test('is delivered if the certificate is for the host and comes from a trusted authority', async () => {
    expect(await sentTo('127.0.0.1', 'ca.pem')).toBe('delivered');
    expect(await sentTo('localhost', 'ca.pem')).toBe('it cannot be reached: ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await sentTo('127.0.0.1')).toBe('it cannot be reached: UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });
});
