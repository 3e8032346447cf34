/** Record batches as brokers keep them: compacted, aborted, damaged, or made to do harm. */
import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { MAX_BYTES } from '../../src/stream/kafka/compression.ts';
import {
  type Aborted,
  MAX_READ_BYTES,
  MAX_READ_RECORDS,
  MAX_RECORDS,
  readBatches,
} from '../../src/stream/kafka/record-batches.ts';
import { batchOf, recordBatch, type WireRecord } from '../servers/kafka-wire.ts';

const record = (value: string | Buffer, key: Buffer | null = null): WireRecord => ({
  key,
  value: Buffer.from(value),
  headers: [],
  timestamp: 0n,
});

interface Stored {
  /** Offset of the first record, and of the last one that was once in the batch. */
  first?: number;
  last?: number;
  producer?: bigint;
  attributes?: number;
}

/** A batch as it is in a log. */
function stored(batch: Buffer, { first = 0, last, producer = -1n, attributes = 0 }: Stored): Buffer {
  batch.writeBigInt64BE(BigInt(first), 0);
  if (last !== undefined) batch.writeInt32BE(last - first, 23);
  batch.writeBigInt64BE(producer, 43);
  batch.writeInt16BE(batch.readInt16BE(21) | attributes, 21);
  return batch;
}

const MIB = 1024 * 1024;
/** Some hundred megabytes are made and read. */
const SLOW_MS = 60_000;
const TRANSACTIONAL = 16;
const CONTROL = 32;
const texts = (values: string[]) => recordBatch(values.map(value => record(value)));
const transaction = (first: number, producer: bigint, values: string[]) =>
  stored(texts(values), { first, producer, attributes: TRANSACTIONAL });
/** Type 0: an abort; 1: a commit. */
const marker = (first: number, producer: bigint, type: 0 | 1) =>
  stored(recordBatch([record('', Buffer.from([0, 0, 0, type]))]), {
    first,
    producer,
    attributes: TRANSACTIONAL | CONTROL,
  });

const MOST_BYTES = 10 * 1024 * 1024;
const read = (batches: Buffer[], from = 0, aborted: Aborted[] = []) =>
  readBatches({ bytes: Buffer.concat(batches), aborted, from, mostBytes: MOST_BYTES });
const values = ({ messages }: Awaited<ReturnType<typeof read>>) =>
  messages.map(({ offset, value }) => [offset, String(value)]);

describe('a batch', () => {
  test('that begins before the offset that was asked for is read from there', async () => {
    const { messages, next } = await read([texts(['a', 'b', 'c'])], 1);
    expect(messages.map(({ offset, next: after, value }) => [offset, after, String(value)])).toEqual([
      [1, 2, 'b'],
      [2, 3, 'c'],
    ]);
    expect(next).toBe(3);
  });

  test('that compaction has left records of, or none, is passed in one step', async () => {
    const some = stored(texts(['a']), { first: 10, last: 1_000_000 });
    const none = stored(batchOf(Buffer.alloc(0), 0), { first: 1_000_001, last: 2_000_000 });
    expect(await read([some, none], 10)).toMatchObject({ messages: [{ offset: 10 }], next: 2_000_001 });
    expect(await read([some, none], 11)).toMatchObject({ messages: [], next: 2_000_001 });
  });

  test('that is cut is left for the next fetch', async () => {
    const second = stored(texts(['b']), { first: 1 });
    for (let length = 0; length < second.length; length++)
      expect(await read([texts(['a']), second.subarray(0, length)])).toMatchObject({
        messages: [{ offset: 0 }],
        next: 1,
      });
  });

  test.each([
    ['two', 2, 61],
    ['one', 1, 17],
  ])(
    'of magic %s that is shorter than its head is a failure with its offset, after what comes before it',
    async (_, magic, least) => {
      const batch = Buffer.alloc(least);
      batch.writeBigInt64BE(7n, 0);
      batch[16] = magic;
      for (const size of [least - 1, 12, 0, -1]) {
        batch.writeInt32BE(size - 12, 8);
        expect(await read([texts(['a']), batch])).toMatchObject({ messages: [{ offset: 0 }], next: 1 });
        await expect(read([texts(['a']), batch], 1)).rejects.toMatchObject({
          kind: 'unreadable_batch',
          message: `the broker sent a record batch of ${size} bytes at the offset 7, which is too short for one`,
        });
      }
      batch.writeInt32BE(least - 12, 8);
      expect((await read([batch], 7)).next).toBe(8);
    },
  );
});

describe('of transactions', () => {
  const aborted = [{ producerId: 7n, firstOffset: 1 }];

  test('the aborted ones are left out, up to their end', async () => {
    const log = [
      texts(['plain']),
      transaction(1, 7n, ['aborted', 'too']),
      transaction(3, 8n, ['of another producer']),
      marker(4, 7n, 0),
      transaction(5, 7n, ['committed']),
      marker(6, 7n, 1),
      marker(7, 8n, 1),
    ];
    const found = await read(log, 0, aborted);
    expect(values(found)).toEqual([
      [0, 'plain'],
      [3, 'of another producer'],
      [5, 'committed'],
    ]);
    expect(found.next).toBe(8);
    expect(found.messages.map(({ next }) => next)).toEqual([3, 5, 8]);
  });

  test('a message whose key looks like the mark of an abort ends none', async () => {
    const zeros = stored(recordBatch([record('a', Buffer.alloc(4)), record('b')]), {
      first: 1,
      producer: 7n,
      attributes: TRANSACTIONAL,
    });
    expect(await read([zeros, marker(3, 7n, 0)], 0, aborted)).toMatchObject({ messages: [], next: 4 });
    expect(await read([zeros, marker(3, 7n, 1)], 0)).toMatchObject({ messages: [{}, {}], next: 4 });
  });

  test('the mark of an end that cannot be read is an end', async () => {
    const cut = marker(3, 7n, 0).subarray(0, 61);
    cut.writeInt32BE(61 - 12, 8);
    const log = [transaction(1, 7n, ['aborted', 'too']), cut, transaction(4, 7n, ['committed'])];
    expect(values(await read(log, 0, aborted))).toEqual([[4, 'committed']]);
  });

  test('several that were aborted before one batch are all known', async () => {
    const all = [8n, 7n].map((producerId, i) => ({ producerId, firstOffset: 2 - i }));
    const log = [transaction(5, 7n, ['a']), transaction(6, 8n, ['b']), transaction(7, 9n, ['c'])];
    expect(values(await read(log, 5, all))).toEqual([[7, 'c']]);
  });
});

