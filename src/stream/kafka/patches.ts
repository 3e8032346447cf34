/**
 * Two faults of kafkajs that it has no option for. `test/stream/patches.test.ts` fails when a version no longer has one of them: then its patch goes.
 * Requests that are ours on purpose are in `protocol.ts`.
 */
import type { Message } from 'kafkajs';
// @ts-expect-error No types: kafkajs does not export it.
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import type { Outgoing } from '../port.ts';

interface Queue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

const { prototype } = RequestQueue as { prototype: Queue };
const check = prototype.scheduleCheckPendingRequests;

/**
 * kafkajs checks the queue of each connection every millisecond, even an empty one, with timers that are due in the past; Bun warns of those. With this
 * patch it checks a queue only while a request waits in it: adding a request starts the checks again.
 */
export function restEmptyQueues(): void {
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) check.call(this);
  };
}

/**
 * kafkajs groups messages by partition with `reduce`, and for each message copies all before it: half of the time of a window. Here `reduce`
 * answers with the groups.
 */
export function groupedByPartition(messages: Outgoing[]): Message[] {
  const groups = Object.fromEntries(Map.groupBy(messages, ({ partition }) => partition));
  return Object.defineProperty(messages, 'reduce', { value: () => groups }) as unknown as Message[];
}
