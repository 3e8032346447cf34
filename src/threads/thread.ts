/** One thread, as its callers see it. */
import type { Asked, Opening, OrderOf, ResultOf, TaskName } from './messages.ts';
import { errorIn, failedWith, type Reply } from './replies.ts';
import type { SourceTasks } from './source-tasks.ts';
import type { Tasks } from './tasks.ts';

export interface Thread {
  /** Resolves when it can be asked. */
  readonly opened: Promise<unknown>;
  /** Throws what the task throws, and `ThreadEnded`. `transfer`: buffers that the thread takes. */
  ask<Name extends TaskName>(
    name: Name,
    order: OrderOf<Name>,
    transfer?: ArrayBuffer[],
  ): Promise<ResultOf<Name>>;
  end(): void;
}

/** The thread ended before it answered: `overtime`, because what it was asked took longer than it may. */
export class ThreadEnded extends Error {
  constructor(readonly isOvertime: boolean) {
    super(isOvertime ? 'a task took longer than it may' : 'a thread ended');
  }
}

interface Due {
  limitMs: number;
  resolve(result: never): void;
  reject(error: unknown): void;
}

/** Opening compiles and warms up an engine: a busy machine takes seconds for it. */
const OPENING_MS = 60_000;

/** A thread of its own. It is ended if a task takes longer than `limitMs`. */
export class WorkerThread implements Thread {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #limitMs: number;
  readonly #onEnd: () => void;
  /** In the order of what was asked. The first is in progress. */
  readonly #due: Due[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasEnded = false;

  /** `onEnd` is called once, however it ends. */
  constructor(opening: Opening, limitMs: number, onEnd: () => void) {
    this.#limitMs = limitMs;
    this.#onEnd = onEnd;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#received(data);
    this.#worker.onerror = () => this.#ended(false);
    this.#worker.addEventListener('close', () => this.#ended(false));
    this.opened = new Promise((resolve, reject) =>
      this.#send(opening, [], { limitMs: OPENING_MS, resolve, reject }),
    );
    this.opened.catch(() => {});
  }

  ask<Name extends TaskName>(
    name: Name,
    order: OrderOf<Name>,
    transfer: ArrayBuffer[] = [],
  ): Promise<ResultOf<Name>> {
    return new Promise((resolve, reject) =>
      this.#send({ name, order }, transfer, { limitMs: this.#limitMs, resolve, reject }),
    );
  }

  end(): void {
    this.#ended(false);
  }

  #send(message: Opening | Asked, transfer: ArrayBuffer[], due: Due): void {
    if (this.#hasEnded) {
      due.reject(new ThreadEnded(false));
      return;
    }
    this.#due.push(due);
    if (this.#due.length === 1) this.#startTimer();
    this.#worker.postMessage(message, transfer);
  }

  #received(reply: Reply): void {
    const due = this.#due.shift();
    this.#startTimer();
    if ('result' in reply) due?.resolve(reply.result as never);
    else due?.reject(errorIn(reply));
    // Nobody knows what state its engine is in.
    if ('bug' in reply) this.#ended(false);
  }

  /** For the task that is in progress now. */
  #startTimer(): void {
    clearTimeout(this.#timer);
    const [due] = this.#due;
    if (due) this.#timer = setTimeout(() => this.#ended(true), due.limitMs);
  }

  #ended(isOvertime: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#worker.terminate();
    this.#onEnd();
    for (const [i, due] of this.#due.splice(0).entries()) due.reject(new ThreadEnded(isOvertime && i === 0));
  }
}

/** The same tasks in the thread of the caller. Without an engine only those about sources and documents. */
export class InlineThread implements Thread {
  readonly opened = Promise.resolve();
  readonly #tasks: SourceTasks;
  readonly #onEnd: () => void;

  /** `onEnd` is called once, after a bug. */
  constructor(tasks: SourceTasks, onEnd: () => void = () => {}) {
    this.#tasks = tasks;
    this.#onEnd = onEnd;
  }

  async ask<Name extends TaskName>(name: Name, order: OrderOf<Name>): Promise<ResultOf<Name>> {
    const tasks = this.#tasks as Tasks;
    try {
      return (tasks[name] as (order: unknown) => unknown).call(tasks, order) as ResultOf<Name>;
    } catch (error) {
      if ('bug' in failedWith(error)) this.#onEnd();
      throw error;
    }
  }

  end(): void {}
}
