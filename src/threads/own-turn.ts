/** Work of the main thread that takes milliseconds: one such piece in a turn of the event loop, so that small requests are served between two of them. */
import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a later turn, which nobody else gets. */
export function ownTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}
