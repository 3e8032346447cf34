/**
 * Reads and writes record batches of Kafka (magic 2). kafkajs can do both, but it keeps headers in a `{}`, in quadratic time; it
 * keeps timestamps in floats; it takes a message whose key is four zero bytes for the end of a transaction; and it never gets past
 * a batch that compaction has emptied.
 *
 * A batch that cannot be decoded does not stop reading: it becomes one message, with the bytes of the batch and the fault. Only a
 * batch that is shorter than its own head stops it, because nobody knows where the next one begins.
 */
// @ts-expect-error No types: kafkajs does not export them.
import LegacyDecoder from 'kafkajs/src/protocol/messageSet/decoder.js';
// @ts-expect-error
import ProtocolDecoder from 'kafkajs/src/protocol/decoder.js';
// @ts-expect-error
import crc32c from 'kafkajs/src/protocol/recordBatch/crc32C/index.js';
import { MessageHeaders } from '../headers.ts';
import { bytesOf, KafkaFailure, type Message, type Outgoing } from '../port.ts';
import { sizeOfInt, sizeOfLong, sizeOfSized, VarintReader, VarintWriter } from '../varint.ts';
import { grouped } from '../../terms/wording.ts';
import { compressed, decompressing, GZIP } from './compression.ts';

/** https://kafka.apache.org/documentation/#recordbatch */
const AT = {
  length: 8,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  count: 57,
  records: 61,
};
/** Bytes of a batch that its field `length` does not count. */
const BEFORE_LENGTH = 12;
const MAGIC = 2;
const CODEC = 7;
const LOG_APPEND_TIME = 8;
const TRANSACTIONAL = 16;
const CONTROL = 32;

/** A batch is read in parts of at most so many records and bytes. A larger record is a part of its own. */
export const MAX_READ_RECORDS = 10_000;
export const MAX_READ_BYTES = 8 * 1024 * 1024;
/** Most records of a batch: each part has to skip all records before it. A megabyte, which is much for a batch, has 150,000 at most. */
export const MAX_RECORDS = 1_000_000;

export interface Aborted {
  producerId: bigint;
  firstOffset: number;
}

export interface Fetched {
  /** Record batches; the last one may be cut. */
  bytes: Buffer;
  aborted: readonly Aborted[];
  /** Where to read from: the first batch may begin before it. */
  from: number;
  /** A message of more bytes than this is not read. */
  mostBytes: number;
}

export interface Read {
  messages: Message[];
  /** The offset to read next. */
  next: number;
}

/** Reads the committed messages, or the first part of them if there are many. Throws `KafkaFailure` if nothing can be read at `from`. */
export async function readBatches({ bytes, aborted, from, mostBytes }: Fetched): Promise<Read> {
  const reading = new Reading(from, mostBytes);
  const transactions = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const abortedProducers = new Set<bigint>();
  try {
    for (const batch of batchesIn(bytes)) {
      if (batch.last < from) continue;
      while (transactions.length > 0 && transactions[0]!.firstOffset <= batch.last)
        abortedProducers.add(transactions.shift()!.producerId);
      // A control batch ends the transaction of its producer, aborted or not.
      if (batch.attributes & CONTROL) abortedProducers.delete(batch.producerId);
      else if (!(batch.attributes & TRANSACTIONAL && abortedProducers.has(batch.producerId))) {
        if (!(await reading.readBatch(batch))) break;
      }
      reading.passed(batch.last);
    }
  } catch (error) {
    // What comes before the broken batch is read first.
    if (!(error instanceof KafkaFailure) || reading.read.next === from) throw error;
  }
  return reading.read;
}

interface RecordBatch {
  bytes: Buffer;
  magic: number;
  attributes: number;
  first: number;
  last: number;
  producerId: bigint;
}

