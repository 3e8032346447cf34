/**
 * Screens a large CSV file in several threads, because its batches do not depend on each other. The end of a batch is known only after parsing. So threads
 * begin at guessed starts, and a result counts only if the batch before it ends exactly there. A wrong guess drops all that was begun ahead. After
 * three wrong guesses nothing is guessed any more: a batch begins when the batch before it is parsed, so one thread parses while another one measures
 * and judges. Results come in the order of the file.
 */
import { availableParallelism } from 'node:os';
import type { Position } from './file-batch.ts';
import { GuessedStarts } from './guessed-starts.ts';
import type { FileResult, Screener } from './named-batch.ts';
import { Progress } from './progress.ts';
import { LARGE_BYTES } from './shared-file.ts';
import type { Terminal } from './terminal.ts';
import type { Shared, Turn } from './turn.ts';
import { OtherThread, ThisThread, type TurnTaker } from './turn-takers.ts';

/** Beside this one. Each takes about 40 MB, and a process may have 8 engines (`threads/limits.ts`). */
const MAX_THREADS = 3;
/** In one file: more would cost more than the right guesses save. */
const MAX_WRONG_GUESSES = 3;

/** Throws `Failure`, and `Rejection`. */
export async function* resultsInParallel(
  shared: Shared,
  screener: Screener,
  terminal: Terminal,
  threads = threadsFor(shared, screener),
): AsyncGenerator<FileResult> {
  const progress = new Progress(shared, terminal);
  const turns = new TurnQueue(shared, screener, threads);
  try {
    turns.begin();
    for (;;) {
      const { next, bytes, screened } = await turns.first();
      if (next !== null) turns.goOn(next);
      progress.read(bytes);
      const result = await screened();
      progress.rows = result.lastRow;
      yield result;
      if (next === null) return;
    }
  } finally {
    await turns.end();
  }
}

function threadsFor(shared: Shared, { module }: Screener): OtherThread[] {
  const most = Math.min(MAX_THREADS, Math.floor(shared.size / LARGE_BYTES), availableParallelism() - 1);
  return Array.from({ length: Math.max(1, most) }, () => new OtherThread({ shared, module }));
}

/** Turns that have begun and are not finished, in the order of the file. */
class TurnQueue {
  readonly #begun: { from: Position | null; turn: Promise<Turn> }[] = [];
  readonly #here: TurnTaker;
  /** Made when the first thread is ready. */
  #guesses: GuessedStarts | null = null;
  /** Whether the guesses reach to the end of the file: a batch behind the last guess is a wrong guess too. */
  #areGuessed = false;
  #wrong = 0;

  constructor(
    readonly shared: Shared,
    readonly screener: Screener,
    readonly threads: readonly OtherThread[],
  ) {
    this.#here = new ThisThread(shared, screener);
  }

  begin(): void {
    this.#take(null, this.#here);
  }

  first(): Promise<Turn> {
    return this.#begun.shift()!.turn;
  }

  /** Begins all turns that can begin. `from`: where the next batch really begins. */
  goOn(from: Position): void {
    const next = this.#begun[0]?.from;
    const isRight = next ? isSame(next, from) : !this.#areGuessed;
    if (!isRight) this.#wrong++;
    if (!next || !isRight) {
      this.#begun.length = 0;
      this.#take(from, this.#idlest());
      this.#areGuessed = false;
    }
    if (this.#wrong === MAX_WRONG_GUESSES || !this.threads.some(({ isReady }) => isReady)) return;
    if (!this.#areGuessed) this.#guess(from);
    for (let taker = this.#idlest(); taker.taken < taker.most; taker = this.#idlest()) {
      const start = this.#guesses!.next();
      if (start === null) return;
      this.#take(start, taker);
    }
  }

  async end(): Promise<void> {
    this.#guesses?.close();
    await Promise.all([this.#here, ...this.threads].map(taker => taker.end()));
  }

  #take(from: Position | null, taker: TurnTaker): void {
    const turn = taker.take(from);
    // `first` throws the error. The error of a dropped turn does not matter.
    turn.catch(() => {});
    this.#begun.push({ from, turn });
  }

  /** The taker with the most room; where two have as much, another thread before this one. */
  #idlest(): TurnTaker {
    const ready = this.threads.filter(({ isReady }) => isReady);
    return [...ready, this.#here].reduce((least, each) =>
      each.taken / each.most < least.taken / least.most ? each : least,
    );
  }

  #guess(from: Position): void {
    this.#guesses ??= new GuessedStarts(this.shared.file, this.shared.size, this.screener.module);
    this.#guesses.begin(from);
    this.#areGuessed = true;
  }
}

/** `opening` is not compared: all batches but the first have the same one. */
const isSame = (guessed: Position, real: Position): boolean =>
  guessed.offset === real.offset && guessed.rows === real.rows && guessed.line === real.line;
