/**
 * A batch's turn at an engine. There are few engines, and a client may send its body as slowly as it likes: an upload that
 * pauses while others wait, or that has kept an engine for long while others wait, gives it back and takes its bytes
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
/** How long an upload may keep an engine that others wait for. */
const TURN_MS = 1000;
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

const ofThisProcess = new KeptBytes();

const tooManySlow = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'Too many uploads are under way; try again in a moment', {
    'Retry-After': '1',
  });

export class Turn<E extends Parser> {
  #engine: E | null = null;
  #since = 0;
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
    readonly allKept = ofThisProcess,
  ) {}

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
    if (this.engines.waiting > 0 && this.now() - this.#since > TURN_MS) this.#leave(engine);
  }

  /** The client pauses: what is there is parsed, for it may be waiting for our refusal. */
  async pause(): Promise<void> {
    if (this.#engine === null && !this.#unseen) return;
    const engine = await this.#take();
    if (engine.behind) this.#flush(engine);
    if (this.engines.waiting > 0) this.#leave(engine);
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

  async #take(): Promise<E> {
    if (this.#engine) return this.#engine;
    const engine = await this.engines.lend();
    this.#engine = engine;
    this.#since = this.now();
    this.#parsedAt = this.#since;
    engine.begin(this.start);
    this.#whole = false;
    const kept = this.#letGo();
    this.#unseen = false;
    for (const bytes of kept) this.#feed(engine, bytes);
    return engine;
  }

  #feed(engine: E, bytes: Uint8Array): void {
    const status = engine.write(bytes);
    release(bytes);
    this.#check(engine, status);
  }

  #flush(engine: E): void {
    this.#check(engine, engine.flush());
    this.#parsedAt = this.now();
  }

  #leave(engine: E): void {
    const bytes = engine.received();
    if (!this.#add(bytes)) return;
    this.#engine = null;
    this.engines.giveBack(engine);
  }

  /** False when there is no room. */
  #add(bytes: Uint8Array): boolean {
    if (!this.allKept.take(bytes.length)) return false;
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
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
    if (!this.#add(bytes)) throw tooManySlow();
    this.#unseen = true;
    if (this.#kept.length > MAX_PIECES) this.#kept = [Buffer.concat(this.#kept)];
  }

  #check(engine: E, status: Status): void {
    if (status === Status.FAILED) throw rejectionOf(engine.refusal(), this.start.format);
  }
}
