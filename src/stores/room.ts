/** Room for what accounts keep: where a change has none, the account's oldest versions give way; else the change is refused. */
import type { Bounds, Kept } from './ports.ts';

/** A change that was not made, because it would pass a bound. */
export interface Passed {
  bound: keyof Kept;
  kept: Kept;
  /** Bytes by which it would pass it. */
  excess: number;
}

/** A store whose versions can give way. */
export interface Roomy {
  /** Deletes some of the account's oldest versions, if all together have `bytes`; false if they have not. */
  dropOldest(account: string, bytes: number): Promise<boolean>;
}

/** Makes a change. Throws the bound's refusal. */
export async function inRoom(
  store: Roomy,
  account: string,
  bounds: Bounds,
  change: () => Promise<boolean | Passed>,
): Promise<boolean> {
  const outcome = await ifRoom(store, account, change);
  if (typeof outcome === 'boolean') return outcome;
  throw bounds.refusal(outcome.bound, outcome.kept);
}

/** The same, but returns the bound that the change would pass. */
export async function ifRoom(
  store: Roomy,
  account: string,
  change: () => Promise<boolean | Passed>,
): Promise<boolean | Passed> {
  for (;;) {
    const outcome = await change();
    if (typeof outcome === 'boolean' || outcome.bound === 'sources') return outcome;
    if (!(await store.dropOldest(account, outcome.excess))) return outcome;
  }
}
