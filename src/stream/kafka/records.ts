/** Messages of kafkajs as those of the port, and back. */
import type { Batch, IHeaders, KafkaMessage, Message as KafkajsMessage } from 'kafkajs';
import type { HeaderValue, Message, MessageHeaders, Outgoing } from '../port.ts';

/**
 * Bytes of the messages that are sent at once to a partition. kafkajs makes one record batch of them, and the default limit of a
 * topic is 1,048,588 bytes for one.
 */
const MAX_SENT_BYTES = 768 * 1024;
/** Upper bounds of what a record and a header take besides their bytes. */
const RECORD_BYTES = 32;
const HEADER_BYTES = 10;

export function messagesOf(batch: Batch): Message[] {
  const last = batch.messages.length - 1;
  const end = Number(batch.lastOffset()) + 1;
  return batch.messages.map((message, i) => messageOf(message, i === last ? end : null));
}

function messageOf({ offset, key, value, headers, timestamp }: KafkaMessage, next: number | null): Message {
  const at = Number(offset);
  return {
    offset: at,
    next: next ?? at + 1,
    key,
    value,
    headers: (headers ?? {}) as MessageHeaders,
    timestamp,
  };
}

/** By partition. */
type Grouped = Record<number, KafkajsMessage[]>;

/** Parts of an order that may be sent one after the other. */
export function* partsOf(
  messages: readonly Outgoing[],
): Generator<{ topic: string; messages: KafkajsMessage[] }[]> {
  let part = new Map<string, Grouped>();
  let bytes = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    if (bytes > 0 && bytes + size > MAX_SENT_BYTES) {
      yield listed(part);
      part = new Map();
      bytes = 0;
    }
    bytes += size;
    const { topic, partition } = message;
    if (!part.has(topic)) part.set(topic, {});
    const grouped = part.get(topic)!;
    grouped[partition] ??= [];
    grouped[partition].push(recordOf(message));
  }
  if (bytes > 0) yield listed(part);
}

const listed = (part: ReadonlyMap<string, Grouped>) =>
  [...part].map(([topic, grouped]) => ({ topic, messages: arrayOf(grouped) }));

/**
 * kafkajs groups messages by partition with `reduce`, and for each message copies all before it: half of the time of a
 * window. Here `reduce` answers with the groups that we have.
 */
const arrayOf = (grouped: Grouped): KafkajsMessage[] =>
  Object.defineProperty(Object.values(grouped).flat(), 'reduce', { value: () => grouped });

function recordOf({ key, value, headers, timestamp, partition }: Outgoing): KafkajsMessage {
  return { key: bufferOf(key), value: bufferOf(value), headers: headersOf(headers), timestamp, partition };
}

const bufferOf = (bytes: Uint8Array | null): Buffer | null =>
  bytes === null || Buffer.isBuffer(bytes)
    ? (bytes as Buffer | null)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

function headersOf(headers: MessageHeaders): IHeaders {
  const names = Object.keys(headers);
  if (names.length === 0) return headers as IHeaders;
  return Object.fromEntries(
    names.map(name => {
      const value = headers[name]!;
      return [name, Array.isArray(value) ? value.map(headerOf) : headerOf(value)];
    }),
  );
}

const headerOf = (value: HeaderValue): Buffer | string =>
  value === null ? nullHeader() : typeof value === 'string' ? value : bufferOf(value)!;

/**
 * kafkajs reads headers whose value is null, and fails to write them: it asks for the byte length of null. This buffer has one.
 * kafkajs writes its `length`, -1 as Kafka writes null, and then asks again how many bytes to copy.
 */
export function nullHeader(): Buffer {
  let asked = 0;
  return Object.defineProperty(Buffer.alloc(0), 'length', { get: () => (asked++ % 2 === 0 ? -1 : 0) });
}

function sizeOf({ key, value, headers }: Outgoing): number {
  let bytes = RECORD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const name of Object.keys(headers)) {
    const values = headers[name]!;
    for (const each of Array.isArray(values) ? values : [values])
      bytes += HEADER_BYTES + 3 * name.length + 3 * (each?.length ?? 0);
  }
  return bytes;
}
