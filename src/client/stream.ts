/** Streams: rows in, a report for each window out, over a WebSocket that is opened again when it breaks. */
import { type Bytes, joined } from './content.ts';
import type { Report } from './contract.ts';
import { type Dividable, streamable } from './input.ts';
import { pauseAfter, type RetryPolicy } from './retry.ts';
import { isVerdict, otherThan } from './screening.ts';
import { LONGEST_MS } from './send.ts';
import type { CallSettings, StreamSocket } from './settings.ts';
import { objectIn, refused, type SluiceError, unreachable } from './sluice-error.ts';

/** A window ends at the first of these. */
export interface WindowSize {
  /** 2000. */
  rows?: number | undefined;
  /** 2 MiB. */
  bytes?: number | undefined;
  /** 1000. */
  ms?: number | undefined;
}

export type Streamed = Dividable & { window?: WindowSize };

export interface WindowVerdict {
  /** Of the stream: the server knows it for 24 hours. */
  stream: string;
  /** From 1. */
  window: number;
  /** Rows of the input, from 1, both included. */
  firstRow: number;
  lastRow: number;
  report: Report;
}

export interface Streaming extends RetryPolicy {
  url: string;
  key: string | undefined;
  maxBodyBytes: number;
  /** For the answer to the open frame, and beyond `window.ms` to rows. */
  timeoutMs: number;
  webSocket: (new (url: string) => StreamSocket) | undefined;
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

interface Frame {
  type: string;
  stream: string;
  next_row: number;
  window: number;
  first_row: number;
  last_row: number;
  report: Report;
  message: string;
  code: string;
}

const DEFAULT_ROWS = 2000;
const DEFAULT_BYTES = 2 * 1024 * 1024;
const DEFAULT_MS = 1000;
/** Windows whose rows may be on their way. */
const WINDOWS_AHEAD = 3;
/** Bytes that the socket may hold, and that are sent at once. */
const MAX_BUFFERED = 1024 * 1024;
const SENT_AT_ONCE = 64 * 1024;
/** WebSockets do not say when they have sent something. */
const LOOK_MS = 5;
/** A break may help, or the server says so: the stream goes on at the next connection. */
const TEMPORARY = new Set([
  'UNREACHABLE',
  'SERVICE_UNAVAILABLE',
  'REQUEST_TIMEOUT',
  'INTERNAL',
  'RATE_LIMITED',
]);

/** Throws `SluiceError`, the signal's reason, and `TypeError` without a key or a WebSocket. */
export async function* streamed(
  input: Streamed,
  { signal }: CallSettings,
  streaming: Streaming,
): AsyncGenerator<WindowVerdict, void> {
  const rows = await streamable(input, { ...streaming, signal });
  const stream = new Stream(input, rows, streaming, signal);
  try {
    for (let failures = 0; ; )
      try {
        for await (const verdict of stream.connection()) {
          failures = 0;
          yield verdict;
        }
        return;
      } catch (error) {
        failures++;
        const code = (error as SluiceError).code ?? '';
        const pause = TEMPORARY.has(code)
          ? pauseAfter(unreachable('', error), failures, true, streaming)
          : null;
        signal?.throwIfAborted();
        if (pause === null) throw error;
        await streaming.wait(pause, signal);
      }
  } finally {
    rows.close();
  }
}

/** What outlives a connection: rows that no verdict has covered. */
class Stream {
  readonly #input: Streamed;
  readonly #header: Bytes;
  readonly #rows: AsyncGenerator<Bytes[]>;
  readonly #format: object;
  readonly #streaming: Streaming;
  readonly #signal: AbortSignal | undefined;
  readonly #mostRows: number;
  readonly #mostBytes: number;
  #id: string | null = null;
  #window = 0;
  /** Rows before the first one that is kept. */
  #done = 0;
  #kept: Bytes[] = [];
  #keptBytes = 0;
  #pull: Promise<void> | null = null;
  #hasEnded = false;
  #failure: unknown = null;

