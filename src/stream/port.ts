/**
 * Port: what the gate needs of Kafka. An implementation keeps these promises: a reader sees no row of an aborted transaction;
 * opening a writer of a partition ends the transactions of all earlier writers of it, in any process, so that none of them can
 * commit afterwards; and a commit is whole or nothing.
 */

import type { MessageHeaders } from './headers.ts';

export interface TopicPartition {
  topic: string;
  partition: number;
}

export interface Message {
  offset: number;
  /** The offset to read after this one: another one may be missing, or belong to the end of a transaction. */
  next: number;
  key: Uint8Array | null;
  /** Null: a tombstone. */
  value: Uint8Array | null;
  headers: MessageHeaders;
  /** In ms, 64 bits; -1: none. */
  timestamp: bigint;
  /** Why the message could not be decoded; null if it could. */
  fault: string | null;
}

/** Bytes of key, value and headers together. */
export const bytesOf = ({ key, value, headers }: Pick<Message, 'key' | 'value' | 'headers'>): number =>
  (key?.length ?? 0) + (value?.length ?? 0) + headers.bytes.length;

/** What is written to a topic, in order. */
export interface Outgoing extends Omit<Message, 'offset' | 'next' | 'fault'> {
  topic: string;
  partition: number;
  /** Makes the message that is written if the broker refuses this one; null if there is no replacement. */
  instead: ((refusal: Refusal) => Outgoing) | null;
}

/** Why a broker does not accept a message, however often it is sent. */
export interface Refusal {
  kind: 'too_large' | 'refused';
  topic: string;
  /** The topic refuses its timestamp. */
  isTimestamp: boolean;
  /** The reason, with the name of the topic. */
  message: string;
}

/** How far a partition has been consumed. `note` is a text of ours that Kafka keeps with the offset. */
export interface Position {
  offset: number;
  note: string;
}

/** Writes what comes of one input partition. */
export interface Writer {
  /** The committed offsets of the group in the topic, by partition. */
  readonly positions: ReadonlyMap<number, Position>;
  /**
   * Writes the messages and the position in one transaction. Returns the refusals of the broker, of messages and of their
   * replacements. Throws `KafkaFailure`; then nobody may use the writer again.
   */
  commit(messages: readonly Outgoing[], position: Position): Promise<readonly Refusal[]>;
  close(): Promise<void>;
}

export interface FetchedRange {
  from: number;
  next: number;
  /** The offset after the last message of the partition. */
  end: number;
}

export interface Handlers {
  /** A new generation of the group: these partitions are ours, and are paused. All earlier ones are not ours any more. */
  assigned(partitions: TopicPartition[], reader: Reader): void;
  /** Messages in order: all that exist from the offset `from` to before `next`, which may be none. */
  messages(of: TopicPartition, messages: Message[], fetched: FetchedRange): void;
  /** The broker has no such offset: nothing of the partition is read until it is resumed. */
  outOfRange(of: TopicPartition, offset: number): void;
  /** The connection to the group is lost; it is tried again. */
  failed(error: KafkaFailure): void;
}

export interface Reader {
  /** Reads on at this offset. */
  resume(at: TopicPartition, offset: number): void;
  pause(partition: TopicPartition): void;
  unpause(partition: TopicPartition): void;
  /** Leaves the group. */
  stop(): Promise<void>;
}

/** What a broker has of a partition. */
export interface PartitionLog {
  /** Changes when the topic is deleted and created again; null: the broker is older than Kafka 2.8. */
  topicId: string | null;
  /** Number of partitions of the topic. */
  partitions: number;
  /** Offset of the first message that still exists. */
  beginning: number;
  /** The offset after the last message that can be read. */
  end: number;
}

export interface Kafka {
  /** How many partitions a topic has. Throws `KafkaFailure`. */
  partitionsOf(topic: string): Promise<number>;
  /** `offset`: one that the log had. If the `end` is before it, messages are lost; an open transaction is not the reason. Throws `KafkaFailure`. */
  logOf(at: TopicPartition, offset: number): Promise<PartitionLog>;
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
  'refused',
  'fenced',
  'unreadable_batch',
  'timed_out',
  'deleted',
  'out_of_range',
  'recreated',
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
