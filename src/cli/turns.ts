/**
 * Screens a large CSV file in two threads, whose batches do not depend on each other: while one thread measures and judges
 * its batch, the other reads the next one. Where a batch ends is only known once it is parsed, so the parsing itself goes
 * from thread to thread. Results come in the order of the file.
 */
import type { CompiledEngine } from '../engine/engine.ts';
import { setImmediate } from 'node:timers/promises';
import { Format } from '../../assembly/abi.ts';
import { shownName } from './failure.ts';
import type { Position } from './file-batch.ts';
import { namedFormat } from './format.ts';
import { openInput } from './input.ts';
import type { FileResult, Screener } from './named-batch.ts';
import { Progress } from './progress.ts';
import { openText, type Reading } from './reading.ts';
import type { Terminal } from './terminal.ts';
import { Thread } from './thread.ts';
import { type Shared, takeTurn, type Turn } from './turn.ts';

/** A file that is smaller is read before a thread has started. */
export const LARGE_BYTES = 16e6;

/** What the thread is sent first; then it gets positions. */
export interface TurnOrder {
  shared: Shared;
  module: CompiledEngine;
}

interface Cut {
  cut: Omit<Turn, 'screened'>;
}

interface Screened {
  result: FileResult;
}

/** What the thread sends: once, that it is ready; then for each position where the batch ends, and its result. */
export type TurnReply = { ready: true } | Cut | Screened;

const THREAD = new URL('turn-thread.ts', import.meta.url);

/** Null for a file that cannot be read from its middle, or needs no second thread. Throws `Failure`. */
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
  other = new OtherThread({ shared, module: screener.engines.module }),
): AsyncGenerator<FileResult> {
  const progress = new Progress(shared, terminal);
  const takeHere = (from: Position | null) => takeTurn(shared, from, screener);
  try {
    let turn = await takeHere(null);
    for (let isOthers = false; ; ) {
      const { next, bytes }: Turn = turn;
      progress.read(bytes);
      // What the other thread has sent arrives between turns of the event loop, as signals do.
      await setImmediate();
      const ahead: Promise<Turn> | null =
        next === null ? null : isOthers ? takeHere(next) : other.isReady ? other.take(next) : null;
      // Handled when its turn comes.
      ahead?.catch(() => {});
      const result = await turn.screened();
      progress.rows = result.lastRow;
      yield result;
      if (next === null) return;
      isOthers = ahead !== null && !isOthers;
      turn = await (ahead ?? takeHere(next));
    }
  } finally {
    other.end();
  }
}

export class OtherThread {
  /** It can take a turn, or has failed. */
  isReady = false;
  readonly #thread: Thread<TurnOrder | Position, TurnReply>;

  constructor(order: TurnOrder, program = THREAD) {
    this.#thread = new Thread(program);
    const ready = () => {
      this.isReady = true;
    };
    this.#thread.reply().then(ready, ready);
    this.#thread.send(order);
  }

  /** Throws what the thread has thrown. */
  async take(from: Position): Promise<Turn> {
    const cut = this.#thread.reply<Cut>();
    const screened = this.#thread.reply<Screened>();
    this.#thread.send(from);
    const turn = await cut;
    return { ...turn.cut, screened: async () => (await screened).result };
  }

  end(): void {
    this.#thread.end();
  }
}
