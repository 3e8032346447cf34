/** What RedisBaselines adds to a baseline store with a network in between: an append without an answer is called off, before or after it runs. */
import { retryInBackground } from '../../src/background-retry.ts';
import type { BaselineStore, Bounds, StoredState } from '../../src/stores/ports.ts';
import type { Wire } from './wire.ts';

export function calledOffBaselines(
  wired: BaselineStore,
  { wire, store }: { wire: Wire; store: BaselineStore },
): BaselineStore {
  const append = async (
    account: string,
    source: string,
    entry: StoredState,
    bounds?: Bounds,
  ): Promise<boolean> => {
    const { id } = entry;
    const callOff = () => wire.call(`baselines.callOff ${id}`, () => store.callOff(account, source, id));
    try {
      return await wire.call(`baselines.append ${id}`, () => store.append(account, source, entry, bounds));
    } catch (error) {
      void retryInBackground(callOff).catch(() => {});
      throw error;
    }
  };
  return new Proxy(wired, {
    get: (target, name) => (name === 'append' ? append : Reflect.get(target, name)),
  });
}
