/** WebSocket (RFC 6455) on a connection whose upgrade was answered with 101. */
import { freeBuffer } from '../../intake/free-buffer.ts';
import { HeldBytes } from './held.ts';
import { owned } from './owned.ts';
import { ITEM_BYTES, type Turns, TURN_BYTES } from './turns.ts';
import {
  BINARY,
  Broken,
  CLOSE,
  CLOSES,
  headOf,
  MAX_CONTROL_BYTES,
  PING,
  PONG,
  TEXT,
  unmask,
} from './websocket-frame.ts';
import type { Writer } from './writer.ts';

/** What uses a channel. */
export interface ChannelUser {
  text(message: string): void;
  /** A piece of binary data, valid until the call returns. It may end anywhere in a frame or message. */
  bytes(piece: Uint8Array): void;
  /** This process stops: end soon. */
  stop(): void;
  /** The connection has gone. */
  closed(): void;
}

export type OpenChannel = (channel: Channel) => ChannelUser;

interface ChannelSocket {
  pause(): void;
  resume(): void;
  terminate(): void;
}

/** Of a text message, which is control; bytes are taken as they come. */
export const MAX_TEXT_BYTES = 256 * 1024;
/** Control frames and empty frames that a client may send in a second. The empty last frame of a longer message does not count. */
export const MAX_IDLE_FRAMES = 1000;
const PING_AFTER_MS = 20_000;
/** Without a byte for so long the client has gone. */
export const SILENT_MS = 60_000;
/** For the close frame of the client. */
const CLOSE_MS = 2000;

const NOTHING = Buffer.alloc(0);

interface Frame {
  opcode: number;
  isLast: boolean;
  /** A control frame, or an empty frame that is not the last of a longer message. */
  isIdle: boolean;
  /** Bytes of the payload that have not come yet. */
  left: number;
  /** Four bytes; the lowest is for the next byte of the payload. */
  mask: number;
}

export class Channel {
  readonly #socket: ChannelSocket;
  readonly #writer: Writer;
  readonly #turns: Turns;
  /** Closes the connection for writing. */
  readonly #end: () => void;
  #user: ChannelUser | null = null;
  /** Received bytes; those before `#at` are read. */
  #held: Buffer = NOTHING;
  #at = 0;
  /** What has come since. */
  readonly #more = new HeldBytes();
  /** `#kept` bytes of `#held`, from `#first` on, are binary data for the user. They are moved together, because each frame may have few. */
  #first = 0;
  #kept = 0;
  /** Payload of the control frame that is arriving, which may come between the frames of a message. */
  readonly #payload = Buffer.allocUnsafe(MAX_CONTROL_BYTES);
  #payloadBytes = 0;
  #frame: Frame | null = null;
  /** Opcode of the message that is arriving in several frames. */
  #message: number | null = null;
  /** Of a text message that is arriving; it has come as far as `#textBytes`. */
  #text: Buffer = NOTHING;
  #textBytes = 0;
  #activeAt = performance.now();
  #hasPinged = false;
  #closedAt: number | null = null;
  /** The user has paused the channel. */
  #isPaused = false;
  /** Received bytes wait for a later turn. */
  #isWaiting = false;
  /** The socket is not paused. */
  #isReading = true;
  #hasEnded = false;
  /** Control frames and empty frames since the last tick. */
  #idleFrames = 0;
  /** Payload of the last ping that was not answered. */
  #ping: Buffer | null = null;

  constructor(socket: ChannelSocket, writer: Writer, turns: Turns, end: () => void) {
    this.#socket = socket;
    this.#writer = writer;
    this.#turns = turns;
    this.#end = end;
  }

  open(open: OpenChannel): void {
    this.#user = open(this);
  }

  // ---- for the user ----

  send(message: string): void {
    if (this.#closedAt === null) this.#write(TEXT, Buffer.from(message));
  }

  /** Resolves when the kernel has taken what was sent, or the connection has gone. */
  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  pause(): void {
    this.#isPaused = true;
    this.#setReading();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#activeAt = performance.now();
    this.#setReading();
    this.#readLater();
  }

  close(code: number, reason: string): void {
    if (this.#closedAt !== null) return;
    const text = Buffer.from(reason)
      .subarray(0, MAX_CONTROL_BYTES - 2)
      .toString()
      .replace(/\ufffd$/, '');
    const payload = Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(text)]);
    this.#write(CLOSE, payload);
    this.#closedAt = performance.now();
    // The close frame of the client is still to be read.
    this.resume();
  }

