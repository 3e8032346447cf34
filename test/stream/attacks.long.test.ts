/** What a producer of a few kilobytes may cost a gate: memory has a bound, and the metrics are answered meanwhile. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { KafkaServer } from '../servers/kafka.ts';
import { batchOf, CODECS, KafkaWire } from '../servers/kafka-wire.ts';
import { eventually } from '../servers/process.ts';
import { GateData } from './gate.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const MIB = 1024 * 1024;
const MOST_BYTES = 1024 * MIB;
const PARTITIONS = 6;
const CONSUMED_MS = 240_000;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}

/** A record of one value that has nothing but repeats, without key and headers. */
function recordOf(length: number, offset = 0): Buffer {
  const value = Buffer.alloc(length, ' ');
  const head = Buffer.from([0, 0, ...varint(offset), 1, ...varint(length)]);
  const body = Buffer.concat([head, value, Buffer.from([0])]);
  return Buffer.concat([Buffer.from(varint(body.length)), body]);
}

function emptyRecord(offset: number): Buffer {
  const body = [0, 0, ...varint(offset), 1, 1, 0];
  return Buffer.from([...varint(body.length), ...body]);
}

const numbered = (count: number, recordAt: (i: number) => Buffer) =>
  Array.from({ length: count }, (_, i) => recordAt(i));

/** Of so many headers of two bytes, with an empty name and an empty value. */
function headersRecord(count: number): Buffer {
  const body = Buffer.concat([Buffer.from([0, 0, 0, 1, 1, ...varint(count)]), Buffer.alloc(2 * count)]);
  return Buffer.concat([Buffer.from(varint(body.length)), body]);
}

/** A frame of literals and one long match in each block of 4 MiB. */
function lz4Bomb(bytes: Buffer): Buffer {
  const blocks: Buffer[] = [];
  let at = 0;
  const block = (literals: Buffer, length: number) => {
    const more = (value: number): number[] =>
      value < 15 ? [] : [...new Array<number>(Math.floor((value - 15) / 255)).fill(255), (value - 15) % 255];
    const match = length - literals.length - 5;
    const token = (Math.min(15, literals.length) << 4) | Math.min(15, match - 4);
    const body = Buffer.concat([
      Buffer.from([token, ...more(literals.length)]),
      literals,
      Buffer.from([1, 0, ...more(match - 4)]),
      Buffer.from([5 << 4]),
      Buffer.alloc(5, literals.at(-1)!),
    ]);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(body.length);
    blocks.push(size, body);
  };
  for (const step = 4 * MIB; at < bytes.length; at += step) {
    const end = Math.min(bytes.length, at + step);
    const head = at === 0 ? 16 : 1;
    block(bytes.subarray(at, at + head), end - at - (end === bytes.length ? 1 : 0));
    if (end === bytes.length) blocks.push(Buffer.from([1, 0, 0, 0x80]), bytes.subarray(-1));
  }
  return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73]), ...blocks, Buffer.alloc(4)]);
}

const COMPRESS = { gzip: gzipSync, zstd: zstdCompressSync, lz4: lz4Bomb } as const;
const bomb = (codec: keyof typeof COMPRESS, record: Buffer, count = 1) =>
  batchOf(COMPRESS[codec](record), count, 0n, CODECS[codec]);

const OF_A_MIB = 200;
const ATTACKS: Record<string, () => Buffer> = {
  'a message of 15 MiB in gzip': () => bomb('gzip', recordOf(15 * MIB)),
  'a message of 250 MiB in ZSTD': () => bomb('zstd', recordOf(250 * MIB)),
  'a message of 15 MiB in LZ4': () => bomb('lz4', recordOf(15 * MIB)),
  'a message of 100 MiB in LZ4': () => bomb('lz4', recordOf(100 * MIB)),
  'a message of 300 MiB in gzip': () => bomb('gzip', recordOf(300 * MIB)),
  '200 messages of 1 MiB in gzip': () =>
    bomb('gzip', Buffer.concat(numbered(OF_A_MIB, i => recordOf(MIB, i))), OF_A_MIB),
  'a message of 7,000,000 headers': () => bomb('gzip', headersRecord(7_000_000)),
  'a message of 20,000,000 headers': () => bomb('gzip', headersRecord(20_000_000)),
  '200,000 messages of nothing': () =>
    bomb('gzip', Buffer.concat(numbered(200_000, i => emptyRecord(i))), 200_000),
};

/** Of a partition are waited for: all six batches are being read long before, and the rest takes a minute. */
const ENOUGH_OF_A_MIB = 30;

describeWithKafka('a gate of six partitions', () => {
  let kafka: KafkaServer;
  let wire: KafkaWire;
  const data = new GateData();
  let topics = 0;

  beforeAll(async () => {
    kafka = await KafkaServer.start({ properties: ['message.max.bytes=5000000'] });
    wire = await KafkaWire.open(kafka.port);
  }, STARTS_MS);

  afterAll(async () => {
    wire?.close();
    await kafka?.remove();
    data.remove();
  });

  test.each(Object.entries(ATTACKS))(
    'each of which has %s takes no more than 1 GiB, and passes them on',
    async (name, attack) => {
      const topic = `attack-${++topics}`;
      await kafka.createTopics([topic, `${topic}.clean`, `${topic}.held`], PARTITIONS);
      const batch = attack();
      const count = batch.readInt32BE(57);
      const enough = count === OF_A_MIB ? ENOUGH_OF_A_MIB : count;
      for (let i = 0; i < PARTITIONS; i++)
        await eventually(async () => expect(await wire.produce(topic, i, batch)).toBe(0));
      const gate = await data.start(
        {
          brokers: [kafka.address],
          group: topic,
          inputs: [{ topic, source: topic, clean: `${topic}.clean`, held: `${topic}.held` }],
          on_block: 'pass',
          session_ms: 10_000,
        },
        { METRICS_PORT: '0' },
      );
      const { metricsUrl } = await gate.says('screening');
      const times: number[] = [];
      let isOver = false;
      const asking = (async () => {
        while (!isOver) {
          const began = performance.now();
          await (await fetch(String(metricsUrl))).text();
          times.push(performance.now() - began);
          await Bun.sleep(10);
        }
      })();
      await eventually(
        () =>
          kafka.withAdmin(async admin => {
            const [found] = await admin.fetchOffsets({ groupId: topic, topics: [topic] });
            const consumed = found!.partitions.map(({ offset }) => Number(offset));
            if (!consumed.every(each => each >= enough))
              throw new Error(`${consumed} are consumed: ${gate.said}`);
          }),
        CONSUMED_MS,
      );
      isOver = true;
      await asking;
      const peak = gate.peakBytes();
      times.sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor(share * (times.length - 1))]!.toFixed(1);
      console.log(
        `${name} (${batch.length} bytes): ${Math.round(peak / MIB)} MiB; metrics p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms of ${times.length}`,
      );
      expect(await gate.stop()).toBe(0);
      expect(peak).toBeLessThan(MOST_BYTES);
    },
    STARTS_MS + CONSUMED_MS,
  );
});
