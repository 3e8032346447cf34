/** kafkajs checks the queue of each connection every millisecond, even an empty one. Its timers are in the past, and Bun warns of each. */
// @ts-expect-error No types: kafkajs does not export it.
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

interface Queue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

const { prototype } = RequestQueue as { prototype: Queue };
const check = prototype.scheduleCheckPendingRequests;

/** From now on kafkajs checks a queue only while a request waits in it: adding a request starts the checks again. */
export function restEmptyQueues(): void {
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) check.call(this);
  };
}
