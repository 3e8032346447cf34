/** Writes to a socket that takes only as many bytes as the kernel has room for. */
import type { Socket } from 'bun';

export class Writer {
  readonly #socket: Pick<Socket<unknown>, 'write'>;
  #unsent: Uint8Array[] = [];
  #closed = false;
  #flushed: PromiseWithResolvers<void> | null = null;

  constructor(socket: Pick<Socket<unknown>, 'write'>) {
    this.#socket = socket;
  }

  /** Whether bytes wait for the client to read. */
  get pending(): boolean {
    return this.#unsent.length > 0;
  }

  get unsentBytes(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** `isReused`: the caller writes to these bytes again. */
  write(bytes: Uint8Array, isReused = false): void {
    if (this.#closed || bytes.length === 0) return;
    if (this.pending) this.#unsent.push(isReused ? bytes.slice() : bytes);
    else this.#send(bytes, isReused);
  }

  /** Resolves when the kernel has taken all bytes, or the connection has closed. */
  async flushed(): Promise<void> {
    if (!this.pending) return;
    this.#flushed ??= Promise.withResolvers();
    await this.#flushed.promise;
  }

  drain(): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const bytes of unsent) this.write(bytes);
    if (!this.pending) this.#settle();
  }

  close(): void {
    this.#closed = true;
    this.#unsent = [];
    this.#settle();
  }

  #send(bytes: Uint8Array, isReused: boolean): void {
    const sent = Math.max(0, this.#socket.write(bytes));
    if (sent < bytes.length) this.#unsent.push(isReused ? bytes.slice(sent) : bytes.subarray(sent));
  }

  #settle(): void {
    this.#flushed?.resolve();
    this.#flushed = null;
  }
}
