/**
 * Reads the body of one request as it arrives, with its pauses and limits.
 *
 * Time limits count only the time that we wait for the client. While we parse or wait for an engine, we read no bytes
 * and no clock runs.
 */
import { Rejection } from '../terms/errors.ts';
import { bodyTooLarge } from './refusals.ts';

/** No byte arrived within the requested time. */
export const QUIET = Symbol('quiet');

export interface UploadLimits {
  maxBodyBytes: number;
  /** No byte for this long: 408. */
  bodyStallSeconds: number;
  /** Waited this long in total: 408. */
  bodySeconds: number;
}

export interface Drain {
  /** Stops when no byte arrives for this long. */
  quietMs: number;
  /** Stops after this long or this many bytes, even if more bytes arrive. */
  totalMs: number;
  bytes: number;
}

type Read = { done: true } | { done: false; value: Uint8Array };

/** Receives the bytes of a body in order. */
interface Hash {
  update(bytes: Uint8Array): unknown;
}

interface Reader {
  read(): Promise<Read>;
  /** The client waits for 100 Continue, which the first read sends. */
  awaitsContinue?: boolean;
  cancel(): Promise<void>;
}

export class Upload {
  /** Time spent waiting for the client, in ms. */
  waitedMs = 0;
  readonly #reader: Reader | null;
  readonly #limits: UploadLimits;
  readonly #now: () => number;
  readonly #openedMs: number;
  #hash: Hash | null = null;
  #pending: Promise<Read> | null = null;
  /** The piece that `waitForFirstByte` has read, until `next` returns it. */
  #peeked: Uint8Array | null = null;
  #ended: boolean;
  #disconnected = false;
  #bytes = 0;
  #sinceByteMs = 0;

  /** `now`: a clock in ms. */
  constructor(
    body: ReadableStream<Uint8Array> | null,
    limits: UploadLimits,
    now: () => number = () => performance.now(),
  ) {
    this.#reader = body === null ? null : (body.getReader() as Reader);
    this.#ended = body === null;
    this.#limits = limits;
    this.#now = now;
    this.#openedMs = now();
  }

  /** True if no more bytes can arrive: the last byte was read, or the client has disconnected. */
  get ended(): boolean {
    return this.#ended || this.#disconnected;
  }

  /** True if the client has not been asked to send the body, and waits for that. */
  get awaitsContinue(): boolean {
    return this.#reader?.awaitsContinue === true;
  }

  /** Bytes received, before decompression. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time since the start without the time spent waiting for the client, in ms. */
  get busyMs(): number {
    return this.#now() - this.#openedMs - this.waitedMs;
  }

  /** Also passes every byte to `hash` as it arrives. Call it before the first read. */
  hashInto(hash: Hash): void {
    this.#hash = hash;
  }

  /** Resolves at the first byte or at the end. Throws like `next`. */
  async waitForFirstByte(): Promise<void> {
    const first = await this.next();
    this.#peeked = first === QUIET ? null : first;
  }

  /**
   * The next bytes; null at the end; QUIET if none arrived within `quietMs`.
   * Throws `Rejection` REQUEST_TIMEOUT if the client stalls, takes too long or disconnects, and PAYLOAD_TOO_LARGE.
   */
  async next(quietMs = Number.POSITIVE_INFINITY): Promise<Uint8Array | typeof QUIET | null> {
    const peeked = this.#peeked;
    this.#peeked = null;
    if (peeked !== null) return peeked;
    while (!this.#ended) {
      const stallMs = this.#limits.bodyStallSeconds * 1000 - this.#sinceByteMs;
      const totalMs = this.#limits.bodySeconds * 1000 - this.waitedMs;
      const bytes = await this.#read(Math.min(quietMs, stallMs, totalMs));
      if (bytes === QUIET) this.#checkTimes();
      if (bytes === QUIET && quietMs < Math.min(stallMs, totalMs)) return QUIET;
      if (this.#bytes > this.#limits.maxBodyBytes) throw bodyTooLarge(this.#limits.maxBodyBytes);
      if (bytes !== QUIET && bytes !== null && bytes.length > 0) return bytes;
    }
    return null;
  }

  /** Reads and discards bytes. True if no more bytes can arrive. */
  async drain({ quietMs, totalMs, bytes }: Drain): Promise<boolean> {
    const waitedMs = this.waitedMs + totalMs;
    const total = this.#bytes + bytes;
    try {
      while (!this.ended) {
        const leftMs = waitedMs - this.waitedMs;
        if (leftMs <= 0 || this.#bytes > total) return false;
        if ((await this.#read(Math.min(quietMs, leftMs))) === QUIET) return false;
      }
      return true;
    } catch {
      return true;
    }
  }

  /** Cancels a body that will not be read to its end. */
  abandon(): void {
    this.#reader?.cancel().catch(() => {});
  }

  async #read(withinMs: number): Promise<Uint8Array | typeof QUIET | null> {
    const from = this.#now();
    const read = await this.#arrival(withinMs);
    const waitedMs = this.#now() - from;
    this.waitedMs += waitedMs;
    this.#sinceByteMs += waitedMs;
    if (read === QUIET) return QUIET;
    this.#pending = null;
    this.#ended = read.done;
    return read.done ? null : this.#taken(read.value);
  }

  #taken(bytes: Uint8Array): Uint8Array {
    if (bytes.length > 0) this.#sinceByteMs = 0;
    this.#bytes += bytes.length;
    this.#hash?.update(bytes);
    return bytes;
  }

  /** After a pause, waits for the same read again. */
  async #arrival(withinMs: number): Promise<Read | typeof QUIET> {
    this.#pending ??= this.#reader!.read().catch(error => this.#failDisconnected(error));
    // Bytes that are already here need no timer, and a small body is here as a whole.
    await null;
    if (Bun.peek.status(this.#pending) === 'fulfilled') return this.#pending;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const pause = new Promise<typeof QUIET>(resolve => {
      timer = setTimeout(resolve, Math.max(0, Math.ceil(withinMs)), QUIET);
    });
    try {
      return await Promise.race([this.#pending, pause]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** No client receives this answer. It is thrown so that the request ends like any other rejection and releases what it holds. */
  #failDisconnected(error: unknown): never {
    this.#disconnected = true;
    // The client may still read why its body cannot be read.
    if (error instanceof Rejection) throw error;
    throw new Rejection('REQUEST_TIMEOUT', 'The connection ended before the body was complete');
  }

  #checkTimes(): void {
    const { bodyStallSeconds, bodySeconds } = this.#limits;
    if (this.#sinceByteMs >= bodyStallSeconds * 1000)
      throw new Rejection('REQUEST_TIMEOUT', `No byte of the body arrived for ${bodyStallSeconds} seconds`);
    if (this.waitedMs >= bodySeconds * 1000)
      throw new Rejection('REQUEST_TIMEOUT', `The body was not complete after ${bodySeconds} seconds`);
  }
}