  constructor(
    input: Streamed,
    { header, rows, format }: Awaited<ReturnType<typeof streamable>>,
    streaming: Streaming,
    signal: AbortSignal | undefined,
  ) {
    this.#input = input;
    this.#header = header;
    this.#rows = rows;
    this.#format = format;
    this.#streaming = streaming;
    this.#signal = signal;
    this.#mostRows = WINDOWS_AHEAD * (input.window?.rows ?? DEFAULT_ROWS);
    this.#mostBytes = WINDOWS_AHEAD * (input.window?.bytes ?? DEFAULT_BYTES);
  }

  /** The verdicts that come over one connection. Throws what broke it; returns when the stream is closed. */
  async *connection(): AsyncGenerator<WindowVerdict, void> {
    const inbox = new Inbox(newSocket(this.#streaming), this.#streaming.url, this.#signal);
    let sent = -1;
    let hasSaidEnd = false;
    // A connection may be gone without a sign of it.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const answerWithin = (ms: number) => {
      const expire = () => inbox.break(`no answer within ${ms / 1000} s`);
      timer ??= setTimeout(expire, Math.min(ms, LONGEST_MS));
    };
    const answered = () => {
      clearTimeout(timer);
      timer = undefined;
    };
    const { timeoutMs } = this.#streaming;
    answerWithin(timeoutMs);
    try {
      await inbox.opened;
      inbox.say(this.#openFrame());
      for (;;) {
        for (const frame of inbox.taken()) {
          if (frame.type === 'error') throw refused(frame.code, frame.message);
          answered();
          if (frame.type === 'opened') {
            sent = this.#begin(frame, inbox);
          } else if (frame.type === 'verdict') {
            sent -= this.#settle(frame, sent);
            yield this.#verdictOf(frame);
          } else if (frame.type === 'closed') {
            if (hasSaidEnd && sent === 0) return;
            throw refused(
              'UNEXPECTED_ANSWER',
              `The server closed the stream before row ${this.#done + 1} had a verdict`,
            );
          }
        }
        if (sent >= 0 && !hasSaidEnd) {
          sent = this.#send(inbox, sent);
          if (this.#failure !== null) throw this.#failure;
          hasSaidEnd = this.#hasEnded && sent === this.#kept.length;
          if (hasSaidEnd) inbox.say({ type: 'end' });
        }
        if (sent > 0 || hasSaidEnd) answerWithin((this.#input.window?.ms ?? DEFAULT_MS) + timeoutMs);
        await inbox.news(sent < 0 || hasSaidEnd ? null : this.#more(), sent < this.#kept.length);
      }
    } finally {
      answered();
      inbox.close();
    }
  }

  #openFrame(): object {
    const { source, options, window } = this.#input;
    const resume = this.#id === null ? undefined : { stream: this.#id, window: this.#window };
    return { type: 'open', key: this.#streaming.key, source, options, window, ...this.#format, resume };
  }

  #begin({ stream, next_row: next }: Frame, inbox: Inbox): number {
    if (next !== this.#done)
      throw refused('UNEXPECTED_ANSWER', `The server goes on at row ${next}, and row ${this.#done} is next`);
    this.#id = stream;
    if (this.#header.length > 0) inbox.send(this.#header);
    return 0;
  }

  /** How many of the rows that were sent the verdict covers. Throws `SluiceError` unless they are the next ones. */
  #settle({ window, first_row: first, last_row: last, report }: Frame, sent: number): number {
    const covered = last + 1 - this.#done;
    if (first !== this.#done || !(covered >= 1 && covered <= sent) || !isVerdict(report ?? {}))
      throw refused(
        'UNEXPECTED_ANSWER',
        `The server answered without a verdict on row ${this.#done + 1}, which is next`,
      );
    const other = otherThan({ source: this.#input.source, rows: covered }, report);
    if (other !== null) throw refused('UNEXPECTED_ANSWER', other);
    for (const row of this.#kept.splice(0, covered)) this.#keptBytes -= row.length;
    this.#done = last + 1;
    this.#window = window;
    return covered;
  }

  #verdictOf({ window, first_row: first, last_row: last, report }: Frame): WindowVerdict {
    return { stream: this.#id!, window, firstRow: first + 1, lastRow: last + 1, report };
  }

  /** Sends kept rows from this one on, as many as the socket takes. */
  #send(inbox: Inbox, from: number): number {
    let next = from;
    while (next < this.#kept.length && inbox.hasRoom) {
      const pieces: Bytes[] = [];
      for (let bytes = 0; next < this.#kept.length && bytes < SENT_AT_ONCE; next++) {
        pieces.push(this.#kept[next]!);
        bytes += this.#kept[next]!.length;
      }
      inbox.send(joined(pieces));
    }
    return next;
  }

  /** Reads on in the input; null where there is enough. */
  #more(): Promise<void> | null {
    const hasEnough = this.#kept.length >= this.#mostRows || this.#keptBytes >= this.#mostBytes;
    if (this.#hasEnded || (this.#pull === null && hasEnough)) return null;
    this.#pull ??= this.#read().finally(() => {
      this.#pull = null;
    });
    return this.#pull;
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = await this.#rows.next();
      if (done) this.#hasEnded = true;
      else {
        this.#kept.push(...value);
        for (const row of value) this.#keptBytes += row.length;
      }
    } catch (error) {
      this.#failure = error;
    }
  }
}

function newSocket({ webSocket, url, key }: Streaming): StreamSocket {
  const Socket = webSocket ?? (globalThis as { WebSocket?: new (url: string) => StreamSocket }).WebSocket;
  if (Socket === undefined)
    throw new TypeError(
      'This platform has no WebSocket: give one to the constructor, as in new Sluice({ url, key, webSocket }), for example that of the package ws; Node has one from version 22 on',
    );
  if (key === undefined) throw new TypeError('A stream needs an API key');
  return new Socket(url);
}

/** The frames of a socket, and waiting for them. */
class Inbox {
  readonly #socket: StreamSocket;
  readonly #frames: Frame[] = [];
  #broken: SluiceError | null = null;
  #wake = () => {};
  readonly #signal: AbortSignal | undefined;
  readonly #abort: () => void;
  /** Ends the connection for this reason. */
  readonly break: (reason: string) => void;
  readonly opened: Promise<void>;

  constructor(socket: StreamSocket, url: string, signal: AbortSignal | undefined) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    let [resolve, reject] = [() => {}, (_: unknown) => {}];
    this.opened = new Promise((resolved, rejected) => {
      [resolve, reject] = [resolved, rejected];
    });
    this.opened.catch(() => {});
    this.break = reason => {
      this.#broken ??= unreachable(`The stream to ${url} broke: ${reason}`, undefined);
      reject(this.#broken);
      this.#wake();
    };
    socket.onopen = () => resolve();
    socket.onmessage = ({ data }: { data: unknown }) => {
      const frame = typeof data === 'string' ? objectIn(data) : null;
      if (frame !== null) this.#frames.push(frame as unknown as Frame);
      this.#wake();
    };
    socket.onclose = ({ code, reason }: { code?: number; reason?: string }) =>
      this.break(reason || `code ${code ?? 'none'}`);
    socket.onerror = () => this.break('the connection failed');
    this.#signal = signal;
    this.#abort = () => this.break('it was aborted');
    signal?.addEventListener('abort', this.#abort);
  }

  /** Frames in their order; then throws if the connection is gone. */
  *taken(): Generator<Frame> {
    for (let frame = this.#frames.shift(); frame !== undefined; frame = this.#frames.shift()) yield frame;
    if (this.#broken !== null) throw this.#broken;
  }

  get hasRoom(): boolean {
    return this.#socket.bufferedAmount < MAX_BUFFERED;
  }

  say(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  send(bytes: Bytes): void {
    this.#socket.send(bytes);
  }

  /** Waits for a frame, for more rows, or for room. */
  async news(rows: Promise<void> | null, looks: boolean): Promise<void> {
    if (this.#frames.length > 0 || this.#broken !== null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>(resolve => {
      this.#wake = resolve;
      if (looks) timer = setTimeout(resolve, LOOK_MS);
      void rows?.then(resolve);
    });
    clearTimeout(timer);
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    // Some platforms report a connection that is closed while it opens.
    this.#socket.onerror = () => {};
    this.#socket.close();
  }
}
