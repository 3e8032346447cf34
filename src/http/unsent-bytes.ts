/**
 * Bounds the bytes of answers that one account's clients have asked for and not yet read. A client that asks for many large answers at
 * once, or reads none of them, would otherwise fill the memory and hold up all others. Kept by each process for itself.
 */
import { Rejection } from '../terms/errors.ts';
import { whenSent } from './sent.ts';

/** Eight of the largest jobs. */
export const MAX_UNSENT_BYTES = 16 * 1024 * 1024;
/** As many as an account may ask for at once. */
const MAX_WAITING = 100;
const WAIT_MS = 10_000;

interface Unsent {
  bytes: number;
  /** Of them of screenings. */
  screened: number;
  /** First come, first served. */
  waiting: { bytes: number; start(): void }[];
}

export class UnsentBytes {
  readonly #accounts = new Map<string, Unsent>();

  constructor(
    readonly maxBytes = MAX_UNSENT_BYTES,
    readonly waitMs = WAIT_MS,
  ) {}

  /** Waits until an answer of at most `bytes` may be made; it counts until it has left. Throws `Rejection` RATE_LIMITED. */
  async reserve(request: Request, account: string, bytes: number): Promise<void> {
    const unsent = this.#of(account);
    if (unsent.waiting.length > 0 || !this.#fits(unsent, bytes)) await this.#wait(unsent, bytes);
    else unsent.bytes += bytes;
    whenSent(request, () => this.#release(account, unsent, bytes));
  }

  /** Counts the answer of a screening, which cannot wait. */
  add(request: Request, account: string, bytes: number): void {
    const unsent = this.#of(account);
    unsent.bytes += bytes;
    unsent.screened += bytes;
    whenSent(request, () => {
      unsent.screened -= bytes;
      this.#release(account, unsent, bytes);
    });
  }

  /** Throws `Rejection` RATE_LIMITED while clients leave too many bytes of screening answers unread. Other answers do not count: reading jobs must not stop a pipeline. */
  check(account: string): void {
    const screened = this.#accounts.get(account)?.screened ?? 0;
    if (screened >= this.maxBytes) throw tooMany();
  }

  /** Accounts with answers on their way. */
  get size(): number {
    return this.#accounts.size;
  }

  #of(account: string): Unsent {
    const unsent = this.#accounts.get(account) ?? { bytes: 0, screened: 0, waiting: [] };
    this.#accounts.set(account, unsent);
    return unsent;
  }

  #fits = ({ bytes: taken }: Unsent, bytes: number): boolean => taken === 0 || taken + bytes <= this.maxBytes;

  async #wait(unsent: Unsent, bytes: number): Promise<void> {
    if (unsent.waiting.length >= MAX_WAITING) throw tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { bytes, start: resolve };
    unsent.waiting.push(waiter);
    const timer = setTimeout(() => {
      unsent.waiting.splice(unsent.waiting.indexOf(waiter), 1);
      reject(tooMany());
    }, this.waitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  #release(account: string, unsent: Unsent, bytes: number): void {
    unsent.bytes -= bytes;
    for (let next = unsent.waiting[0]; next && this.#fits(unsent, next.bytes); next = unsent.waiting[0]) {
      unsent.waiting.shift();
      unsent.bytes += next.bytes;
      next.start();
    }
    if (unsent.bytes === 0 && unsent.waiting.length === 0) this.#accounts.delete(account);
  }
}

const tooMany = () =>
  new Rejection('RATE_LIMITED', 'Large answers wait to be read: read them, and ask for fewer at once', {
    'Retry-After': '1',
  });
