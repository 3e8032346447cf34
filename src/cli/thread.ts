/**
 * A thread of this command, which replies to messages in their order; a `Failure` is the reply to one of them. If it has a bug or ends, whoever waits
 * for a reply gets the error, and so does whoever asks later.
 */
import { Failure, failureOf } from './failure.ts';

/** What a thread sends instead of a reply. */
export type Failed = { failure: Pick<Failure, 'message' | 'file' | 'line'> } | { bug: unknown };

export class Thread<Message, Reply extends object> {
  readonly #worker: Worker;
  /** Of the replies that are due, in their order. */
  readonly #due: PromiseWithResolvers<Reply>[] = [];
  #error: unknown = null;

  constructor(program: URL) {
    this.#worker = new Worker(program);
    this.#worker.onmessage = ({ data }: MessageEvent<Reply | Failed>) => {
      if ('bug' in data) this.#fail(data.bug);
      else if ('failure' in data) {
        const { message, file, line } = data.failure;
        this.#due.shift()!.reject(new Failure(message, file, line));
      } else this.#due.shift()!.resolve(data);
    };
    this.#worker.onerror = ({ message }) => this.#fail(new Error(message));
    // Follows an error too.
    this.#worker.addEventListener('close', () =>
      this.#fail(new Error('A thread of this command has ended before its work was done')),
    );
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

  end(): void {
    this.#worker.terminate();
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    for (const due of this.#due.splice(0)) due.reject(this.#error);
  }
}

/** An error as a thread sends it. */
export function failedBy(error: unknown): Failed {
  const failure = failureOf(error);
  if (failure === null) return { bug: error };
  const { message, file, line } = failure;
  return { failure: { message, file, line } };
}
