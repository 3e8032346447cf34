/**
 * Leases an engine to a batch. There are few engines, and a client may send its body slowly. An upload that pauses while
 * other batches wait, or that has held its engine too long for the bytes it sent, gives the engine back and keeps its
 * bytes. The next engine parses them again from the start. Parsing is so much faster than a network that this costs
 * almost nothing.
 */
import { Format, Status } from '../../assembly/abi.ts';
import { atOnce, type Pieces } from '../cooperative-yield.ts';
import type { BatchStart, Engine } from '../engine/engine.ts';
import { Rejection } from '../errors.ts';
import type { CooperativeTask } from './cooperative-scheduler.ts';
import { freeBuffer } from './free-buffer.ts';
import { rejectionOf } from './refusals.ts';

/** The engine parses the bytes of a long row after this time at the latest, even while more bytes trickle in. */
const MAX_BEHIND_MS = 500;
/** How long an upload may hold an engine that others wait for. More bytes give more time, because they are parsed again. */
const MIN_LEASE_MS = 25;
const LEASE_BYTES_PER_MS = 4096;
const MAX_LEASE_MS = 1000;
/** A client that sends nothing for this long pauses. The shorter time applies while other batches wait for the engine. */
const PAUSE_MS = 200;
const PAUSE_CONTENDED_MS = 25;
/** Bytes that all uploads together may buffer while they have no engine. */
const MAX_BUFFERED_BYTES = 256 * 1024 * 1024;
/** Buffered pieces before they are joined: a client may send single bytes, and each piece is an object. */
const MAX_PIECES = 256;

/** What the intake needs of an engine. */
export type Parser = Pick<
  Engine,
  | 'begin'
  | 'write'
  | 'flush'
  | 'behind'
  | 'reading'
  | 'end'
  | 'ending'
  | 'refusal'
  | 'received'
  | 'otherDelimiter'
>;

const AT_ONCE = { runPieces: async <T>(work: Pieces<T>) => atOnce(work) };

/** A pool that lends each engine to one batch at a time and queues requests for an engine. */
export interface Engines<E> {
  /** Without an account: for the process itself. */
  lend(account?: string): Promise<E>;
  giveBack(engine: E): void;
  /** Call instead of `giveBack` for an engine that failed: the pool does not lend it again. */
  giveUp(engine: E): void;
  /** Callers in the queue. */
  readonly waiting: number;
}

/** Counts the bytes that all uploads of a process buffer, because they share one memory. */
export class BufferedBytes {
  bytes = 0;

  constructor(readonly max = MAX_BUFFERED_BYTES) {}

  /** Reserves room for the bytes; false if there is not enough. */
  take(bytes: number): boolean {
    if (this.bytes + bytes > this.max) return false;
    this.bytes += bytes;
    return true;
  }
}

export const processBufferedBytes = new BufferedBytes();

const tooManyUploads = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'Too many uploads are in progress; try again in a moment', {
    'Retry-After': '1',
  });

export class EngineLease<E extends Parser> {
  /** Time spent waiting for engines, in ms. */
  waitedMs = 0;
  #engine: E | null = null;
  #acquiredAt = 0;
  /** Bytes that this engine has received. */
  #engineBytes = 0;
  #parsedAt = 0;
  /** The body so far, while there is no engine. */
  #pieces: Uint8Array[] = [];
  #reservedBytes = 0;
  /** Whether the buffer holds bytes that no engine has parsed. */
  #hasUnparsed = false;
  /** Whether the engine has parsed the body to its end. */
  #isComplete = false;

  constructor(
    readonly engines: Engines<E>,
    readonly account: string,
    readonly start: BatchStart,
    readonly now: () => number = () => performance.now(),
    readonly buffered = processBufferedBytes,
  ) {}

  /** Whether `reading` has work to do. */
  get isColumnar(): boolean {
    return this.start.format >= Format.ARROW;
  }

  /** How long to wait for the next bytes before calling `pause`, in ms. */
  get pauseMs(): number {
    return this.#engine !== null && this.engines.waiting > 0 ? PAUSE_CONTENDED_MS : PAUSE_MS;
  }

