/** Threads that take turns at a shared file; in a turn, one batch is cut and screened. This thread is one of them. */
import { setImmediate } from 'node:timers/promises';
import type { CompiledEngine } from '../engine/engine.ts';
import type { Position } from './file-batch.ts';
import type { FileResult, Screener } from './named-batch.ts';
import { Thread } from './thread.ts';
import { type Shared, takeTurn, type Turn } from './turn.ts';

export interface TurnTaker {
  /** How many turns it may have at once that begin at guessed starts. */
  readonly most: number;
  /** Turns that it has taken and not finished. */
  readonly taken: number;
  /** Runs turns one after the other, in the order of the calls. `from`: null for the beginning of the file. Throws `Failure`, and `Rejection`. */
  take(from: Position | null): Promise<Turn>;
  /** Drops turns that have not begun. Resolves when the memory of the thread is free. */
  end(): Promise<void>;
}

export class ThisThread implements TurnTaker {
  readonly most = 1;
  taken = 0;
  #last: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(
    readonly shared: Shared,
    readonly screener: Screener,
  ) {}

  async take(from: Position | null): Promise<Turn> {
    this.taken++;
    const turn = this.#last.then(() => this.#begin(from));
    const screened = turn.then(async each => {
      // Lets the event loop run once: other threads get their next turns, and their replies and signals arrive.
      await setImmediate();
      return each.screened();
    });
    const released = () => {
      this.taken--;
    };
    this.#last = screened.then(released, released);
    return { ...(await turn), screened: () => screened };
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
  }

  #begin(from: Position | null): Promise<Turn> {
    if (this.#hasEnded) throw new Error('The screening of this file has ended');
    return takeTurn(this.shared, from, this.screener);
  }
}

export interface TurnOrder {
  shared: Shared;
  module: CompiledEngine;
}

/** What a thread is sent: first the order, then where batches begin. */
export type TurnMessage = TurnOrder | { from: Position | null };

interface Cut {
  cut: Omit<Turn, 'screened'>;
}

interface Screened {
  result: FileResult;
}

/** What a thread sends: first that it is ready; then, for each turn, where the batch ends, and its result. */
export type TurnReply = { ready: true } | Cut | Screened;

const PROGRAM = new URL('turn-thread.ts', import.meta.url);

export class OtherThread implements TurnTaker {
  /** A second one, so that it need not wait while this thread is busy. */
  readonly most = 2;
  taken = 0;
  /** Whether it has started, or failed to. */
  isReady = false;
  readonly #thread: Thread<TurnMessage, TurnReply>;

  constructor(order: TurnOrder, program = PROGRAM) {
    this.#thread = new Thread(program);
    const ready = () => {
      this.isReady = true;
    };
    this.#thread.reply().then(ready, ready);
    this.#thread.send(order);
  }

  async take(from: Position | null): Promise<Turn> {
    this.taken++;
    const cut = this.#thread.reply<Cut>();
    const screened = this.#thread.reply<Screened>();
    this.#thread.send({ from });
    const released = () => {
      this.taken--;
    };
    screened.then(released, released);
    return { ...(await cut).cut, screened: async () => (await screened).result };
  }

  end(): Promise<void> {
    return this.#thread.end();
  }
}
