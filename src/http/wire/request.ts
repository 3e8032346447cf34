/** A request as the application reads it. A `Request` would cost more than the rest of a small one. */
import type { RequestBody } from './body.ts';
import type { Head } from './head.ts';
import type { OpenChannel } from './websocket.ts';

export class WireRequest implements Pick<Request, 'method' | 'url' | 'headers' | 'bodyUsed'> {
  readonly method: string;
  readonly url: string;
  readonly bodyUsed = false;
  readonly #head: Head;
  readonly #listeners: (() => void)[] = [];
  /** What uses the connection after an answer with status 101. */
  upgrade: OpenChannel | null = null;
  readonly #address: { readonly remoteAddress: string };

  /** `body`: what reads it; a stream would cost more. */
  constructor(
    head: Head,
    readonly body: RequestBody | null,
    socket: { readonly remoteAddress: string },
  ) {
    this.method = head.method;
    this.url = head.url;
    this.#head = head;
    this.#address = socket;
  }

  get headers(): Headers {
    return this.#head.fields.headers;
  }

  /** Runs when the answer has left, or the connection has closed. */
  whenSent(run: () => void): void {
    this.#listeners.push(run);
  }

  sent(): void {
    for (const run of this.#listeners.splice(0)) run();
  }

  /** The client's network address. */
  get address(): string {
    return this.#address.remoteAddress;
  }
}
