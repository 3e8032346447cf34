/** Limits the bytes that streams hold in memory, for the process and for each account. */

export const MAX_STREAM_BYTES = 256 * 1024 * 1024;
/** Streams may be idle for days, so no account may take the place of all others. */
export const MAX_ACCOUNT_BYTES = MAX_STREAM_BYTES / 4;

export class StreamBytes {
  /** Of all streams. */
  bytes = 0;
  readonly #ofAccounts = new Map<string, number>();

  /** False if there is no room. One stream may have any size. */
  take(bytes: number): boolean {
    if (this.bytes > 0 && this.bytes + bytes > MAX_STREAM_BYTES) return false;
    this.bytes += bytes;
    return true;
  }

  /** Notes whose bytes were taken; false if the account holds too many. One stream may have any size. */
  assign(account: string, bytes: number): boolean {
    const before = this.#ofAccounts.get(account) ?? 0;
    if (before > 0 && before + bytes > MAX_ACCOUNT_BYTES) return false;
    this.#ofAccounts.set(account, before + bytes);
    return true;
  }

  /** `account`: null if they were assigned to none. */
  give(account: string | null, bytes: number): void {
    this.bytes -= bytes;
    if (account === null) return;
    const held = this.#ofAccounts.get(account)! - bytes;
    if (held > 0) this.#ofAccounts.set(account, held);
    else this.#ofAccounts.delete(account);
  }
}
