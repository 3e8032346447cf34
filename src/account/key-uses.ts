/**
 * Records when keys were last used. Requests record it in memory, and a timer writes it to the store, so that a use
 * costs no write. A process that is killed loses only the uses that it has not written.
 */
import { setImmediate } from 'node:timers/promises';
import type { KeyEntry, KeyStore } from '../stores/ports.ts';

/** Keys per write, so that each write ends before the store's timeout. */
const WRITTEN_AT_ONCE = 100;

export class KeyUses {
  readonly #store: Pick<KeyStore, 'touch'>;
  /** The latest use that is not written yet, in ms, by key id. */
  readonly #unwritten = new Map<string, number>();

  constructor(store: Pick<KeyStore, 'touch'>) {
    this.#store = store;
  }

  /** Records a use at `at` (ms). Null: the request has no key. */
  note(key: string | null, at: number): void {
    if (key !== null) this.#unwritten.set(key, Math.max(at, this.#unwritten.get(key) ?? at));
  }

  /** The last use that the store or this process knows, in ms; null: never. */
  lastUsed({ id, lastUsed }: Pick<KeyEntry, 'id' | 'lastUsed'>): number | null {
    const noted = this.#unwritten.get(id);
    if (noted === undefined) return lastUsed;
    return Math.max(noted, lastUsed ?? noted);
  }

  /** Writes the recorded uses. Throws what the store throws, and keeps what is not written for the next call. */
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
