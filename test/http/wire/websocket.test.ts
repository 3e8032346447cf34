/** A WebSocket of a connection whose socket does what the test says. */
import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { Connection } from '../../../src/http/wire/connection.ts';
import type { WireRequest } from '../../../src/http/wire/request.ts';
import { ITEM_BYTES, TURN_BYTES, Turns } from '../../../src/http/wire/turns.ts';
import { type Channel, MAX_IDLE_FRAMES, MAX_TEXT_BYTES } from '../../../src/http/wire/websocket.ts';
import { BINARY, frameOf } from '../../stream/socket-client.ts';
import { FakeSocket } from './fake-socket.ts';

const IDLE_MS = 1000;

class Upgraded extends FakeSocket {
  readonly texts: string[] = [];
  readonly written: Buffer[] = [];
  /** Bytes that the kernel takes of each write. */
  room = Number.POSITIVE_INFINITY;
  /** Sizes of the pieces of binary messages. */
  readonly pieces: number[] = [];
  channel!: Channel;
  readonly connection: Connection;

  private constructor() {
    super();
    const respond = (request: WireRequest) => {
      request.upgrade = channel => {
        this.channel = channel;
        return {
          text: text => void this.texts.push(text),
          bytes: piece => void this.pieces.push(piece.length),
          stop() {},
          closed() {},
        };
      };
      return new Response(null, { status: 101 });
    };
    const service = { respond, closing: false, idleMs: IDLE_MS, turns: new Turns(), keep() {} };
    this.connection = new Connection(this as unknown as Socket<Connection>, service);
  }

  write(bytes: Uint8Array): number {
    this.written.push(Buffer.from(bytes.subarray(0, this.room)));
    return Math.min(this.room, bytes.length);
  }

  static async start(): Promise<Upgraded> {
    const one = new Upgraded();
    one.connection.data(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    while (one.channel === undefined) await Promise.resolve();
    return one;
  }

  /** Resolves when nothing of it waits for a turn. */
  async receive(...frames: Uint8Array[]): Promise<void> {
    for (const frame of frames) {
      this.connection.data(Buffer.from(frame));
      for (let turns = 0; turns < 3; turns++) await new Promise(resolve => setImmediate(resolve));
    }
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
    const upgraded = await Upgraded.start();
    const both = Buffer.concat([frameOf(MORE, EMPTY), frameOf(MORE, BYTE)]);
    await upgraded.receive(frameOf(FIRST_TEXT, BYTE));
    const before = buffersInUse();
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 100; j++) upgraded.connection.data(Buffer.from(both));
      await upgraded.receive(EMPTY);
      upgraded.connection.tick(performance.now());
    }
    expect(buffersInUse() - before).toBeLessThan(1000);
    await upgraded.receive(frameOf(LAST, EMPTY));
    expect(upgraded.texts).toEqual(['x'.repeat(20_001)]);
  });

  test('may have 256 KiB and not one byte more', async () => {
    const piece = Buffer.alloc(MAX_TEXT_BYTES / 8, 'é');
    const most = await Upgraded.start();
    const pieces = (count: number) => Array.from({ length: count }, () => frameOf(MORE, piece));
    await most.receive(frameOf(FIRST_TEXT, piece), ...pieces(6), frameOf(LAST, piece));
    expect(most.texts).toEqual(['é'.repeat(MAX_TEXT_BYTES / 2)]);
    const past = await Upgraded.start();
    await past.receive(frameOf(FIRST_TEXT, piece), ...pieces(7), frameOf(LAST, BYTE));
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

describe('many frames that come together', () => {
  const PING = 0x89;
  const PONG_HEAD = Buffer.from([0x8a, 1]);
  const many = (count: number, first: number, payload: (i: number) => string) =>
    Buffer.concat(Array.from({ length: count }, (_, i) => frameOf(first, Buffer.from(payload(i)))));

  test('of pings get one pong, to the last', async () => {
    const upgraded = await Upgraded.start();
    const before = upgraded.written.length;
    await upgraded.receive(many(200, PING, i => String(i % 10)));
    expect(upgraded.written.slice(before)).toEqual([PONG_HEAD, Buffer.from('9')]);
  });

  test('are read in several turns, while the socket pauses', async () => {
    const upgraded = await Upgraded.start();
    const frames = TURN_BYTES / ITEM_BYTES + 1;
    upgraded.connection.data(many(frames, LAST | FIRST_TEXT, () => ''));
    expect([upgraded.texts.length, upgraded.isPaused]).toEqual([frames - 1, true]);
    await upgraded.receive(EMPTY);
    expect([upgraded.texts.length, upgraded.isPaused]).toEqual([frames, false]);
  });

  test('of data are passed on in one piece for each turn', async () => {
    const upgraded = await Upgraded.start();
    const payload = Buffer.alloc(10 * TURN_BYTES, 'x');
    upgraded.connection.data(frameOf(LAST | BINARY, payload));
    expect(upgraded.pieces).toEqual([TURN_BYTES]);
    for (let i = 0; i < 10; i++) await upgraded.receive(EMPTY);
    expect(upgraded.pieces).toEqual(Array(10).fill(TURN_BYTES));
  });

  test.each([
    ['pings', PING],
    ['empty messages', LAST | FIRST_TEXT],
  ])('may be %s 1000 times in a second, and not once more', async (_, first) => {
    const upgraded = await Upgraded.start();
    for (let second = 0; second < 2; second++) {
      for (let i = 0; i < 10; i++) await upgraded.receive(many(MAX_IDLE_FRAMES / 10, first, () => ''));
      upgraded.connection.tick(performance.now());
    }
    const before = upgraded.written.length;
    for (let i = 0; i < 10; i++) await upgraded.receive(many(MAX_IDLE_FRAMES / 10, first, () => ''));
    expect(upgraded.isShut).toBe(false);
    await upgraded.receive(frameOf(first, EMPTY));
    expect(upgraded.isShut).toBe(true);
    expect(upgraded.written.length).toBeGreaterThan(before);
    expect(upgraded.closeCode).toBe(1008);
  });

  test('may each end a message', async () => {
    const upgraded = await Upgraded.start();
    const message = Buffer.concat([frameOf(FIRST_TEXT, BYTE), frameOf(LAST, EMPTY)]);
    for (let i = 0; i < 30; i++) await upgraded.receive(Buffer.concat(Array(100).fill(message)));
    expect(upgraded.texts).toHaveLength(3000);
    expect(upgraded.isShut).toBe(false);
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
