/** Deletes the oldest jobs of accounts that keep more bytes than they may, in the background. */
import { setImmediate } from 'node:timers/promises';

/** The sum is read when a process has written this share of the bytes: often enough that all processes together pass them by little. */
const CHECKED_SHARE = 1 / 256;
/** Few: a report may take megabytes, and not many more should go than must. */
const OLDEST_AT_ONCE = 5;

type Prune = (account: string, mostBytes: number, limit: number) => Promise<number>;

export class KeptReports {
  readonly #prune: Prune;
  /** Bytes written by account since the sum was read; null while jobs are deleted. */
  readonly #unchecked = new Map<string, number | null>();

  constructor(prune: Prune) {
    this.#prune = prune;
  }

  /** Notes what was written. The account may keep `mostBytes`. */
  wrote(account: string, bytes: number, mostBytes: number): void {
    const before = this.#unchecked.get(account);
    if (before === null) return;
    const unchecked = (before ?? 0) + bytes;
    const isDue = unchecked >= mostBytes * CHECKED_SHARE;
    this.#unchecked.set(account, isDue ? null : unchecked);
    // If the store is away, the next check deletes more.
    if (isDue) void this.#pruneAll(account, mostBytes).catch(() => {});
  }

  async #pruneAll(account: string, mostBytes: number): Promise<void> {
    try {
      // First the answers leave.
      do await setImmediate();
      while ((await this.#prune(account, mostBytes, OLDEST_AT_ONCE)) > 0);
    } finally {
      this.#unchecked.delete(account);
    }
  }
}
