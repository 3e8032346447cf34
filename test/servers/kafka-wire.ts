/**
 * Speaks Kafka's protocol as bytes, for record batches that no client would write: what is sent is what the broker gets, and what
 * is read is what it stores. Written apart from the code under test, so that both must agree with the broker and not with each other.
 */
import { connect, type Socket } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';

/** A name or value of a header, or a key or value: null has the length -1. */
export type Bytes = Buffer | null;

export interface WireRecord {
  key: Bytes;
  value: Bytes;
  headers: readonly (readonly [name: Buffer, value: Bytes])[];
  timestamp: bigint;
}

export interface StoredRecord extends WireRecord {
  offset: number;
}

const PRODUCE = 0;
const FETCH = 1;
const OFFSET_COMMIT = 8;
/** The last version without tags. */
const PRODUCE_VERSION = 8;
const FETCH_VERSION = 4;
const OFFSET_COMMIT_VERSION = 2;
const READ_COMMITTED = 1;
const TRANSACTIONAL = 16;
const CONTROL = 32;

export const CODECS = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;
export type Codec = keyof typeof CODECS;

const COMPRESS: Record<Codec, (bytes: Buffer) => Buffer> = {
  none: bytes => bytes,
  gzip: bytes => gzipSync(bytes),
  snappy: snappyOfLiterals,
  lz4: lz4OfLiterals,
  zstd: bytes => zstdCompressSync(bytes),
};

const int = (bytes: 1 | 2 | 4, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};

function long(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(BigInt.asIntN(64, value));
  return buffer;
}

function varint(value: bigint | number): Buffer {
  const signed = BigInt(value);
  let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const sized = (bytes: Bytes): Buffer =>
  bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);

const text = (value: string | null): Buffer =>
  value === null ? int(2, -1) : Buffer.concat([int(2, value.length), Buffer.from(value)]);

function recordOf({ key, value, headers, timestamp }: WireRecord, base: bigint, i: number): Buffer {
  const delta = BigInt.asIntN(64, timestamp - base);
  const pairs = headers.flatMap(([name, each]) => [sized(name), sized(each)]);
  const body = [int(1, 0), varint(delta), varint(i), sized(key), sized(value), varint(headers.length)];
  return sized(Buffer.concat([...body, ...pairs]));
}

/** A record batch as a producer without transactions sends it. */
export function recordBatch(records: readonly WireRecord[], codec: Codec = 'none'): Buffer {
  const base = records[0]!.timestamp;
  const plain = Buffer.concat(records.map((record, i) => recordOf(record, base, i)));
  return batchOf(COMPRESS[codec](plain), records.length, base, CODECS[codec]);
}

/** `body`: its records, compressed as `codec` says. */
export function batchOf(body: Buffer, count: number, base = 0n, codec = 0): Buffer {
  const checked = Buffer.concat([
    int(2, codec),
    int(4, count - 1),
    long(base),
    long(base),
    long(-1n),
    int(2, -1),
    int(4, -1),
    int(4, count),
    body,
  ]);
  const afterLength = Buffer.concat([int(4, -1), int(1, 2), int(4, crc32c(checked) | 0), checked]);
  return Buffer.concat([long(0n), int(4, afterLength.length), afterLength]);
}

function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return crc ^ 0xffffffff;
}

const TABLE = Int32Array.from({ length: 256 }, (_, i) => {
  let crc = i;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** One bare block that has nothing but literals. */
function snappyOfLiterals(bytes: Buffer): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  const tag = Buffer.alloc(5);
  tag[0] = 63 << 2;
  tag.writeUInt32LE(bytes.length - 1, 1);
  return Buffer.concat([Buffer.from(length), tag, bytes]);
}

/** A frame of one block that is not compressed. The byte after the flags is a checksum of them: XXH32, here for these flags. */
function lz4OfLiterals(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65536) {
    const block = bytes.subarray(at, at + 65536);
    const size = Buffer.alloc(4);
    size.writeUInt32LE((0x80000000 | block.length) >>> 0);
    blocks.push(size, block);
  }
  const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
  return Buffer.concat([header, ...blocks, Buffer.alloc(4)]);
}

