/**
 * Screens a large CSV file in several threads: its batches do not depend on each other. Where a batch ends is only known once it is parsed. So the
 * threads begin where a batch is likely to begin, and what they find counts if the batch before it ends there. At the first one that does not, all
 * that was begun too early is dropped. From then on a batch begins when the one before it is parsed: while one thread measures and judges its batch,
 * another one parses the next. Results come in the order of the file.
 */
import type { CompiledEngine } from '../engine/engine.ts';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Format } from '../../assembly/abi.ts';
import { shownName } from './failure.ts';
import type { Position } from './file-batch.ts';
import { namedFormat } from './format.ts';
import { openInput } from './input.ts';
import { LikelyStarts } from './likely-starts.ts';
import type { FileResult, Screener } from './named-batch.ts';
import { Progress } from './progress.ts';
import { openText, type Reading } from './reading.ts';
import type { Terminal } from './terminal.ts';
import { Thread } from './thread.ts';
import { type Shared, takeTurn, type Turn } from './turn.ts';

/** A file that is smaller is read before a thread has started. */
export const LARGE_BYTES = 16e6;
/** Beside this one. Each takes some 40 MB. */
const MAX_THREADS = 3;
/** At once: it goes on with the second one while this thread is busy. */
const TURNS_OF_THREAD = 2;

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

/** What a thread sends: once, that it is ready; then for each position where the batch ends, and its result. */
export type TurnReply = { ready: true } | Cut | Screened;

const THREAD = new URL('turn-thread.ts', import.meta.url);

/** Null for a file that cannot be read from its middle, or needs no other thread. Throws `Failure`. */
export async function sharedFile(
  file: string,
  reading: Reading,
  largeBytes = LARGE_BYTES,
): Promise<Omit<Shared, 'typed'> | null> {
  const { format: named, coding } = namedFormat(file, reading.format);
  if ((named ?? Format.CSV) !== Format.CSV || coding !== null || reading.columns !== undefined) return null;
  const input = await openInput(file);
  const { size } = input;
  if (size === null || size <= largeBytes) return null;
  const { text, format, charset, found } = await openText(input, reading, () => {});
  // Its first bytes are refused if they are plainly of another format.
  for await (const _ of text) break;
  const isShared = format.format === Format.CSV && format.coding === null && charset === null;
  return isShared ? { file, size, format, found } : null;
}

export function tellFound(file: string, found: string, { isQuiet }: Reading, terminal: Terminal): void {
  if (found !== '' && !isQuiet) terminal.tell(`sluice: ${shownName(file)}: found ${found}`);
}

/** Throws `Failure`, and `Rejection`. */
export async function* resultsInTurns(
  shared: Shared,
  screener: Screener,
  terminal: Terminal,
  threads = new Threads({ shared, module: screener.engines.module }),
): AsyncGenerator<FileResult> {
  const progress = new Progress(shared, terminal);
  const begun = new BegunTurns(new Here(shared, screener), threads);
  try {
    begun.goOn(null);
    for (;;) {
      const { next, bytes, screened } = await begun.first();
      if (next !== null) begun.goOn(next);
      progress.read(bytes);
      const result = await screened();
      progress.rows = result.lastRow;
      yield result;
      if (next === null) return;
    }
  } finally {
    begun.end();
  }
}

/** Turns that have begun, in the order of the file. */
class BegunTurns {
  readonly #turns: { from: Position | null; turn: Promise<Turn> }[] = [];
  /** Null before the threads are ready, and once they were wrong. */
  #likely: LikelyStarts | null = null;
  #wereWrong = false;

  constructor(
    readonly here: Worker,
    readonly threads: Threads,
  ) {}

  first(): Promise<Turn> {
    return this.#turns.shift()!.turn;
  }

