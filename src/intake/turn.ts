/**
 * A batch's turn at an engine. There are few engines, and a client may send its body as slowly as it likes: an upload that
 * pauses while others wait, or that has kept an engine for long for what it has sent, gives it back and takes its bytes
 * along. They are parsed again, from the begin, with the next engine; parsing is so much faster than a network that
 * this costs nothing to speak of.
 */
import { Status } from '../../assembly/abi.ts';
import type { BatchStart, Engine } from '../engine/engine.ts';
import { Rejection } from '../errors.ts';
import { rejectionOf } from './refusals.ts';
import { release } from './release.ts';

/** Bytes of a long row wait no longer than this to be parsed, though they keep trickling in. */
const MAX_BEHIND_MS = 500;
/** How long an upload may keep an engine that others wait for: the longer the more bytes have come, for they are parsed again. */
const LEAST_TURN_MS = 25;
const TURN_BYTES_A_MS = 4096;
const TURN_MS = 1000;
/** A client that sends nothing for this long pauses; for the shorter time where others wait for its engine. */
const PAUSE_MS = 200;
const PAUSE_WAITED_FOR_MS = 25;
/** Bytes that all uploads together may keep while they have no engine. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** Pieces kept apart while there is no engine: a client may send single bytes, and each piece is an object. */
const MAX_PIECES = 256;

/** What the intake needs of an engine. */
export type Parser = Pick<Engine, 'begin' | 'write' | 'flush' | 'behind' | 'end' | 'refusal' | 'received'>;

/** Lends engines, each to one batch at a time. */
export interface Engines<E> {
  lend(): Promise<E>;
  giveBack(engine: E): void;
  /** Instead of `giveBack`, for an engine that failed: it is not lent again. */
  giveUp(engine: E): void;
  /** Callers that wait for an engine. */
  readonly waiting: number;
}

/** What all uploads of a process keep together: its memory is one, however many they are. */
export class KeptBytes {
  bytes = 0;

  constructor(readonly max = MAX_KEPT_BYTES) {}

  /** Whether there was room: then it is taken. */
  take(bytes: number): boolean {
    if (this.bytes + bytes > this.max) return false;
    this.bytes += bytes;
    return true;
  }
}

export const keptByThisProcess = new KeptBytes();

const tooManySlow = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'Too many uploads are under way; try again in a moment', {
    'Retry-After': '1',
  });

export class Turn<E extends Parser> {
  /** Time spent waiting for engines, in ms. */
  waitedMs = 0;
  #engine: E | null = null;
  #since = 0;
  /** Bytes that the engine was given. */
  #fed = 0;
  #parsedAt = 0;
  /** The body so far while there is no engine. */
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** Bytes came that no engine has seen. */
  #unseen = false;
  /** The engine has parsed the body to its end. */
  #whole = false;

  constructor(
    readonly engines: Engines<E>,
    readonly start: BatchStart,
    readonly now: () => number = () => performance.now(),
    readonly allKept = keptByThisProcess,
  ) {}

  /** How long to wait for the next bytes before it is a `pause`, in ms. */
  get pauseMs(): number {
    return this.#engine !== null && this.engines.waiting > 0 ? PAUSE_WAITED_FOR_MS : PAUSE_MS;
  }

  /** Takes the next bytes, which are not to be used again: they are freed. Throws `Rejection` for what the engine refuses. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#engine === null && this.#kept.length > 0) {
      this.#keep(bytes);
      return;
    }
    const engine = await this.#take();
    this.#feed(engine, bytes);
    if (!engine.behind) this.#parsedAt = this.now();
    else if (this.now() - this.#parsedAt > MAX_BEHIND_MS) this.#flush(engine);
    if (this.engines.waiting > 0 && this.#heldMs > this.#turnMs) this.#giveWay(engine);
  }

  /** The client pauses: what is there is parsed, for it may be waiting for our refusal. */
  async pause(): Promise<void> {
    if (this.#engine === null && !this.#unseen) return;
    const engine = await this.#take();
    if (engine.behind) this.#flush(engine);
    if (this.engines.waiting > 0) this.#giveWay(engine);
  }

  /** The body is complete: the engine that holds it, parsed to its end. May be asked for again, after a `rest` too. */
  async end(): Promise<E> {
    const engine = await this.#take();
    if (!this.#whole) this.#check(engine, engine.end());
    this.#whole = true;
    return engine;
  }

  /** Lends the engine to others until the next call, if there is room for the bytes. */
  rest(): void {
    if (this.#engine !== null) this.#leave(this.#engine);
  }

  /** Gives back what is lent, whatever happened. An engine that failed in any way but by refusing is not `sound`. */
  close(sound: boolean): void {
    const engine = this.#engine;
    this.#engine = null;
    this.#letGo();
    if (engine === null) return;
    if (sound) this.engines.giveBack(engine);
    else this.engines.giveUp(engine);
  }

  get #heldMs(): number {
    return this.now() - this.#since;
  }

  get #turnMs(): number {
    return Math.min(TURN_MS, LEAST_TURN_MS + this.#fed / TURN_BYTES_A_MS);
  }

  async #take(): Promise<E> {
    if (this.#engine) return this.#engine;
    const asked = this.now();
    const engine = await this.engines.lend();
    this.#engine = engine;
    this.#since = this.now();
    this.waitedMs += this.#since - asked;
    this.#parsedAt = this.#since;
    this.#fed = 0;
    engine.begin(this.start);
    this.#whole = false;
    const kept = this.#letGo();
    this.#unseen = false;
    for (const bytes of kept) this.#feed(engine, bytes);
    return engine;
  }

  #feed(engine: E, bytes: Uint8Array): void {
    this.#fed += bytes.length;
    const status = engine.write(bytes);
    release(bytes);
    this.#check(engine, status);
  }

  #flush(engine: E): void {
    this.#check(engine, engine.flush());
    this.#parsedAt = this.now();
  }

  /** Without room for its bytes it keeps its engine for a second, and then is refused: nobody may hold all others up. */
  #giveWay(engine: E): void {
    this.#leave(engine);
    if (this.#engine !== null && this.#heldMs > TURN_MS) throw tooManySlow();
  }

  #leave(engine: E): void {
    // Before they are copied: a copy that finds no room would be made again with every pause.
    if (!this.#hasRoom(this.#fed)) return;
    this.#kept.push(engine.received());
    this.#engine = null;
    this.engines.giveBack(engine);
  }

  /** Then it is taken. */
  #hasRoom(bytes: number): boolean {
    if (!this.allKept.take(bytes)) return false;
    this.#keptBytes += bytes;
    return true;
  }

  #letGo(): Uint8Array[] {
    const kept = this.#kept;
    this.#kept = [];
    this.allKept.bytes -= this.#keptBytes;
    this.#keptBytes = 0;
    return kept;
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#hasRoom(bytes.length)) throw tooManySlow();
    this.#kept.push(bytes);
    this.#unseen = true;
    if (this.#kept.length > MAX_PIECES) this.#kept = [Buffer.concat(this.#kept)];
  }

  #check(engine: E, status: Status): void {
    if (status === Status.FAILED) throw rejectionOf(engine.refusal(), this.start.format);
  }
}
