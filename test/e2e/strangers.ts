/**
 * What strangers and tenants may send to hold up all others: floods of requests, frames, chunks and connections. Most need no key.
 * Each is sent again and again on some connections, and a connection that the server closes is opened again.
 */
import type { Socket } from 'bun';
import { frameOf } from '../stream/socket-client.ts';
import { KEY } from './server.ts';

export interface Flood {
  connections: number;
  /** Sent once on each connection. */
  opening?: string | Uint8Array;
  /** Sent again and again; empty: nothing. */
  flood: string | Uint8Array;
  /** The client leaves answers unread. */
  isDeaf?: boolean;
  /** The flood comes in segments of so many bytes, one in each turn of the client's event loop. */
  segmentBytes?: number;
}

const request = (line: string, headers = '', body = ''): string =>
  `${line} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;
const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
const KEYED = `X-API-Key: ${KEY}\r\n`;
const unknownKey = (i: number): string => `X-API-Key: sluice_live_${String(i).padStart(43, '0')}\r\n`;
const ONE_BYTE_CHUNKS = '1\r\n \r\n'.repeat(80_000);
const LONG_EXTENSIONS = `1;${'e'.repeat(4000)}\r\n \r\n`.repeat(120);

const upgrade = (headers = ''): string =>
  request(
    'GET /v1/stream',
    `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}`,
  );
const frames = (count: number, first: number, text = ''): Uint8Array =>
  Buffer.concat(Array(count).fill(frameOf(first, Buffer.from(text))));
const [MORE, FIRST_TEXT, TEXT, BINARY, PING] = [0x00, 0x01, 0x81, 0x82, 0x89];
const OPEN = frameOf(TEXT, Buffer.from('{"type":"open","source":"flood"}'));
const stream = Buffer.concat([Buffer.from(upgrade(KEYED)), OPEN]);
const NESTED = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;

const FEW = 8;

export const FLOODS: Record<string, Flood> = {
  'requests without a route': { connections: FEW, flood: request('GET /x').repeat(13_000) },
  'health checks': { connections: FEW, flood: request('GET /v1/health').repeat(13_000) },
  'another method of the screening route': {
    connections: FEW,
    flood: request('GET /v1/screen').repeat(10_000),
  },
  'screenings without a key': {
    connections: FEW,
    flood: request('POST /v1/screen', 'Content-Length: 2\r\n', '{}').repeat(8000),
  },
  'screenings with unknown keys': {
    connections: FEW,
    flood: times(4000, i => request('POST /v1/screen', `${unknownKey(i)}Content-Length: 2\r\n`, '{}')),
  },
  'requests of HTTP/1.0': { connections: FEW, flood: 'GET /x HTTP/1.0\r\n\r\n'.repeat(20_000) },
  'requests that are not valid': {
    connections: FEW,
    flood: 'BREW /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10_000),
  },
  'connections for one request': { connections: 50, flood: request('GET /x', 'Connection: close\r\n') },
  'requests with 100 headers': {
    connections: FEW,
    flood: times(40, i =>
      request(
        'GET /x',
        times(99, j => `X-${i}-${j}: ${'v'.repeat(140)}\r\n`),
      ),
    ),
  },
  'empty lines': { connections: FEW, flood: '\r\n'.repeat(200_000) },
  'heads in segments of a byte': {
    connections: 50,
    flood: request('GET /x', `X-Long: ${'v'.repeat(15_000)}\r\n`),
    segmentBytes: 1,
  },
  'heads without an end': {
    connections: 3000,
    opening: `GET /x HTTP/1.1\r\nX-Long: ${'v'.repeat(15_000)}`,
    flood: '',
  },
  'bodies that are asked for': {
    connections: FEW,
    flood: request('POST /v1/auth/otp', 'Content-Length: 2\r\nExpect: 100-continue\r\n', '{}').repeat(3000),
  },
  'chunks of a byte, without a key': {
    connections: FEW,
    opening: request('POST /v1/screen', CHUNKED),
    flood: ONE_BYTE_CHUNKS,
  },
  'chunks of a byte in a small body': {
    connections: FEW,
    flood: `${request('POST /v1/auth/otp', CHUNKED)}${'1\r\n \r\n'.repeat(60_000)}0\r\n\r\n`,
  },
  'long extensions of chunks': {
    connections: FEW,
    opening: request('POST /v1/auth/otp', CHUNKED),
    flood: LONG_EXTENSIONS,
  },
  trailers: {
    connections: FEW,
    flood: `${request('POST /v1/auth/otp', CHUNKED, '0\r\n')}${'a:\r\n'.repeat(4000)}\r\n`.repeat(20),
  },
  'bodies of 64 MB without a key': {
    connections: FEW,
    opening: request('POST /v1/screen', 'Content-Type: application/json\r\nContent-Length: 64000000\r\n'),
    flood: ' '.repeat(1_000_000),
  },
  'documents of the API': { connections: FEW, flood: request('GET /openapi.json').repeat(1000) },
  'documents of streams': { connections: FEW, flood: request('GET /asyncapi.json').repeat(1000) },
  'answers that are not read': {
    connections: 1000,
    opening: request('GET /docs/swagger-ui-bundle.js').repeat(20),
    flood: '',
    isDeaf: true,
  },
  'requests whose answers are not read': {
    connections: 1000,
    opening: request('GET /x').repeat(13_000),
    flood: '',
    isDeaf: true,
  },
  'upgrades without a frame': { connections: 2000, opening: upgrade(), flood: '' },
  'pings without a key': { connections: FEW, opening: upgrade(), flood: frames(300_000, PING) },
  'empty frames without a key': { connections: FEW, opening: upgrade(), flood: frames(300_000, BINARY) },
  'texts in frames of a byte, without a key': {
    connections: FEW,
    opening: upgrade(),
    flood: Buffer.concat([frames(1, FIRST_TEXT, 'x'), frames(200_000, MORE, 'x')]),
  },
  'open frames that are not valid': {
    connections: FEW,
    opening: Buffer.concat([Buffer.from(upgrade()), frames(1, TEXT, NESTED)]),
    flood: '',
  },
  'blank lines of a stream': {
    connections: FEW,
    opening: stream,
    flood: frames(4, BINARY, '\n'.repeat(500_000)),
  },
  'rows of a byte of a stream': {
    connections: FEW,
    opening: stream,
    flood: frames(4, BINARY, '1\n'.repeat(100_000)),
  },
  'frames of a byte of a stream': { connections: FEW, opening: stream, flood: frames(300_000, BINARY, ' ') },
};

/** Connections that are opened again at most, in a second: an ordinary client's machine has so many ports for a minute. */
const REOPENED_A_SECOND = 400;
const OPENED_TOGETHER = 100;

export class Stranger {
  /** Connections that the server has closed. */
  closed = 0;
  readonly #port: number;
  readonly #flood: Flood;
  readonly #sockets = new Set<Socket<unknown>>();
  #hasEnded = false;

  constructor(port: number, flood: Flood) {
    this.#port = port;
    this.#flood = flood;
  }

  /** Floods until `end`. Resolves when all connections were opened once. */
  async start(): Promise<void> {
    for (let left = this.#flood.connections; left > 0 && !this.#hasEnded; left -= OPENED_TOGETHER)
      await Promise.all(Array.from({ length: Math.min(left, OPENED_TOGETHER) }, () => this.#open()));
  }

  end(): void {
    this.#hasEnded = true;
    for (const socket of this.#sockets) socket.terminate();
  }

  async #open(): Promise<void> {
    const { opening = '', flood, segmentBytes, isDeaf } = this.#flood;
    const bytes = Buffer.from(flood);
    let rest = Buffer.from(opening);
    const more = (socket: Socket<unknown>): void => {
      for (;;) {
        if (rest.length === 0) rest = bytes;
        if (rest.length === 0 || this.#hasEnded) return;
        const next = segmentBytes ? rest.subarray(0, segmentBytes) : rest;
        const sent = socket.write(next);
        if (sent > 0) rest = rest.subarray(sent);
        if (sent < next.length) return;
        if (segmentBytes || bytes.length < 1000) return void setImmediate(more, socket);
      }
    };
    const again = (socket: Socket<unknown>): void => {
      this.#sockets.delete(socket);
      this.closed++;
      if (!this.#hasEnded)
        setTimeout(() => this.#open(), (1000 * this.#flood.connections) / REOPENED_A_SECOND);
    };
    const opened = (socket: Socket<unknown>): void => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      if (isDeaf) (socket as Socket<unknown> & { pause(): void }).pause();
      more(socket);
    };
    await Bun.connect({
      hostname: '127.0.0.1',
      port: this.#port,
      socket: { open: opened, data() {}, drain: more, close: again, error: socket => socket.terminate() },
    }).catch(() => {});
  }
}
