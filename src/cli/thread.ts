/**
 * A thread of this command. It answers each message, in order, with a reply or an error. When it has ended, all replies that are due, and all that are
 * asked for later, are an error.
 */
import { Failure, failureOf } from './failure.ts';

/** What a thread sends instead of a reply. */
export type Failed = { failure: Pick<Failure, 'message' | 'file' | 'line'> } | { bug: unknown };

export class Thread<Message, Reply extends object> {
  readonly #worker: Worker;
  /** Of the replies that are due, in their order. */
  readonly #due: PromiseWithResolvers<Reply>[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #error: unknown = null;

  constructor(program: URL) {
    this.#worker = new Worker(program);
    this.#worker.onmessage = ({ data }: MessageEvent<Reply | Failed>) => {
      const due = this.#due.shift();
      if ('bug' in data) due?.reject(data.bug);
      else if ('failure' in data) due?.reject(failureIn(data));
      else due?.resolve(data);
    };
    this.#worker.onerror = ({ message }) => this.#fail(new Error(message));
    // Follows an error too.
    this.#worker.addEventListener('close', () => {
      this.#fail(new Error('A thread of this command has ended before its work was done'));
      this.#closed.resolve();
    });
  }

  send(message: Message): void {
    this.#worker.postMessage(message);
  }

  /** The next reply. Throws what the thread has thrown. */
  reply<Kind extends Reply>(): Promise<Kind> {
    const due = Promise.withResolvers<Reply>();
    // Who waits for it handles it.
    due.promise.catch(() => {});
    if (this.#error === null) this.#due.push(due);
    else due.reject(this.#error);
    return due.promise as Promise<Kind>;
  }

  /** Resolves when the thread has ended and its memory is free. */
  end(): Promise<void> {
    this.#worker.terminate();
    return this.#closed.promise;
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    for (const due of this.#due.splice(0)) due.reject(this.#error);
  }
}

const failureIn = ({ failure: { message, file, line } }: Extract<Failed, { failure: unknown }>): Failure =>
  new Failure(message, file, line);

/** An error as a thread sends it. */
export function failedBy(error: unknown): Failed {
  const failure = failureOf(error);
  if (failure === null) return { bug: error };
  const { message, file, line } = failure;
  return { failure: { message, file, line } };
}