/** Throws `KafkaFailure` for a batch that is shorter than its own head. */
function* batchesIn(bytes: Buffer): Generator<RecordBatch> {
  for (let at = 0; at + AT.crc <= bytes.length; ) {
    const size = BEFORE_LENGTH + bytes.readInt32BE(at + AT.length);
    const magic = bytes[at + AT.magic]!;
    const first = Number(bytes.readBigInt64BE(at));
    if (size < (magic < MAGIC ? AT.crc : AT.records))
      throw new KafkaFailure(
        'unreadable_batch',
        `the broker sent a record batch of ${size} bytes at the offset ${first}, which is too short for one`,
      );
    const end = at + size;
    if (end > bytes.length) return;
    const batch = bytes.subarray(at, end);
    if (magic < MAGIC) yield { bytes: batch, magic, attributes: 0, first, last: first, producerId: -1n };
    else
      yield {
        bytes: batch,
        magic,
        attributes: batch.readInt16BE(AT.attributes),
        first,
        last: first + batch.readInt32BE(AT.lastOffsetDelta),
        producerId: batch.readBigInt64BE(AT.producerId),
      };
    at = end;
  }
}

class Reading {
  readonly read: Read;
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(from: number, mostBytes: number) {
    this.read = { messages: [], next: from };
    this.#mostBytes = mostBytes;
  }

  /** Goes on after a batch, even if its last offsets have no message: compaction deletes some, and aborted ones are skipped. */
  passed(last: number): void {
    this.read.next = Math.max(this.read.next, last + 1);
    const message = this.read.messages.at(-1);
    if (message) message.next = this.read.next;
  }

