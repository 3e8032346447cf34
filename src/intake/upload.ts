/**
 * The body of one request as it arrives: bytes, pauses, limits.
 *
 * Only waiting for the client counts against the client: while we parse, or wait for an engine, nobody asks for bytes
 * and no clock runs.
 */
import { Rejection } from '../errors.ts';
import { bodyTooLarge } from './refusals.ts';

/** No byte came for as long as was asked. */
export const QUIET = Symbol('quiet');

export interface UploadLimits {
  maxBodyBytes: number;
  /** No byte for this long: 408. */
  bodyStallSeconds: number;
  /** Waited this long in all: 408. */
  bodySeconds: number;
}

export interface Drain {
  /** Ends when no byte came for this long. */
  quietMs: number;
  /** Ends after this long, or after this many bytes, whatever still comes. */
  totalMs: number;
  bytes: number;
}

type Read = { done: true } | { done: false; value: Uint8Array };

/** Takes the bytes of a body in their order. */
interface Hash {
  update(bytes: Uint8Array): unknown;
}

interface Reader {
  read(): Promise<Read>;
  cancel(): Promise<void>;
}

export class Upload {
  /** Time spent waiting for the client, in ms. */
  waitedMs = 0;
  readonly #reader: Reader | null;
  readonly #limits: UploadLimits;
  readonly #renew: () => void;
  readonly #now: () => number;
  readonly #openedMs: number;
  #hash: Hash | null = null;
  #pending: Promise<Read> | null = null;
  /** A piece that `begun` has read and `next` has yet to give. */
  #ahead: Uint8Array | null = null;
  #ended: boolean;
  #gone = false;
  #bytes = 0;
  #sinceByteMs = 0;

  /** `renew` puts off the connection's own timeout and is called with every piece; `now` is a clock in ms. */
  constructor(
    body: ReadableStream<Uint8Array> | null,
    limits: UploadLimits,
    renew: () => void = () => {},
    now: () => number = () => performance.now(),
  ) {
    this.#reader = body === null ? null : (body.getReader() as Reader);
    this.#ended = body === null;
    this.#limits = limits;
    this.#renew = renew;
    this.#now = now;
    this.#openedMs = now();
  }

  /** True when nothing more can come: the last byte was read, or the client is gone. */
  get ended(): boolean {
    return this.#ended || this.#gone;
  }

  /** Bytes that have come, as they were sent. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time since the upload was opened that was not spent waiting for the client, in ms. */
  get busyMs(): number {
    return this.#now() - this.#openedMs - this.waitedMs;
  }

  /** Shows every byte, as it arrives, to `hash` too. To be called before the first is read. */
  hashInto(hash: Hash): void {
    this.#hash = hash;
  }

  /** Resolves when the first byte is there, or the end. Throws as `next` does. */
  async begun(): Promise<void> {
    const first = await this.next();
    this.#ahead = first === QUIET ? null : first;
  }

  /**
   * The next bytes, null at the end, QUIET when none came for `quietMs`.
   * Throws `Rejection` REQUEST_TIMEOUT when the client stalls, takes too long or goes away, PAYLOAD_TOO_LARGE past the limit.
   */
  async next(quietMs = Number.POSITIVE_INFINITY): Promise<Uint8Array | typeof QUIET | null> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead !== null) return ahead;
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

  /** Reads on and throws away what comes. True when nothing more can come. */
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

  /** Lets go of a body that nobody will read to its end. */
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
    this.#renew();
    return bytes;
  }

  /** A read that a pause interrupted goes on: the same promise is waited for again. */
  async #arrival(withinMs: number): Promise<Read | typeof QUIET> {
    this.#pending ??= this.#reader!.read().catch(() => this.#clientGone());
    // What is here needs no clock, and a small body is here whole.
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

  /** Nobody hears this answer; it only has to leave the path like any other refusal, giving back what was lent. */
  #clientGone(): never {
    this.#gone = true;
    throw new Rejection('REQUEST_TIMEOUT', 'The connection ended before the body was complete');
  }

  #checkTimes(): void {
    const { bodyStallSeconds, bodySeconds } = this.#limits;
    if (this.#sinceByteMs >= bodyStallSeconds * 1000)
      throw new Rejection('REQUEST_TIMEOUT', `No byte of the body came for ${bodyStallSeconds} seconds`);
    if (this.waitedMs >= bodySeconds * 1000)
      throw new Rejection('REQUEST_TIMEOUT', `The body was not complete after ${bodySeconds} seconds`);
  }
}