describe('what cannot be read is one message with its bytes and its fault', () => {
  const cannot = async (batch: Buffer, words: string) => {
    const after = stored(texts(['after']), { first: 10 });
    const { messages, next } = await read([batch, after]);
    expect(messages.at(-1)).toMatchObject({ offset: 10, fault: null });
    expect(messages.at(-2)).toMatchObject({ value: batch, next: 10, fault: expect.stringContaining(words) });
    expect(next).toBe(11);
    return messages;
  };

  test('where its compression is damaged', () =>
    cannot(stored(batchOf(Buffer.from('no gzip'), 3, 0n, 1), { last: 9 }), 'its bytes in gzip are damaged'));

  test('where its codec is not known', () =>
    cannot(stored(batchOf(Buffer.alloc(9), 3, 0n, 6), { last: 9 }), 'its codec 6 is not known'));

  test('where a record is cut, and the records before it are messages', async () => {
    const batch = texts(['a', 'b', 'c']);
    const cut = Buffer.concat([batch.subarray(0, -4), Buffer.alloc(4, 0x80)]);
    const messages = await cannot(stored(cut, { last: 9 }), 'the bytes end too early');
    expect(messages.map(({ offset }) => offset)).toEqual([0, 1, 2, 10]);
  });

  test('where it has more records than fit', async () => {
    const tiny = Buffer.from([7 << 1, 0, 0, 0, 1, 1, 0]);
    const many = (count: number) => gzipSync(Buffer.alloc(count * 7, tiny));
    await cannot(
      stored(batchOf(many(MAX_RECORDS + 1), MAX_RECORDS + 1, 0n, 1), { last: 9 }),
      '1,000,001 records',
    );
  });

  test('where a message of it is too large', async () => {
    const most = recordBatch([record('a'), record(Buffer.alloc(MOST_BYTES - 9))], 'gzip');
    expect((await read([most], 1)).messages[0]).toMatchObject({ offset: 1, fault: null });
    const more = recordBatch([record('a'), record(Buffer.alloc(MOST_BYTES))], 'gzip');
    await cannot(stored(more, { last: 9 }), 'a message of it has 10,485,769 bytes, and may have 10,485,760');
  });

  test(
    'where it is larger than it may be without compression',
    async () => {
      const large = Array.from({ length: MAX_BYTES / MIB + 1 }, () => record(Buffer.alloc(MIB)));
      const batch = recordBatch(large, 'gzip');
      const before = await read([batch], 200);
      expect(before.messages).toHaveLength(8);
      const { messages, next } = await read([batch], 253);
      expect(messages.map(({ fault }) => fault !== null)).toEqual([false, false, true]);
      expect(messages[2]).toMatchObject({ offset: 255, next: 257, value: batch });
      expect(next).toBe(257);
    },
    SLOW_MS,
  );
});

describe('a batch is read in parts', () => {
  test('of so many records', async () => {
    const all = Array.from({ length: MAX_READ_RECORDS + 5 }, (_, i) => String(i));
    const first = await read([texts(all)]);
    expect(first).toMatchObject({ next: MAX_READ_RECORDS });
    expect(first.messages).toHaveLength(MAX_READ_RECORDS);
    expect(values(await read([texts(all)], first.next))[4]).toEqual([MAX_READ_RECORDS + 4, all.at(-1)!]);
  });

  test('of so many bytes, of which no more stays in memory', async () => {
    const quarter = Buffer.alloc(MAX_READ_BYTES / 4);
    const batch = recordBatch(new Array<WireRecord>(5).fill(record(quarter)), 'gzip');
    const { messages, next } = await read([batch]);
    expect(messages).toHaveLength(4);
    expect(next).toBe(4);
    expect(messages[0]!.value!.buffer.byteLength).toBeLessThan(1.1 * quarter.length);
    expect(await read([batch], 4)).toMatchObject({ messages: [{ offset: 4 }], next: 5 });
  });

  test('however its records are cut where it is decompressed', async () => {
    const lengths = Array.from({ length: 300 }, (_, i) => (i * 7919) % 3000);
    const batch = recordBatch(
      lengths.map(length => record(Buffer.alloc(length, 'x'))),
      'gzip',
    );
    const { messages } = await read([batch]);
    expect(messages.map(({ value }) => value!.length)).toEqual(lengths);
  });
});

test('messages of before Kafka 0.11 are read, with no headers', async () => {
  const { default: messageSet } = (await import('kafkajs/src/protocol/messageSet/index.js' as string)) as {
    default(of: object): { buffer: Buffer };
  };
  const { buffer } = messageSet({ messageVersion: 1, entries: [{ key: 'k', value: 'v', timestamp: 5 }] });
  expect(await read([buffer])).toMatchObject({
    messages: [{ offset: 0, timestamp: 5n, fault: null, headers: { count: 0 } }],
    next: 1,
  });
});
