/**
 * Exchanges metrics between the processes of one machine. One scrape has to report all workers, but on the public port
 * the kernel gives it to any worker. That worker asks the supervisor over their IPC channel, and the supervisor asks all
 * workers.
 */

/** A process that does not answer in this time is stuck or gone: this scrape leaves its metrics out. */
const TIMEOUT_MS = 1000;

type Message = { metricsRequest: number } | { metricsResponse: number; text: string };

/** One end of a channel: requests the metrics of the other end, and answers with its own. */
export class MetricsChannel {
  readonly #send: (message: Message) => void;
  readonly #ownMetrics: () => Promise<string>;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, (text: string) => void>();
  #nextId = 0;

  constructor(send: (message: Message) => void, ownMetrics: () => Promise<string>, timeoutMs = TIMEOUT_MS) {
    this.#send = send;
    this.#ownMetrics = ownMetrics;
    this.#timeoutMs = timeoutMs;
  }

  /** The metrics of the other end; an empty text if it does not answer. */
  async request(): Promise<string> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(resolve, this.#timeoutMs, '');
    this.#pending.set(id, resolve);
    try {
      this.#send({ metricsRequest: id });
      return await promise;
    } catch {
      return '';
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  /** Call it with every message from the other end. Ignores messages of other kinds. */
  receive(message: unknown): void {
    if (typeof message !== 'object' || message === null) return;
    const { metricsRequest, metricsResponse, text } = message as {
      metricsRequest?: number;
      metricsResponse?: number;
      text?: string;
    };
    if (metricsRequest !== undefined) void this.#answer(metricsRequest);
    if (metricsResponse !== undefined) this.#pending.get(metricsResponse)?.(text ?? '');
  }

  async #answer(id: number): Promise<void> {
    const text = await this.#ownMetrics();
    try {
      this.#send({ metricsResponse: id, text });
    } catch {
      // The other end is gone.
    }
  }
}
