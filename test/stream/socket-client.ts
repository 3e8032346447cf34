/** A client of `/v1/stream` that shows each frame as it comes, and a bare connection for frames that no client would send. */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { eventually } from '../servers/process.ts';

export interface Frame {
  type: 'opened' | 'verdict' | 'closed' | 'error';
  stream?: string;
  next_row?: number;
  window?: number;
  first_row?: number;
  last_row?: number;
  report?: { status: string; request_id: string; stats: { rows_received: number } };
  code?: string;
  message?: string;
}

const HEAD = (headers: string) =>
  `GET /v1/stream HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${headers}\r\n`;

/** A frame of a client; `first`: its first byte. */
export function frameOf(first: number, payload: Uint8Array, { isMasked = true } = {}): Buffer {
  const { length } = payload;
  const size = length < 126 ? 0 : length < 0x10000 ? 2 : 8;
  const head = Buffer.alloc(2 + size);
  head[0] = first;
  head[1] = (isMasked ? 128 : 0) | (size === 0 ? length : size === 2 ? 126 : 127);
  if (size === 2) head.writeUInt16BE(length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i & 3]!)]);
}

export const TEXT = 0x81;
export const BINARY = 0x82;

export class RawSocket {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  head = '';
  readonly frames: Frame[] = [];
  readonly pongs: string[] = [];
  /** Code and reason of the close frame. */
  close: { code: number; reason: string } | null = null;
  hasEnded = false;

  constructor(port: number, headers = '') {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.write(HEAD(headers));
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    for (const event of ['end', 'close', 'error']) this.#socket.on(event, () => (this.hasEnded = true));
  }

  /** False if the kernel has taken no more. */
  write(bytes: Uint8Array): boolean {
    return this.#socket.write(bytes);
  }

  say(frame: object): void {
    this.write(frameOf(TEXT, Buffer.from(JSON.stringify(frame))));
  }

  rows(text: string): void {
    this.write(frameOf(BINARY, Buffer.from(text)));
  }

  /** Reads no more. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  cut(): void {
    this.#socket.destroy();
  }

  async frame(type: Frame['type'], count = 1): Promise<Frame> {
    return eventually(async () => {
      const found = this.frames.filter(each => each.type === type);
      if (found.length < count) throw new Error(`${JSON.stringify(this.frames.at(-1))} ${this.head}`);
      return found[count - 1]!;
    });
  }

  get verdicts(): Frame[] {
    return this.frames.filter(({ type }) => type === 'verdict');
  }

  async ended(): Promise<{ code: number; reason: string } | null> {
    await eventually(async () => {
      if (!this.hasEnded) throw new Error('the connection is open');
    });
    return this.close;
  }

  #take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (this.head === '') {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.#bytes.toString('latin1', 0, end);
      this.#bytes = this.#bytes.subarray(end + 4);
    }
    while (this.head.includes(' 101 ') && this.#takeFrame());
  }

  #takeFrame(): boolean {
    const bytes = this.#bytes;
    if (bytes.length < 2) return false;
    const size = bytes[1] === 126 ? 2 : bytes[1] === 127 ? 8 : 0;
    if (bytes.length < 2 + size) return false;
    const length =
      size === 0 ? bytes[1]! : size === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    const end = 2 + size + length;
    if (bytes.length < end) return false;
    const payload = bytes.subarray(2 + size, end);
    this.#bytes = bytes.subarray(end);
    const opcode = bytes[0]! & 15;
    if (opcode === 1) this.frames.push(JSON.parse(payload.toString()) as Frame);
    else if (opcode === 10) this.pongs.push(payload.toString());
    else if (opcode === 8) {
      this.close = { code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
      this.write(frameOf(0x88, payload));
    }
    return true;
  }
}