export class KafkaWire {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #heard = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#heard();
    });
  }

  static async open(port: number): Promise<KafkaWire> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new KafkaWire(socket);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Error code of the broker; 0: it is written. */
  async produce(topic: string, partition: number, batch: Buffer): Promise<number> {
    const partitions = [int(4, 1), int(4, partition), int(4, batch.length), batch];
    const body = [text(null), int(2, -1), int(4, 30_000), int(4, 1), text(topic), ...partitions];
    const answer = await this.#ask(PRODUCE, PRODUCE_VERSION, Buffer.concat(body));
    return answer.readInt16BE(4 + 2 + topic.length + 4 + 4);
  }

  /** An offset of a group without members, with the text that is kept with it. */
  async commitOffset(group: string, topic: string, offset: number, note: string): Promise<number> {
    const partitions = [int(4, 1), int(4, 0), long(BigInt(offset)), text(note)];
    const body = [text(group), int(4, -1), text(''), long(-1n), int(4, 1), text(topic), ...partitions];
    const answer = await this.#ask(OFFSET_COMMIT, OFFSET_COMMIT_VERSION, Buffer.concat(body));
    return answer.readInt16BE(4 + 2 + topic.length + 4 + 4);
  }

  /** All committed records of a partition. Of compressed batches none is read. */
  async read(topic: string, partition: number): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    const isAborted = new Set<bigint>();
    for (let from = 0; ; ) {
      const { batches, aborted } = await this.#fetch(topic, partition, from);
      if (batches.length === 0) return records;
      for (const batch of batches) {
        const last = Number(batch.readBigInt64BE(0)) + batch.readInt32BE(23);
        const [producer, attributes] = [batch.readBigInt64BE(43), batch.readInt16BE(21)];
        for (const { id, first } of aborted) if (first >= from && first <= last) isAborted.add(id);
        if (attributes & CONTROL) isAborted.delete(producer);
        else if (!(attributes & TRANSACTIONAL && isAborted.has(producer)))
          records.push(...recordsIn(batch).filter(({ offset }) => offset >= from));
        from = last + 1;
      }
    }
  }

  async #fetch(topic: string, partition: number, from: number) {
    const wanted = [int(4, partition), long(BigInt(from)), int(4, 32 << 20)];
    const limits = [int(4, -1), int(4, 0), int(4, 1), int(4, 32 << 20), int(1, READ_COMMITTED)];
    const body = [...limits, int(4, 1), text(topic), int(4, 1), ...wanted];
    const answer = await this.#ask(FETCH, FETCH_VERSION, Buffer.concat(body));
    const at = 4 + 4 + 2 + topic.length + 4 + 4 + 2 + 8 + 8;
    const aborted = Array.from({ length: Math.max(0, answer.readInt32BE(at)) }, (_, i) => ({
      id: answer.readBigInt64BE(at + 4 + 16 * i),
      first: Number(answer.readBigInt64BE(at + 12 + 16 * i)),
    }));
    return { batches: batchesIn(answer.subarray(at + 4 + 16 * aborted.length + 4)), aborted };
  }

  async #ask(api: number, version: number, body: Buffer): Promise<Buffer> {
    const request = Buffer.concat([int(2, api), int(2, version), int(4, 1), text('wire'), body]);
    this.#socket.write(Buffer.concat([int(4, request.length), request]));
    while (this.#received.length < 4 || this.#received.length < 4 + this.#received.readInt32BE(0))
      await new Promise<void>(resolve => {
        this.#heard = resolve;
      });
    const end = 4 + this.#received.readInt32BE(0);
    const answer = this.#received.subarray(8, end);
    this.#received = this.#received.subarray(end);
    return answer;
  }
}

function batchesIn(bytes: Buffer): Buffer[] {
  const batches: Buffer[] = [];
  for (let at = 0; at + 61 <= bytes.length; ) {
    const end = at + 12 + bytes.readInt32BE(at + 8);
    if (end > bytes.length) break;
    batches.push(bytes.subarray(at, end));
    at = end;
  }
  return batches;
}

function recordsIn(batch: Buffer): StoredRecord[] {
  const attributes = batch.readInt16BE(21);
  if (attributes & 7) return [];
  const [first, base] = [Number(batch.readBigInt64BE(0)), batch.readBigInt64BE(27)];
  let at = 61;
  const number = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = batch[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
  };
  const bytes = (): Bytes => {
    const length = Number(number());
    if (length < 0) return null;
    at += length;
    return batch.subarray(at - length, at);
  };
  return Array.from({ length: batch.readInt32BE(57) }, () => {
    number();
    at++;
    const timestamp = BigInt.asIntN(64, base + number());
    const offset = first + Number(number());
    const [key, value] = [bytes(), bytes()];
    const headers = Array.from({ length: Number(number()) }, () => [bytes()!, bytes()] as const);
    return { offset, timestamp, key, value, headers };
  });
}
