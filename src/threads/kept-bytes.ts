/** The bytes of uploads that wait for a thread. All uploads of a process share one bound. */
import { Rejection } from '../terms/errors.ts';

/** Bytes that they may keep together. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** How long a client may have to wait for room, in ms: as long as a batch waits for a thread. */
const MAX_WAIT_MS = 20_000;

interface Waiter {
  body: object;
  goOn(): void;
}

export class KeptBytes {
  bytes = 0;
  /** Above this only one large upload is read on. When it is complete it gets a thread, and its bytes make room for the others. */
  readonly #full: number;
  #readOn: object | null = null;
  #waiting: Waiter[] = [];

  constructor(
    readonly max = MAX_KEPT_BYTES,
    readonly maxWaitMs = MAX_WAIT_MS,
  ) {
    this.#full = max * 0.75;
  }

  /** Resolves when a large `body` may take more bytes; until then its client is not read. Throws `Rejection` SERVICE_UNAVAILABLE after `maxWaitMs`. */
  async room(body: object): Promise<void> {
    if (this.#mayTake(body)) return;
    const isGranted = await new Promise<boolean>(resolve => {
      const timer = setTimeout(() => resolve(false), this.maxWaitMs);
      const goOn = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiting.push({ body, goOn });
    });
    if (isGranted) return;
    this.#waiting = this.#waiting.filter(waiter => waiter.body !== body);
    throw noRoom();
  }

  /** Throws `Rejection` SERVICE_UNAVAILABLE if there is no room. */
  add(bytes: number): void {
    if (bytes > 0 && this.bytes + bytes > this.max) throw noRoom();
    this.bytes += bytes;
  }

  /** A thread has the bytes of `body`, or nobody needs them any more. */
  remove(body: object, bytes: number): void {
    this.bytes -= bytes;
    this.letOthersGo(body);
  }

  /** The client of `body` pauses, or its bytes are gone: another upload may be read on. */
  letOthersGo(body: object): void {
    if (this.#readOn === body) this.#readOn = null;
    while (this.#waiting.length > 0 && this.#mayTake(this.#waiting[0]!.body)) this.#waiting.shift()!.goOn();
  }

  #mayTake(body: object): boolean {
    if (this.bytes <= this.#full || this.#readOn === body) return true;
    if (this.#readOn !== null) return false;
    this.#readOn = body;
    return true;
  }
}

const noRoom = (): Rejection =>
  new Rejection('SERVICE_UNAVAILABLE', 'Too many uploads are in progress; try again in a moment', {
    'Retry-After': '1',
  });

export const processKeptBytes = new KeptBytes();
