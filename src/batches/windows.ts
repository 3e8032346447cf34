/**
 * Windows: a source that gets many small posts may have them as one batch. A post is judged alone when it comes. What its rows leave behind is appended to the open window of the source, which
 * is judged by the past when it ends: see `window-end.ts`.
 *
 * Posts that come at the same time are measured and appended together, and each is answered when that is durable. A process appends for a source one group at a time; several processes may
 * append to the same window.
 */
import { LRUCache } from 'lru-cache';
import type { Screened, WindowedPost, Windows as WindowsOfScreening } from '../screen/dependencies.ts';
import { keyOf } from '../threads/threads.ts';
import type { WindowDependencies } from './dependencies.ts';
import { WindowEnds } from './window-end.ts';
import { WindowLane } from './window-lane.ts';

/** Sources whose open windows are remembered. */
const MOST_LANES = 1000;

export class Windows implements WindowsOfScreening {
  readonly ends: WindowEnds;
  readonly #deps: () => WindowDependencies;
  readonly #lanes = new LRUCache<string, WindowLane>({ max: MOST_LANES });

  /** `deps`: asked for when the first post comes. */
  constructor(deps: () => WindowDependencies) {
    this.#deps = deps;
    this.ends = new WindowEnds(deps);
  }

  /** Throws `Rejection`, and `ClaimLost`. */
  add(posted: WindowedPost): Promise<Screened> {
    const { account, source } = posted;
    const key = keyOf(account.id, source);
    const lane = this.#lanes.get(key) ?? new WindowLane(account.id, this.#deps(), this.ends);
    this.#lanes.set(key, lane);
    return lane.add(posted);
  }
}