  /** Takes ownership of the next bytes and frees them. Throws `Rejection` for what the engine rejects. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#engine === null && this.#pieces.length > 0) {
      this.#buffer(bytes);
      return;
    }
    const engine = await this.#acquire();
    this.#feed(engine, bytes);
    if (!engine.behind) this.#parsedAt = this.now();
    else if (this.now() - this.#parsedAt > MAX_BEHIND_MS) this.#flush(engine);
    if (this.engines.waiting > 0 && this.#heldMs > this.#allowedMs) this.#yieldEngine(engine);
  }

  /** After `write`: reads what has arrived of columns, in pieces. */
  *reading(): Pieces<void> {
    const engine = this.#engine;
    if (engine !== null) this.#check(engine, yield* engine.reading());
  }

  /** The client pauses. Parses the bytes that are here, because the client may be waiting for our rejection. */
  async pause(): Promise<void> {
    if (this.#engine === null && !this.#hasUnparsed) return;
    const engine = await this.#acquire();
    if (engine.behind) this.#flush(engine);
    if (this.engines.waiting > 0) this.#yieldEngine(engine);
  }

  /** Ends the body and returns the engine that has parsed all of it. May be called again, also after `suspend`. */
  async end(task: Pick<CooperativeTask, 'runPieces'> = AT_ONCE): Promise<E> {
    const engine = await this.#acquire();
    if (!this.#isComplete)
      this.#check(engine, this.isColumnar ? await task.runPieces(engine.ending()) : engine.end());
    this.#isComplete = true;
    return engine;
  }

  /** Returns the engine to the pool until the next call, if there is room to buffer the bytes. */
  suspend(): void {
    if (this.#engine !== null) this.#releaseToBuffer(this.#engine);
  }

  /** Releases everything. Pass `healthy: false` if the engine failed in any way other than rejecting the body. */
  close(healthy: boolean): void {
    const engine = this.#engine;
    this.#engine = null;
    this.#takeBuffer();
    if (engine === null) return;
    if (healthy) this.engines.giveBack(engine);
    else this.engines.giveUp(engine);
  }

  get #heldMs(): number {
    return this.now() - this.#acquiredAt;
  }

  get #allowedMs(): number {
    return Math.min(MAX_LEASE_MS, MIN_LEASE_MS + this.#engineBytes / LEASE_BYTES_PER_MS);
  }

  async #acquire(): Promise<E> {
    if (this.#engine) return this.#engine;
    const requestedAt = this.now();
    const engine = await this.engines.lend(this.account);
    this.#engine = engine;
    this.#acquiredAt = this.now();
    this.waitedMs += this.#acquiredAt - requestedAt;
    this.#parsedAt = this.#acquiredAt;
    this.#engineBytes = 0;
    engine.begin(this.start);
    this.#isComplete = false;
    const pieces = this.#takeBuffer();
    this.#hasUnparsed = false;
    for (const bytes of pieces) this.#feed(engine, bytes);
    return engine;
  }

  #feed(engine: E, bytes: Uint8Array): void {
    this.#engineBytes += bytes.length;
    const status = engine.write(bytes);
    freeBuffer(bytes);
    this.#check(engine, status);
  }

  #flush(engine: E): void {
    this.#check(engine, engine.flush());
    this.#parsedAt = this.now();
  }

  /** Without room for its bytes an upload keeps its engine for one second, then is rejected, so that it cannot block others. */
  #yieldEngine(engine: E): void {
    this.#releaseToBuffer(engine);
    if (this.#engine !== null && this.#heldMs > MAX_LEASE_MS) throw tooManyUploads();
  }

  #releaseToBuffer(engine: E): void {
    // Check before copying: without room, every pause would copy the bytes again.
    if (!this.#reserve(this.#engineBytes)) return;
    this.#pieces.push(engine.received());
    this.#engine = null;
    this.engines.giveBack(engine);
  }

  #reserve(bytes: number): boolean {
    if (!this.buffered.take(bytes)) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  #takeBuffer(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.buffered.bytes -= this.#reservedBytes;
    this.#reservedBytes = 0;
    return pieces;
  }

  #buffer(bytes: Uint8Array): void {
    if (!this.#reserve(bytes.length)) throw tooManyUploads();
    this.#pieces.push(bytes);
    this.#hasUnparsed = true;
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  #check(engine: E, status: Status): void {
    if (status === Status.FAILED) throw rejectionOf(engine.refusal(), this.start.format);
  }
}
