/** Sends messages in a transaction, and finds those that the broker refuses. */
import { CompressionTypes, type RecordMetadata, type Transaction } from 'kafkajs';
import { KafkaFailure, type Outgoing, type Refusal } from '../port.ts';
import { isConcurrent, refusalIn } from './failures.ts';
import { type Part, partsOf, partsOfPartitions, topicMessagesOf } from './records.ts';

/** The broker ends the last transaction within milliseconds, unless brokers are restarting. */
const CONCURRENT_TRIES = 12;
const CONCURRENT_MS = 2;
const MOST_CONCURRENT_MS = 1000;

/** Throws `KafkaFailure` if a broker refuses a part. Then the transaction must not go on: some partitions may have the part, others not. */
export async function send(transaction: Transaction, messages: readonly Outgoing[]): Promise<void> {
  for (const part of partsOf(messages))
    try {
      await sendPart(transaction, part);
    } catch (error) {
      const refusal = refusalIn(error, topicsOf(part));
      throw refusal ? new KafkaFailure(refusal.kind, refusal.message) : error;
    }
}

/** Replaces each refused message by its `instead`, and returns all refusals. Throws `KafkaFailure` if a refused message has no replacement. */
export async function sendCarefully(
  transaction: Transaction,
  messages: readonly Outgoing[],
): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  for (let left = messages; left.length > 0; ) {
    const refused: Refused[] = [];
    for (const part of partsOfPartitions(left)) refused.push(...(await refusedOf(transaction, part)));
    left = refused.map(({ message, refusal }) => {
      if (message.instead === null) throw new KafkaFailure(refusal.kind, refusal.message);
      return message.instead(refusal);
    });
    refusals.push(...refused.map(({ refusal }) => refusal));
  }
  return refusals;
}

interface Refused {
  message: Outgoing;
  refusal: Refusal;
}

/** Sends the part and returns what is refused. If the broker does not name the messages, halves are sent, and in the end each message alone and compressed. */
async function refusedOf(transaction: Transaction, part: Part): Promise<Refused[]> {
  try {
    await sendPart(transaction, part);
    return [];
  } catch (error) {
    const refusal = refusalIn(error, topicsOf(part));
    if (refusal === null) throw error;
    const { messages, isCompressed } = part;
    const isFinal = messages.length === 1 && (isCompressed || refusal.kind !== 'too_large');
    const named: ReadonlyMap<number, Refusal> =
      isFinal && refusal.records.size === 0 ? new Map([[0, refusal]]) : refusal.records;
    const refused: Refused[] = [...named].map(([i, each]) => ({ message: messages[i]!, refusal: each }));
    const left = named.size > 0 ? [messages.filter((_, i) => !named.has(i))] : halvesOf(messages);
    for (const smaller of left.filter(({ length }) => length > 0))
      refused.push(
        ...(await refusedOf(transaction, { messages: smaller, isCompressed: smaller.length === 1 })),
      );
    return refused;
  }
}

function halvesOf(messages: Outgoing[]): Outgoing[][] {
  const middle = Math.ceil(messages.length / 2);
  return [messages.slice(0, middle), messages.slice(middle)];
}

async function sendPart(transaction: Transaction, { messages, isCompressed }: Part): Promise<void> {
  const compression = isCompressed ? CompressionTypes.GZIP : CompressionTypes.None;
  const topicMessages = topicMessagesOf(messages);
  const written = await retried(() => transaction.sendBatch({ topicMessages, acks: -1, compression }));
  checkWritten(messages, written);
}

/** Throws if a partition is missing: kafkajs silently leaves out messages for partitions that it does not know yet. */
function checkWritten(messages: readonly Outgoing[], written: readonly RecordMetadata[]): void {
  const known = new Set(written.map(({ topicName, partition }) => `${topicName}/${partition}`));
  const missing = messages.find(({ topic, partition }) => !known.has(`${topic}/${partition}`));
  if (missing) throw new KafkaFailure('other', `the partition ${missing.topic}/${missing.partition} is new`);
}

const topicsOf = ({ messages }: Part): string => [...new Set(messages.map(({ topic }) => topic))].join(', ');

/** Tries again while the coordinator still ends the last transaction. It has not changed anything then. */
export async function retried<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await request();
    } catch (error) {
      if (!isConcurrent(error) || tries === CONCURRENT_TRIES) throw error;
      await Bun.sleep(Math.min(MOST_CONCURRENT_MS, CONCURRENT_MS * 2 ** tries));
    }
}
