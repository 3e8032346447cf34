/**
 * One client's connection: requests in, responses out, one after the other.
 *
 * Bun.serve closes a connection without a response when bytes arrive while a request is being answered: the next request,
 * the trailers of a chunked body, or a line end after a body. It also closes without a response for unknown methods and for
 * a body that ends early, answers `Expect: 100-continue` before the application can reject, and does not announce that it
 * closes. So this server reads HTTP itself. It keeps early bytes until the response before is complete.
 *
 * After the last response the connection is closed for writing, and what the client still sends is read for a moment and
 * discarded: with unread bytes the kernel would send a reset, which can destroy a response on its way.
 */
import type { Socket } from 'bun';
import { Rejection } from '../../terms/errors.ts';
import { RequestBody } from './body.ts';
import { errorResponse, malformed, WireFault } from './fault.ts';
import { ChunkedFraming, type Framing, LengthFraming } from './framing.ts';
import { HeldBytes } from './held.ts';
import { owned } from './owned.ts';
import { type Head, MAX_HEAD_BYTES, parseHead } from './head.ts';
import { WireRequest } from './request.ts';
import { type Output, sendResponse, switchingHead } from './response.ts';
import { READ_BYTES, type Turns } from './turns.ts';
import { Channel, type OpenChannel } from './websocket.ts';
import { Writer } from './writer.ts';

/** Bun has these methods, but not their types. */
export type TcpSocket = Socket<Connection> & { pause(): void; resume(): void };

export interface Service {
  respond(request: WireRequest): Response | Promise<Response>;
  /** No further request is read. */
  readonly closing: boolean;
  idleMs: number;
  turns: Turns;
  /** Notes by how many bytes the memory of a connection has grown; negative: it has shrunk. */
  keep(bytes: number): void;
}

/** Bytes of a body that wait for the application. One read of the socket may pass it: it has at most 512 KiB. */
const MAX_QUEUED_BYTES = 256 * 1024;
/** Bytes of later requests that wait for the response before. */
const MAX_HELD_BYTES = 64 * 1024;
const LINGER_MS = 2000;
const MAX_LINGER_BYTES = 64 * 1024 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n');

export class Connection {
  readonly #socket: TcpSocket;
  readonly #service: Service;
  readonly #writer: Writer;
  /** Not yet read as a part of a request. */
  readonly #held = new HeldBytes();
  /** Of the body that is arriving. */
  #framing: Framing | null = null;
  #body: RequestBody | null = null;
  /** The last request's. Many clients repeat it. */
  #headText = '';
  #head: Head | null = null;
  /** From the start of a request until the next one may begin. */
  #isAnswering = false;
  /** Received bytes wait for a later turn. */
  #isWaiting = false;
  /** The connection speaks WebSocket. */
  #channel: Channel | null = null;
  /** The socket is paused. */
  #isPaused = false;
  #isChannelPaused = false;
  #isResting = false;
  #hasEnded = false;
  #isBroken = false;
  #lingerSince: number | null = null;
  #lingerBytes = 0;
  #activeAt = performance.now();
  #headSince: number | null = null;
  /** Bytes in memory, as `#count` last told the service. */
  #keptBytes = 0;

  constructor(socket: Socket<Connection>, service: Service) {
    this.#socket = socket as TcpSocket;
    this.#service = service;
    this.#writer = new Writer(socket);
  }

  // ---- events of the socket ----

