/** The body of a request as a reader: bytes go in from the connection and come out when the application asks for them. */

type Read = { done: true } | { done: false; value: Uint8Array };

/** A piece of one byte needs memory too. */
const PIECE_BYTES = 256;
const costOf = (bytes: Uint8Array): number => bytes.length + PIECE_BYTES;

interface BodyEvents {
  /** The application has read all that is queued. */
  wanted(): void;
  sendContinue(): void;
}

export class RequestBody {
  readonly #pieces: Uint8Array[] = [];
  readonly #events: BodyEvents;
  #state: 'open' | 'ended' | 'cancelled' = 'open';
  #error: Error | null = null;
  #waiting: PromiseWithResolvers<Read> | null = null;
  #queuedBytes = 0;

  /** `awaitsContinue`: the client sends nothing until it gets 100 Continue. False from the first read on. */
  constructor(
    events: BodyEvents,
    public awaitsContinue: boolean,
  ) {
    this.#events = events;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  push(bytes: Uint8Array): void {
    if (this.#state === 'cancelled') return;
    if (this.#waiting) this.#settle({ done: false, value: bytes });
    else {
      this.#pieces.push(bytes);
      this.#queuedBytes += costOf(bytes);
    }
  }

  end(): void {
    this.#state = 'ended';
    this.#settle({ done: true });
  }

  /** No more bytes come. Those that are queued can still be read. */
  fail(error: Error): void {
    if (this.#state === 'ended') return;
    this.#error = error;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }

  /** As of a stream; there is one reader. */
  getReader(): RequestBody {
    return this;
  }

  read(): Promise<Read> {
    if (this.awaitsContinue) {
      this.awaitsContinue = false;
      if (this.#pieces.length === 0) this.#events.sendContinue();
    }
    const value = this.#pieces.shift();
    if (value !== undefined) {
      this.#queuedBytes -= costOf(value);
      if (this.#queuedBytes === 0) this.#events.wanted();
      return Promise.resolve({ done: false, value });
    }
    if (this.#state !== 'open') return Promise.resolve({ done: true });
    if (this.#error) return Promise.reject(this.#error);
    this.#waiting = Promise.withResolvers();
    this.#events.wanted();
    return this.#waiting.promise;
  }

  async cancel(): Promise<void> {
    if (this.#state === 'open') this.#state = 'cancelled';
    this.#pieces.length = 0;
    this.#queuedBytes = 0;
    this.#settle({ done: true });
    this.#events.wanted();
  }

  #settle(read: Read): void {
    this.#waiting?.resolve(read);
    this.#waiting = null;
  }
}
