/**
 * RedisBaselines remembers what was called off also for a source without a baseline. The store for SQLite does not: there, no call runs after
 * its caller has given up.
 */
import type { BaselineStore } from '../../src/stores/ports.ts';
import { changed } from './changed.ts';

export class CalledOff {
  /** Ids by account and source. All gates share them. */
  readonly #ids = new Map<string, Set<string>>();

  /** The store for SQLite, remembering as the one for Redis. */
  added(store: BaselineStore): BaselineStore {
    return changed(store, {
      append: async (account, source, entry, bounds) =>
        !this.#of(account, source).has(entry.id) && (await store.append(account, source, entry, bounds)),
      callOff: async (account, source, id) => {
        const isOff = await store.callOff(account, source, id);
        if (isOff) this.#of(account, source).add(id);
        return isOff;
      },
      restore: async (account, source, ...rest) => {
        const isRestored = await store.restore(account, source, ...rest);
        if (isRestored) this.#of(account, source).clear();
        return isRestored;
      },
      reset: async (account, source) => {
        await store.reset(account, source);
        if (source !== undefined) this.#of(account, source).clear();
      },
    });
  }

  #of(account: string, source: string): Set<string> {
    const name = `${account} ${source}`;
    const ids = this.#ids.get(name) ?? new Set();
    this.#ids.set(name, ids);
    return ids;
  }
}
