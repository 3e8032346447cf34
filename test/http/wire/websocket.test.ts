/** A WebSocket of a connection whose socket does what the test says. */
import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { Connection } from '../../../src/http/wire/connection.ts';
import type { WireRequest } from '../../../src/http/wire/request.ts';
import { type Channel, MAX_TEXT_BYTES } from '../../../src/http/wire/websocket.ts';
import { frameOf } from '../../stream/socket-client.ts';

const IDLE_MS = 1000;

class Upgraded {
  readonly texts: string[] = [];
  readonly written: Buffer[] = [];
  /** Bytes that the kernel takes of each write. */
  room = Number.POSITIVE_INFINITY;
  isTerminated = false;
  channel!: Channel;
  readonly connection: Connection;

  private constructor() {
    const socket = {
      remoteAddress: '127.0.0.1',
      write: (bytes: Uint8Array) => {
        this.written.push(Buffer.from(bytes.subarray(0, this.room)));
        return Math.min(this.room, bytes.length);
      },
      terminate: () => {
        this.isTerminated = true;
      },
      pause() {},
      resume() {},
      shutdown() {},
      end() {},
    };
    const respond = (request: WireRequest) => {
      request.upgrade = channel => {
        this.channel = channel;
        return { text: text => void this.texts.push(text), bytes() {}, stop() {}, closed() {} };
      };
      return new Response(null, { status: 101 });
    };
    const service = { respond, closing: false, idleMs: IDLE_MS };
    this.connection = new Connection(socket as unknown as Socket<Connection>, service);
  }

  static async start(): Promise<Upgraded> {
    const one = new Upgraded();
    one.connection.data(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    while (one.channel === undefined) await Promise.resolve();
    return one;
  }

  /** The code of the last frame, which closes. */
  get closeCode(): number {
    const payload = this.written.at(-1)!;
    return payload.readUInt16BE(0);
  }
}

const FIRST_TEXT = 0x01;
const MORE = 0x00;
const LAST = 0x80;
const EMPTY = new Uint8Array(0);
const BYTE = Buffer.from('x');

const buffersInUse = (): number => {
  Bun.gc(true);
  const { objectTypeCounts: counts } = heapStats();
  return (counts.Buffer ?? 0) + (counts.Uint8Array ?? 0);
};

describe('a text message in many frames', () => {
  test('takes no memory for frames of 0 bytes or of one, however many come', async () => {
    const { connection, texts } = await Upgraded.start();
    connection.data(frameOf(FIRST_TEXT, BYTE));
    const before = buffersInUse();
    for (let i = 0; i < 20_000; i++) {
      connection.data(frameOf(MORE, EMPTY));
      connection.data(frameOf(MORE, BYTE));
    }
    expect(buffersInUse() - before).toBeLessThan(1000);
    connection.data(frameOf(LAST, EMPTY));
    expect(texts).toEqual(['x'.repeat(20_001)]);
  });

  test('may have 256 KiB and not one byte more', async () => {
    const piece = Buffer.alloc(MAX_TEXT_BYTES / 8, 'é');
    const { connection, texts } = await Upgraded.start();
    connection.data(frameOf(FIRST_TEXT, piece));
    for (let i = 0; i < 6; i++) connection.data(frameOf(MORE, piece));
    connection.data(frameOf(LAST, piece));
    expect(texts).toEqual(['é'.repeat(MAX_TEXT_BYTES / 2)]);
    const past = await Upgraded.start();
    past.connection.data(frameOf(FIRST_TEXT, piece));
    for (let i = 0; i < 7; i++) past.connection.data(frameOf(MORE, piece));
    past.connection.data(frameOf(LAST, BYTE));
    expect([past.texts, past.closeCode]).toEqual([[], 1009]);
  });

  test('has nothing of the one before', async () => {
    const { connection, texts } = await Upgraded.start();
    connection.data(frameOf(LAST | FIRST_TEXT, Buffer.from('longer')));
    connection.data(frameOf(FIRST_TEXT, Buffer.from('a')));
    connection.data(frameOf(LAST, Buffer.from('b')));
    connection.data(frameOf(LAST | FIRST_TEXT, EMPTY));
    expect(texts).toEqual(['longer', 'ab', '']);
  });
});

test('a client that is not read from may take longer for a large message than a client of a request may be idle', async () => {
  const upgraded = await Upgraded.start();
  upgraded.channel.pause();
  upgraded.room = 10;
  upgraded.channel.send('x'.repeat(1000));
  upgraded.connection.tick(performance.now() + IDLE_MS + 1);
  expect(upgraded.isTerminated).toBe(false);
});