  data(bytes: Buffer): void {
    this.#activeAt = performance.now();
    if (bytes.length >= READ_BYTES) this.#rest();
    if (this.#lingerSince !== null) {
      this.#lingerBytes += bytes.length;
      if (this.#lingerBytes > MAX_LINGER_BYTES) this.#socket.terminate();
      return;
    }
    if (this.#channel === null) {
      this.#held.add(bytes);
      this.#advance();
    } else this.#channel.data(bytes);
    this.#count();
  }

  /** Stops reading the socket until a later turn. */
  #rest(): void {
    this.#isResting = true;
    this.#service.turns.later(() => {
      this.#isResting = false;
      this.#setPaused();
    });
    this.#setPaused();
  }

  drain(): void {
    this.#activeAt = performance.now();
    this.#writer.drain();
    this.#count();
  }

  /** The client sends no more, but may still read. */
  end(): void {
    this.#hasEnded = true;
    if (this.#channel !== null) this.#linger();
    else if (this.#framing !== null)
      this.#failBody(`The connection ended in the middle of the body, after ${this.#framing.progress}`);
    else if (this.#lingerSince !== null || (!this.#isAnswering && this.#held.length === 0))
      this.#socket.end();
    else if (!this.#isAnswering) this.#reject(malformed('The connection ended in the middle of a request'));
  }

  close(): void {
    this.#held.clear();
    this.#writer.close();
    this.#channel?.gone();
    this.#body?.fail(new Error('the client has disconnected'));
    this.#count();
  }

  /** Bytes in memory that were received and not consumed, or not sent yet. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** When the client last did something, if the connection waits for the client; null while a request is being answered, and for a WebSocket. */
  get silentSince(): number | null {
    if (this.#writer.pending) return this.#activeAt;
    const isBusy = this.#channel !== null || (this.#isAnswering && this.#framing === null);
    return isBusy && this.#lingerSince === null ? null : this.#activeAt;
  }

  /** Ends the connection without an answer. */
  cut(): void {
    this.#socket.terminate();
    this.close();
  }

  #count(): void {
    const { unsentBytes } = this.#writer;
    const kept =
      this.#held.length + (this.#body?.queuedBytes ?? 0) + (this.#channel?.heldBytes ?? 0) + unsentBytes;
    const more = kept - this.#keptBytes;
    this.#keptBytes = kept;
    if (more !== 0) this.#service.keep(more);
  }

  /** To be called every second. */
  tick(now: number): void {
    if (this.#lingerSince !== null && now - this.#lingerSince > LINGER_MS) this.#socket.terminate();
    else if (this.#channel !== null) this.#channel.tick(now);
    else if (this.#writer.pending && now - this.#activeAt > this.#service.idleMs) this.#socket.terminate();
    else if (this.#isAnswering) return;
    else if (this.#headSince !== null && now - this.#headSince > this.#service.idleMs) this.#late();
    else if (
      this.#headSince === null &&
      (this.#service.closing || now - this.#activeAt > this.#service.idleMs)
    )
      this.#linger();
  }

  /** Rejects an incomplete head. Takes a turn for it, because thousands may be late at once. */
  #late(): void {
    this.#isAnswering = true;
    const fault = new WireFault(408, 'The head of the request was not complete in time', 'REQUEST_TIMEOUT');
    this.#service.turns.later(() => this.#reject(fault));
  }

  /** The process stops. Requests that are being answered go on. */
  stop(): void {
    this.#channel?.stop();
  }

  // ---- requests ----

  #advance(): void {
    try {
      while (this.#held.length > 0 && this.#lingerSince === null && !this.#isWaiting) {
        if (this.#framing !== null) this.#feedBody(this.#framing);
        else if (this.#isAnswering) break;
        else if (!this.#startRequest()) break;
      }
    } catch (error) {
      this.#failRequest(error);
    }
    this.#held.own();
    this.#setPaused();
  }

  #feedBody(framing: Framing): void {
    const body = this.#body!;
    this.#held.skip(framing.feed(this.#held.joined(), bytes => body.push(owned(bytes))));
    if (framing.done) this.#endBody();
    else if (this.#held.length > 0) this.#wait();
  }

  #wait(): void {
    this.#isWaiting = true;
    this.#service.turns.later(() => {
      this.#isWaiting = false;
      this.#advance();
    });
  }

  #endBody(): void {
    this.#framing = null;
    this.#body?.end();
    this.#body = null;
  }

  /** False if the head is not complete. Throws `WireFault`. */
  #startRequest(): boolean {
    // RFC 9112, section 2.2: an empty line before a request is ignored. Some clients send one after a body.
    const all = this.#held.joined();
    let start = 0;
    while (all[start] === CR && all[start + 1] === LF) start += 2;
    this.#held.skip(start);
    if (this.#held.length === 0) return false;
    this.#headSince ??= performance.now();
    const held = this.#held.joined();
    const end = held.indexOf('\r\n\r\n');
    if (end > MAX_HEAD_BYTES || (end < 0 && held.length > MAX_HEAD_BYTES))
      throw new WireFault(431, `The head of a request may have at most ${MAX_HEAD_BYTES} bytes`);
    const text = held.toString('latin1', 0, end < 0 ? held.length : end);
    const isRepeated = end >= 0 && text === this.#headText;
    if (!isRepeated && /\r[^\n]|[^\r]\n|^\n|\0/.test(text))
      throw malformed('A line of the head does not end in CR LF');
    if (end < 0) return false;
    this.#held.skip(end + 4);
    this.#headSince = null;
    if (!isRepeated) {
      this.#head = parseHead(text);
      this.#headText = text;
    }
    this.#begin(this.#head!);
    return true;
  }

  #begin(head: Head): void {
    const { length } = head;
    this.#isAnswering = true;
    if (length !== 0) {
      this.#framing = length === null ? new ChunkedFraming() : new LengthFraming(length);
      this.#body = this.#newBody(head.expectsContinue);
    }
    void this.#answer(new WireRequest(head, this.#body, this.#socket), head);
  }

  #newBody(awaitsContinue: boolean): RequestBody {
    const events = {
      wanted: () => this.#setPaused(),
      sendContinue: () => this.#writer.write(CONTINUE),
    };
    return new RequestBody(events, awaitsContinue);
  }

  #setPaused(): void {
    const queued = this.#body?.queuedBytes ?? 0;
    const holds = this.#framing === null || this.#isWaiting;
    const waits = queued > MAX_QUEUED_BYTES || (holds && this.#held.length > MAX_HELD_BYTES);
    const pause = this.#isResting || ((waits || this.#isChannelPaused) && this.#lingerSince === null);
    if (pause === this.#isPaused) return;
    this.#isPaused = pause;
    if (pause) this.#socket.pause();
    else this.#socket.resume();
  }

  // ---- responses ----

  async #answer(request: WireRequest, head: Head): Promise<void> {
    let response: Response | Promise<Response>;
    try {
      response = this.#service.respond(request);
      if (response instanceof Promise) response = await response;
    } catch (error) {
      response = errorResponse(error);
    }
    if (response.status === 101 && request.upgrade !== null) this.#upgrade(request.upgrade, response);
    else await this.#respond(response, head);
    request.sent();
  }

  #upgrade(open: OpenChannel, response: Response): void {
    this.#writer.write(switchingHead(response));
    const held = this.#held.joined();
    this.#held.clear();
    const setPaused = (isPaused: boolean): void => {
      this.#isChannelPaused = isPaused;
      this.#setPaused();
    };
    const socket = {
      pause: () => setPaused(true),
      resume: () => setPaused(false),
      terminate: () => this.#socket.terminate(),
    };
    this.#channel = new Channel(socket, this.#writer, this.#service.turns, () => this.#linger());
    this.#channel.open(open);
    this.#setPaused();
    if (this.#lingerSince === null && held.length > 0) this.#channel.data(held);
  }

  async #respond(response: Response, { method, isOld, close }: Pick<Head, 'method' | 'isOld' | 'close'>) {
    this.#activeAt = performance.now();
    const output: Output = {
      isHead: method === 'HEAD',
      isOld,
      // While its body still arrives, a rejection is a stream.
      isStreamed: this.#framing !== null,
      close: () =>
        close ||
        this.#isBroken ||
        this.#service.closing ||
        this.#framing !== null ||
        (this.#hasEnded && this.#held.length === 0),
    };
    const closes = await sendResponse(response, output, this.#writer, () => this.#count());
    this.#count();
    if (this.#lingerSince !== null) return;
    if (closes) return this.#linger();
    this.#activeAt = performance.now();
    if (this.#held.length > 0) this.#service.turns.later(() => this.#next());
    else this.#next();
  }

  /** Goes on to the next request after the response is sent. */
  #next(): void {
    this.#isAnswering = false;
    this.#advance();
    if (this.#hasEnded && !this.#isAnswering && this.#lingerSince === null) this.end();
  }

  /** A fault in the bytes of a request. In a body it is the application that answers. */
  #failRequest(error: unknown): void {
    if (this.#framing === null) this.#reject(error);
    else this.#failBody(error instanceof WireFault ? error.message : 'The body could not be read');
  }

  /** Where the body ends is not known now, so nothing more is read. */
  #failBody(message: string): void {
    this.#framing = null;
    this.#isBroken = true;
    this.#held.clear();
    this.#body?.fail(new Rejection('INVALID_PARAMETER', message));
    this.#body = null;
  }

  #reject(fault: unknown): void {
    this.#isAnswering = true;
    this.#headSince = null;
    this.#held.clear();
    void this.#respond(errorResponse(fault), { method: 'GET', isOld: false, close: true });
  }

  #linger(): void {
    this.#lingerSince = performance.now();
    this.#held.clear();
    this.#channel?.gone();
    this.#body?.fail(new Error('the connection was closed'));
    this.#setPaused();
    if (this.#hasEnded) this.#socket.end();
    else this.#socket.shutdown();
  }
}
