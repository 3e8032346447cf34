/**
 * Figures between processes of one machine. A scrape of one port has to answer for all workers, and on the public port the
 * kernel gives it to any of them: that worker asks the supervisor, who asks them all, over the channels that are there.
 */

/** One that has not answered by then is stuck or gone: its figures are missing this time. */
const ANSWER_MS = 1000;

type Message = { figuresOf: number } | { figures: number; text: string };

/** One end of a channel: asks the other for its figures, and answers with ours. */
export class Exchange {
  readonly #send: (message: Message) => void;
  readonly #figures: () => Promise<string>;
  readonly #answerMs: number;
  readonly #asked = new Map<number, (text: string) => void>();
  #asks = 0;

  constructor(send: (message: Message) => void, figures: () => Promise<string>, answerMs = ANSWER_MS) {
    this.#send = send;
    this.#figures = figures;
    this.#answerMs = answerMs;
  }

  /** The other's figures; nothing when it does not answer. */
  async ask(): Promise<string> {
    const id = this.#asks++;
    const { promise, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(resolve, this.#answerMs, '');
    this.#asked.set(id, resolve);
    try {
      this.#send({ figuresOf: id });
      return await promise;
    } catch {
      return '';
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  /** To be called with whatever comes from the other; what is not for us is left alone. */
  hear(message: unknown): void {
    if (typeof message !== 'object' || message === null) return;
    const { figuresOf, figures, text } = message as { figuresOf?: number; figures?: number; text?: string };
    if (figuresOf !== undefined) void this.#answer(figuresOf);
    if (figures !== undefined) this.#asked.get(figures)?.(text ?? '');
  }

  async #answer(id: number): Promise<void> {
    const text = await this.#figures();
    try {
      this.#send({ figures: id, text });
    } catch {
      // Who asked is gone.
    }
  }
}