  // ---- for the connection ----

  data(bytes: Buffer): void {
    if (this.#hasEnded) return;
    this.#activeAt = performance.now();
    this.#hasPinged = false;
    this.#more.add(bytes);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#turns.run(() => this.#read());
    this.#setReading();
  }

  /** Bytes in memory: received and not read, and those of an incomplete text. */
  get heldBytes(): number {
    return this.#held.length + this.#more.length + this.#text.length;
  }

  stop(): void {
    this.#user?.stop();
  }

  gone(): void {
    this.#hasEnded = true;
    this.#drop();
    this.#closedAt ??= performance.now();
    this.#user?.closed();
  }

  tick(now: number): void {
    this.#idleFrames = 0;
    const silentMs = now - this.#activeAt;
    if (this.#closedAt !== null) {
      if (now - this.#closedAt > CLOSE_MS) this.#socket.terminate();
    } else if (this.#isPaused) return;
    else if (silentMs > SILENT_MS) this.#socket.terminate();
    else if (silentMs > PING_AFTER_MS && !this.#hasPinged) {
      this.#hasPinged = true;
      this.#write(PING, NOTHING);
    }
  }

  get #left(): number {
    return this.#held.length - this.#at;
  }

  /** Reads frames that have arrived, as many as one turn may handle. */
  #read(): void {
    this.#isWaiting = false;
    if (!this.#isPaused) this.#takeMore();
    try {
      this.#readFrames();
      this.#pass();
      this.#answerPing();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.close(error.close, error.message);
      this.#user?.closed();
      this.#finish();
    }
    this.#release();
    this.#setReading();
  }

  #takeMore(): void {
    if (this.#more.length === 0) return;
    const more = this.#more.joined();
    this.#held = this.#left === 0 ? more : Buffer.concat([this.#held.subarray(this.#at), more]);
    this.#at = 0;
    this.#more.clear();
  }

  #readFrames(): void {
    for (let work = 0; !this.#isPaused && !this.#hasEnded; work += ITEM_BYTES) {
      if (work >= TURN_BYTES) {
        this.#readLater();
        return;
      }
      if (this.#frame === null && !this.#readHead()) return;
      work += this.#readPayload(this.#frame!);
      // Its rest has not come.
      if (this.#frame !== null && this.#left === 0) return;
    }
  }

  /** Frees what was read: otherwise a flood fills the memory before garbage is collected. */
  #release(): void {
    const rest = this.#left === 0 ? NOTHING : owned(this.#held.subarray(this.#at));
    if (rest.buffer === this.#held.buffer) return;
    freeBuffer(this.#held);
    this.#held = rest;
    this.#at = 0;
  }

  #drop(): void {
    this.#at = this.#held.length;
    this.#more.clear();
    this.#release();
  }

  #readLater(): void {
    if (this.#isWaiting || this.#left + this.#more.length === 0) return;
    this.#isWaiting = true;
    this.#turns.later(() => this.#read());
  }

  #setReading(): void {
    const isReading = !this.#isPaused && !this.#isWaiting;
    if (isReading === this.#isReading) return;
    this.#isReading = isReading;
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  /** False if the head of the frame has not come as a whole. */
  #readHead(): boolean {
    const [held, at] = [this.#held, this.#at];
    if (this.#left < 2) return false;
    const [first, second] = [held[at]!, held[at + 1]!];
    if ((second & 128) === 0) throw new Broken(CLOSES.protocol, 'Frames of a client must be masked');
    const short = second & 127;
    const size = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (this.#left < 6 + size) return false;
    const left =
      size === 0 ? short : size === 2 ? held.readUInt16BE(at + 2) : Number(held.readBigUInt64BE(at + 2));
    const frame = { opcode: first & 15, isLast: (first & 128) !== 0, left };
    this.#checkHead(first, frame);
    const isIdle = frame.opcode >= CLOSE || (left === 0 && (frame.opcode !== 0 || !frame.isLast));
    this.#frame = { ...frame, isIdle, mask: held.readInt32LE(at + 2 + size) };
    this.#at += 6 + size;
    return true;
  }

  #checkHead(first: number, { opcode, isLast, left }: Pick<Frame, 'opcode' | 'isLast' | 'left'>): void {
    if (first & 0x70) throw new Broken(CLOSES.protocol, 'No extension was agreed on');
    if (opcode >= CLOSE) {
      if (!isLast || left > MAX_CONTROL_BYTES || opcode > PONG)
        throw new Broken(CLOSES.protocol, 'A control frame is not valid');
      return;
    }
    if (opcode > BINARY || (opcode === 0) !== (this.#message !== null))
      throw new Broken(CLOSES.protocol, 'A frame is out of order');
    this.#message ??= opcode;
    if (this.#message === TEXT && this.#textBytes + left > MAX_TEXT_BYTES)
      throw new Broken(CLOSES.tooBig, `A text message may have at most ${MAX_TEXT_BYTES} bytes`);
    if (left > Number.MAX_SAFE_INTEGER) throw new Broken(CLOSES.tooBig, 'A frame is too long');
  }

  /** Reads what has arrived of the payload, at most TURN_BYTES. Returns how many bytes it read. */
  #readPayload(frame: Frame): number {
    const [held, start] = [this.#held, this.#at];
    const bytes = Math.min(frame.left, this.#left, TURN_BYTES);
    const end = start + bytes;
    frame.mask = unmask(held, start, end, frame.mask);
    this.#at = end;
    frame.left -= bytes;
    const isControl = frame.opcode >= CLOSE;
    if (isControl) {
      held.copy(this.#payload, this.#payloadBytes, start, end);
      this.#payloadBytes += bytes;
    } else if (this.#message === TEXT) this.#keep(start, end);
    else this.#gather(start, end);
    if (frame.left > 0) return bytes;
    this.#frame = null;
    if (frame.isIdle) this.#countIdle();
    if (isControl) this.#control(frame.opcode);
    else if (frame.isLast) this.#endMessage();
    return bytes;
  }

  #gather(start: number, end: number): void {
    if (this.#kept === 0) this.#first = start;
    else this.#held.copyWithin(this.#first + this.#kept, start, end);
    this.#kept += end - start;
  }

  /** Passes on what was gathered. */
  #pass(): void {
    const piece = this.#held.subarray(this.#first, this.#first + this.#kept);
    this.#kept = 0;
    if (piece.length > 0 && this.#closedAt === null) this.#user?.bytes(piece);
  }

  #countIdle(): void {
    if (++this.#idleFrames > MAX_IDLE_FRAMES && this.#closedAt === null)
      throw new Broken(CLOSES.policy, `At most ${MAX_IDLE_FRAMES} frames a second may be without data`);
  }

  /** Copies: a piece keeps the whole read of the socket that it came with. */
  #keep(start: number, end: number): void {
    const bytes = this.#textBytes + end - start;
    if (bytes > this.#text.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(bytes, 2 * this.#text.length), MAX_TEXT_BYTES));
      this.#text.copy(larger, 0, 0, this.#textBytes);
      this.#text = larger;
    }
    this.#held.copy(this.#text, this.#textBytes, start, end);
    this.#textBytes = bytes;
  }

  #endMessage(): void {
    const isText = this.#message === TEXT;
    const bytes = this.#text.subarray(0, this.#textBytes);
    this.#message = null;
    this.#text = NOTHING;
    this.#textBytes = 0;
    if (!isText || this.#closedAt !== null) return;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw new Broken(CLOSES.notText, 'A text message must be UTF-8');
    }
    this.#pass();
    this.#user?.text(text);
  }

  #control(opcode: number): void {
    const payload = Buffer.from(this.#payload.subarray(0, this.#payloadBytes));
    this.#payloadBytes = 0;
    if (opcode === CLOSE) {
      this.#pass();
      if (this.#closedAt === null) this.#write(CLOSE, payload.subarray(0, 2));
      this.#closedAt ??= performance.now();
      this.#user?.closed();
      this.#finish();
    } else if (opcode === PING) this.#ping = payload;
  }

  /** Of several pings, answers only the last (RFC 6455, section 5.5.3). A client that reads no pongs gets no more of them. */
  #answerPing(): void {
    const ping = this.#ping;
    this.#ping = null;
    if (ping !== null && this.#closedAt === null && !this.#writer.pending) this.#write(PONG, ping);
  }

  #finish(): void {
    this.#hasEnded = true;
    this.#drop();
    this.#end();
  }

  #write(opcode: number, payload: Buffer): void {
    this.#writer.write(headOf(opcode, payload.length));
    this.#writer.write(payload);
  }
}
