/** Divides messages into parts, which kafkajs sends one after the other. Messages become records in `protocol.ts`. */
import type { Message as KafkajsMessage } from 'kafkajs';
import { bytesOf, type Outgoing } from '../port.ts';
import { groupedByPartition } from './patches.ts';

/** Most bytes of the messages of a part. The default limit of a topic for one record batch is 1,048,588 bytes. */
const MAX_SENT_BYTES = 768 * 1024;
/** Upper bound of what a record takes besides its content. */
const RECORD_BYTES = 32;

export interface Part {
  messages: Outgoing[];
  /** True for a single message that is too large for most topics. Its producer may have compressed it, too. */
  isCompressed: boolean;
}

export function* partsOf(messages: readonly Outgoing[]): Generator<Part> {
  let part: Outgoing[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = RECORD_BYTES + bytesOf(message);
    if (part.length > 0 && bytes + size > MAX_SENT_BYTES) {
      yield { messages: part, isCompressed: bytes > MAX_SENT_BYTES };
      part = [];
      bytes = 0;
    }
    bytes += size;
    part.push(message);
  }
  if (part.length > 0) yield { messages: part, isCompressed: bytes > MAX_SENT_BYTES };
}

/** Parts that each go to one partition: if the broker refuses such a part, it has written nothing of it. */
export function* partsOfPartitions(messages: readonly Outgoing[]): Generator<Part> {
  const partitions = Map.groupBy(messages, ({ topic, partition }) => `${topic}/${partition}`);
  for (const group of partitions.values()) yield* partsOf(group);
}

export function topicMessagesOf(
  messages: readonly Outgoing[],
): { topic: string; messages: KafkajsMessage[] }[] {
  const topics = Map.groupBy(messages, ({ topic }) => topic);
  return [...topics].map(([topic, group]) => ({ topic, messages: groupedByPartition(group) }));
}
