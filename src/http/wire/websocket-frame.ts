/** Frames of WebSocket (RFC 6455, section 5) as bytes. */
import { createHash } from 'node:crypto';

/** Opcodes. From `CLOSE` on they are control frames. */
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

/** Longest payload of a control frame. */
export const MAX_CONTROL_BYTES = 125;

export const CLOSES = {
  normal: 1000,
  goingAway: 1001,
  protocol: 1002,
  notText: 1007,
  policy: 1008,
  tooBig: 1009,
  internal: 1011,
  tryLater: 1013,
} as const;

/** A fault of the client, after which the connection closes with the code `close`. */
export class Broken extends Error {
  constructor(
    readonly close: number,
    message: string,
  ) {
    super(message);
  }
}

/** The head of a frame that is the last of its message. */
export function headOf(opcode: number, length: number): Buffer {
  if (length <= MAX_CONTROL_BYTES) return Buffer.from([128 | opcode, length]);
  if (length < 0x10000) return Buffer.from([128 | opcode, 126, length >> 8, length & 255]);
  const head = Buffer.alloc(10);
  head[0] = 128 | opcode;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** Unmasks in place. Returns the mask for the next byte. */
export function unmask(bytes: Buffer, start: number, end: number, mask: number): number {
  let next = mask;
  for (let i = start; i < end; i++) {
    bytes[i]! ^= next & 255;
    next = (next >>> 8) | (next << 24);
  }
  return next;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** `Sec-WebSocket-Accept` for `Sec-WebSocket-Key`. */
export const acceptOf = (key: string): string =>
  createHash('sha1')
    .update(key + GUID)
    .digest('base64');
