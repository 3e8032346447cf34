/**
 * When keys were last used. Every request notes it in memory, and what was noted is written now and then: a use costs no
 * write of its own. A process that is killed forgets what it had not written, which is when a key was used and nothing else.
 */
import { setImmediate } from 'node:timers/promises';
import type { KeyEntry, KeyStore } from '../stores/ports.ts';

/** Keys a write, which is done within the time that a store is given for an answer, however many keys are in use. */
const WRITTEN_AT_ONCE = 100;

export class KeyUses {
  readonly #store: Pick<KeyStore, 'touch'>;
  /** The latest use in ms by key id, until it is written: as many as there are keys in use. */
  readonly #unwritten = new Map<string, number>();

  constructor(store: Pick<KeyStore, 'touch'>) {
    this.#store = store;
  }

  /** Notes a use at `at` (ms). Null is a request that came without a key. */
  note(key: string | null, at: number): void {
    if (key !== null) this.#unwritten.set(key, Math.max(at, this.#unwritten.get(key) ?? at));
  }

  /** When the key was last used, in ms, as far as the store and this process know; null: never. */
  lastUsed({ id, lastUsed }: Pick<KeyEntry, 'id' | 'lastUsed'>): number | null {
    const noted = this.#unwritten.get(id);
    if (noted === undefined) return lastUsed;
    return Math.max(noted, lastUsed ?? noted);
  }

  /** Writes what was noted. Throws what the store throws, and then keeps what is not written for the next time. */
  async flush(): Promise<void> {
    const noted = [...this.#unwritten];
    for (let start = 0; start < noted.length; start += WRITTEN_AT_ONCE) {
      if (start > 0) await setImmediate();
      await this.#write(new Map(noted.slice(start, start + WRITTEN_AT_ONCE)));
    }
  }

  async #write(uses: ReadonlyMap<string, number>): Promise<void> {
    await this.#store.touch(uses);
    for (const [key, at] of uses) if (this.#unwritten.get(key) === at) this.#unwritten.delete(key);
  }
}
