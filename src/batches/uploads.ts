/** How many bodies of any length are measured at once: each has a state in every thread, and slices on their way. */
import { Rejection } from '../terms/errors.ts';

export const MAX_UPLOADS = 16;
/** So that no account has all of them. */
export const MAX_ACCOUNT_UPLOADS = 8;

export class Uploads {
  readonly #ofAccounts = new Map<string, number>();
  #all = 0;
  /** Batches whose states this process merges now, by id. */
  readonly folding = new Set<string>();

  /** Returns what ends it. Throws `Rejection` SERVICE_UNAVAILABLE. */
  begin(account: string): () => void {
    const ofAccount = this.#ofAccounts.get(account) ?? 0;
    if (this.#all >= MAX_UPLOADS || ofAccount >= MAX_ACCOUNT_UPLOADS)
      throw new Rejection(
        'SERVICE_UNAVAILABLE',
        `${ofAccount >= MAX_ACCOUNT_UPLOADS ? MAX_ACCOUNT_UPLOADS : MAX_UPLOADS} large bodies are being read, which is as many as may be at once; send this one again when another is answered`,
        { 'Retry-After': '1' },
      );
    this.#all++;
    this.#ofAccounts.set(account, ofAccount + 1);
    return () => {
      this.#all--;
      const left = this.#ofAccounts.get(account)! - 1;
      if (left === 0) this.#ofAccounts.delete(account);
      else this.#ofAccounts.set(account, left);
    };
  }
}