  /** Begins all that can be begun. `from`: where the next batch begins, as parsing has shown; null for the beginning of the file. */
  goOn(from: Position | null): void {
    const { threads } = this;
    if (this.#turns.length > 0 && !isSame(this.#turns[0]!.from, from)) {
      this.#turns.length = 0;
      this.#wereWrong = true;
    }
    if (this.#turns.length === 0) {
      this.#begin(from, this.#idlest());
      this.#noMoreLikely();
    }
    if (from === null || this.#wereWrong || !threads.areReady) return;
    this.#likely ??= threads.likelyStarts(from);
    for (let worker = this.#free(); worker !== null; worker = this.#free()) {
      const start = this.#likely.next();
      if (start === null) return;
      this.#begin(start, worker);
    }
  }

  end(): void {
    this.#noMoreLikely();
    this.threads.end();
  }

  #begin(from: Position | null, worker: Worker): void {
    const turn = worker.take(from);
    // Handled when it is the first; one that began wrong may fail.
    turn.catch(() => {});
    this.#turns.push({ from, turn });
  }

  #idlest(): Worker {
    const { here, threads } = this;
    return threads.areReady && threads.idlest.taken <= here.taken ? threads.idlest : here;
  }

  /** A worker that may begin early; null if all have enough to do. */
  #free(): Worker | null {
    const { here, threads } = this;
    if (threads.idlest.taken < TURNS_OF_THREAD) return threads.idlest;
    return here.taken === 0 ? here : null;
  }

  #noMoreLikely(): void {
    this.#likely?.close();
    this.#likely = null;
  }
}

/** Both have the same opening. */
const isSame = (likely: Position | null, real: Position | null): boolean =>
  likely?.offset === real?.offset && likely?.rows === real?.rows && likely?.line === real?.line;

interface Worker {
  /** Turns that it has not screened yet. */
  readonly taken: number;
  /** After those that it has taken before. */
  take(from: Position | null): Promise<Turn>;
}

/** This thread. */
class Here implements Worker {
  taken = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly shared: Shared,
    readonly screener: Screener,
  ) {}

  async take(from: Position | null): Promise<Turn> {
    this.taken++;
    const turn = this.#last.then(() => takeTurn(this.shared, from, this.screener));
    const screened = turn.then(async each => {
      // Before, another thread begins the next turn; what threads have sent arrives, and so do signals.
      await setImmediate();
      return each.screened();
    });
    const free = () => {
      this.taken--;
    };
    this.#last = screened.then(free, free);
    return { ...(await turn), screened: () => screened };
  }
}

/** The other threads. */
export class Threads {
  readonly #threads: TurnThread[];

  constructor(
    readonly order: TurnOrder,
    count = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1)),
    program = THREAD,
  ) {
    this.#threads = Array.from({ length: count }, () => new TurnThread(order, program));
  }

  /** They can take turns, or have failed. */
  get areReady(): boolean {
    return this.#threads.every(({ isReady }) => isReady);
  }

  get idlest(): Worker {
    return this.#threads.reduce((least, each) => (each.taken < least.taken ? each : least));
  }

  likelyStarts(from: Position): LikelyStarts {
    const { shared, module } = this.order;
    return new LikelyStarts(shared.file, shared.size, module, from);
  }

  end(): void {
    for (const thread of this.#threads) thread.end();
  }
}

class TurnThread implements Worker {
  isReady = false;
  taken = 0;
  readonly #thread: Thread<TurnMessage, TurnReply>;

  constructor(order: TurnOrder, program: URL) {
    this.#thread = new Thread(program);
    const ready = () => {
      this.isReady = true;
    };
    this.#thread.reply().then(ready, ready);
    this.#thread.send(order);
  }

  /** Each turn has two replies. Throws what the thread has thrown. */
  async take(from: Position | null): Promise<Turn> {
    this.taken++;
    const cut = this.#thread.reply<Cut>();
    const screened = this.#thread.reply<Screened>();
    this.#thread.send({ from });
    const free = () => {
      this.taken--;
    };
    screened.then(free, free);
    return { ...(await cut).cut, screened: async () => (await screened).result };
  }

  end(): void {
    this.#thread.end();
  }
}
