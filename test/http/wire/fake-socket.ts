/** A socket of Bun without a network, which remembers what was done to it. */
export abstract class FakeSocket {
  readonly remoteAddress = '127.0.0.1';
  isPaused = false;
  isShut = false;
  isTerminated = false;

  /** Returns how many bytes the kernel takes. */
  abstract write(bytes: Uint8Array): number;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  shutdown(): void {
    this.isShut = true;
  }

  end(): void {
    this.isShut = true;
  }

  terminate(): void {
    this.isShut = true;
    this.isTerminated = true;
  }
}
