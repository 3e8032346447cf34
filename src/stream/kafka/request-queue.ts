/** kafkajs looks at the queue of each connection every millisecond, also if it is empty, by a timer in the past, about which Bun warns. */
// @ts-expect-error No types: kafkajs does not export it.
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

interface Queue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

const { prototype } = RequestQueue as { prototype: Queue };
const look = prototype.scheduleCheckPendingRequests;

/** From now on it looks while something waits. Whatever is added later makes it look again. */
export function restEmptyQueues(): void {
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) look.call(this);
  };
}