  /** False if a part of the batch is left for the next read. */
  async readBatch(batch: RecordBatch): Promise<boolean> {
    try {
      return batch.magic < MAGIC ? await this.#readLegacy(batch) : await this.#readRecords(batch);
    } catch (error) {
      const { next } = this.read;
      return this.#add({
        offset: Math.max(next, batch.first),
        next: batch.last + 1,
        key: null,
        value: batch.bytes,
        headers: MessageHeaders.NONE,
        timestamp: batch.magic < MAGIC ? -1n : batch.bytes.readBigInt64BE(AT.maxTimestamp),
        fault: `the record batch of the offsets ${batch.first} to ${batch.last}, which is the value as Kafka stores it, cannot be read: ${(error as Error).message}`,
      });
    }
  }

  async #readRecords({ bytes, attributes, first }: RecordBatch): Promise<boolean> {
    const count = bytes.readInt32BE(AT.count);
    if (count > MAX_RECORDS)
      throw new Error(`it has ${grouped(count)} records, and may have ${grouped(MAX_RECORDS)}`);
    const timestampOf = timestampsOf(bytes, attributes);
    const pieces = decompressing(attributes & CODEC, bytes.subarray(AT.records));
    for await (const records of recordsIn(pieces, count, this.#mostBytes))
      for (const record of records) {
        const offset = first + offsetIn(record);
        if (offset >= this.read.next && !this.#add(messageOf(record, offset, timestampOf))) return false;
      }
    return true;
  }

  /** Reads messages from before Kafka 0.11, which have no headers. */
  async #readLegacy({ bytes }: RecordBatch): Promise<boolean> {
    const messages = (await LegacyDecoder(new ProtocolDecoder(bytes), bytes.length)) as LegacyMessage[];
    if (messages.length === 0) throw new Error('its format is not known');
    for (const { offset, key, value, timestamp } of messages) {
      const at = Number(offset);
      if (at < this.read.next) continue;
      const headers = MessageHeaders.NONE;
      const message = { offset: at, next: at + 1, key, value, headers, fault: null };
      if (!this.#add({ ...message, timestamp: BigInt(timestamp ?? -1) })) return false;
    }
    return true;
  }

  #add(message: Message): boolean {
    const { messages } = this.read;
    const bytes = bytesOf(message);
    if (messages.length > 0 && (messages.length >= MAX_READ_RECORDS || this.#bytes + bytes > MAX_READ_BYTES))
      return false;
    messages.push(message);
    this.#bytes += bytes;
    this.read.next = message.next;
    return true;
  }
}

interface LegacyMessage {
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  timestamp?: string;
}

/** Records without their lengths, in groups as they are decompressed. Throws if a record has more than `most` bytes. */
async function* recordsIn(
  pieces: AsyncIterable<Buffer>,
  count: number,
  most: number,
): AsyncGenerator<Buffer[]> {
  if (count === 0) return;
  let left = count;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let wanted = 1;
  for await (const piece of pieces) {
    kept.push(piece);
    keptBytes += piece.length;
    if (keptBytes < wanted) continue;
    const reader = new VarintReader(kept.length === 1 ? piece : Buffer.concat(kept, keptBytes));
    const records: Buffer[] = [];
    for (wanted = 1; left > 0 && reader.hasInt; left--) {
      const start = reader.at;
      const length = reader.int();
      if (length > most)
        throw new Error(`a message of it has ${grouped(length)} bytes, and may have ${grouped(most)}`);
      if (length > reader.end - reader.at) {
        wanted = reader.at - start + length;
        reader.at = start;
        break;
      }
      records.push(reader.take(length));
    }
    yield records;
    if (left === 0) return;
    kept = [reader.bytes.subarray(reader.at)];
    keptBytes = kept[0]!.length;
  }
  throw new RangeError('the bytes end too early');
}

function offsetIn(record: Buffer): number {
  const reader = new VarintReader(record, 1);
  reader.long();
  return reader.int();
}

function messageOf(bytes: Buffer, offset: number, timestampOf: (delta: bigint) => bigint): Message {
  const record = new VarintReader(bytes, 1);
  const timestamp = timestampOf(record.long());
  record.int();
  const key = record.sized();
  const value = record.sized();
  const headers = new MessageHeaders(record.int(), bytes.subarray(record.at));
  return { offset, next: offset + 1, key, value, headers, timestamp, fault: null };
}

/** Computes the timestamp of a record from its delta. Sums wrap, as in Java. */
function timestampsOf(bytes: Buffer, attributes: number): (delta: bigint) => bigint {
  const max = bytes.readBigInt64BE(AT.maxTimestamp);
  if (attributes & LOG_APPEND_TIME) return () => max;
  const base = bytes.readBigInt64BE(AT.baseTimestamp);
  return delta => BigInt.asIntN(64, base + delta);
}

export interface BatchProducer {
  producerId: bigint;
  producerEpoch: number;
  /** Sequence number of the first record. */
  sequence: number;
}

/** Encodes one batch of a transaction. */
export async function batchOf(
  messages: readonly Outgoing[],
  { producerId, producerEpoch, sequence }: BatchProducer,
  isCompressed: boolean,
): Promise<Buffer> {
  const records = recordsOf(messages);
  const body = isCompressed ? await compressed(records) : records;
  const batch = Buffer.concat([Buffer.alloc(AT.records), body]);
  batch.writeInt32BE(batch.length - BEFORE_LENGTH, AT.length);
  batch[AT.magic] = MAGIC;
  batch.writeInt16BE(TRANSACTIONAL | (isCompressed ? GZIP : 0), AT.attributes);
  batch.writeInt32BE(messages.length - 1, AT.lastOffsetDelta);
  batch.writeBigInt64BE(messages[0]!.timestamp, AT.baseTimestamp);
  batch.writeBigInt64BE(latestOf(messages), AT.maxTimestamp);
  batch.writeBigInt64BE(producerId, AT.producerId);
  batch.writeInt16BE(producerEpoch, AT.producerEpoch);
  batch.writeInt32BE(sequence, AT.baseSequence);
  batch.writeInt32BE(messages.length, AT.count);
  batch.writeUInt32BE(crc32c(batch.subarray(AT.attributes)) >>> 0, AT.crc);
  return batch;
}

function latestOf(messages: readonly Outgoing[]): bigint {
  let latest = messages[0]!.timestamp;
  for (const { timestamp } of messages) if (timestamp > latest) latest = timestamp;
  return latest;
}

function recordsOf(messages: readonly Outgoing[]): Buffer {
  const base = messages[0]!.timestamp;
  const deltas = messages.map(({ timestamp }) => BigInt.asIntN(64, timestamp - base));
  const sizes = messages.map((message, i) => sizeOfRecord(message, deltas[i]!, i));
  const total = sizes.reduce((sum, size) => sum + sizeOfInt(size) + size, 0);
  const writer = new VarintWriter(Buffer.allocUnsafe(total));
  for (const [i, { key, value, headers }] of messages.entries()) {
    writer.int(sizes[i]!).int(0).long(deltas[i]!).int(i).sized(key).sized(value);
    writer.int(headers.count).put(headers.bytes);
  }
  return writer.bytes;
}

/** Bytes of a record after its length. The first one, its attributes, is always 0. */
const sizeOfRecord = ({ key, value, headers }: Outgoing, delta: bigint, i: number): number =>
  1 + sizeOfLong(delta) + sizeOfInt(i) + sizeOfSized(key) + sizeOfSized(value) + headers.size;
