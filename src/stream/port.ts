/**
 * Port: what the gate needs of Kafka. An implementation keeps these promises: a reader sees no row of an aborted transaction;
 * opening a writer of a partition ends the transactions of all earlier writers of it, in any process, so that none of them can
 * commit afterwards; and a commit is whole or nothing.
 */

export interface TopicPartition {
  topic: string;
  partition: number;
}

/** By name; a name that occurs several times has a list. A value may be null. */
export type MessageHeaders = Record<string, HeaderValue | HeaderValue[]>;
export type HeaderValue = Uint8Array | string | null;

export interface Message {
  offset: number;
  /** The offset to read after this one: another one may be missing, or belong to the end of a transaction. */
  next: number;
  key: Uint8Array | null;
  /** Null: a tombstone. */
  value: Uint8Array | null;
  headers: MessageHeaders;
  /** In ms, as decimal digits. */
  timestamp: string;
}

/** What is written to a topic, in order. */
export interface Outgoing extends Omit<Message, 'offset' | 'next'> {
  topic: string;
  partition: number;
}

/** How far a partition has been consumed. `note` is a text of ours that Kafka keeps with the offset. */
export interface Position {
  offset: number;
  note: string;
}

/** Writes what comes of one input partition. */
export interface Writer {
  /** What the group has committed; null: nothing yet. */
  readonly position: Position | null;
  /** Writes all of these and the position in one transaction. Throws `KafkaFailure`; then nobody may use the writer again. */
  commit(messages: readonly Outgoing[], position: Position): Promise<void>;
  close(): Promise<void>;
}

export interface Handlers {
  /** A new generation of the group: these partitions are ours, and are paused. All earlier ones are not ours any more. */
  assigned(partitions: TopicPartition[], reader: Reader): void;
  /** Messages in order: all that exist from the offset `from` on. `end` is the offset after the last one that exists. */
  messages(of: TopicPartition, messages: Message[], fetched: { from: number; end: number }): void;
  /** The connection to the group is lost; it is tried again. */
  failed(error: KafkaFailure): void;
}

export interface Reader {
  /** Reads on at this offset; null: where the group begins. */
  resume(at: TopicPartition, offset: number | null): void;
  pause(partition: TopicPartition): void;
  unpause(partition: TopicPartition): void;
  /** Leaves the group. */
  stop(): Promise<void>;
}

export interface Kafka {
  /** How many partitions a topic has. Throws `KafkaFailure`. */
  partitionsOf(topic: string): Promise<number>;
  /** Offset of the first message that still exists. Throws `KafkaFailure`. */
  beginningOf(at: TopicPartition): Promise<number>;
  read(topics: readonly string[], handlers: Handlers): Reader;
  openWriter(input: TopicPartition): Promise<Writer>;
  close(): Promise<void>;
}

export const FAILURES = [
  'broker_away',
  'missing_topic',
  'not_authorized',
  'not_trusted',
  'too_large',
  'fenced',
  'unreadable_batch',
  'timed_out',
  'deleted',
  'other',
] as const;

export type FailureKind = (typeof FAILURES)[number];

/** What Kafka refused or did not answer. The message is one line, for the log. */
export class KafkaFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
