/** The contract: every message that a broker takes ends in `clean` or `held`, with the same bytes, and none stops its partition. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { KafkaServer } from '../servers/kafka.ts';
import {
  type Bytes,
  batchOf,
  type Codec,
  CODECS,
  KafkaWire,
  recordBatch,
  type StoredRecord,
  type WireRecord,
} from '../servers/kafka-wire.ts';
import { eventually } from '../servers/process.ts';
import { GateData, type GateProcess } from './gate.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const CONSUMED_MS = 120_000;
const MOST = 2n ** 63n - 1n;
const AT = 1_700_000_000_000n;
/** Also what Kafka says of timestamps by itself since 4.0: none of more than an hour ahead. */
const ANY_TIME = {
  'message.timestamp.after.max.ms': String(MOST),
  'message.timestamp.before.max.ms': String(MOST),
};

const bytes = (text: string): Buffer => Buffer.from(text);
const NO_UTF8 = Buffer.from([0x66, 0xff, 0xfe, 0x00]);
const row = (i: number): Buffer => bytes(JSON.stringify({ id: i, amount: i * 1.5 }));

const message = (changes: Partial<WireRecord> = {}): WireRecord => ({
  key: bytes('k'),
  value: row(1),
  headers: [[bytes('n'), bytes('1')]],
  timestamp: AT,
  ...changes,
});
const named = (...names: (string | Buffer)[]) =>
  message({ headers: names.map((name, i) => [Buffer.from(name as string), bytes(String(i))]) });
const counted = (count: number) => named(...Array.from({ length: count }, (_, i) => `h${i}`));
const timed = (timestamp: bigint) => message({ timestamp });

const TABLE: Record<string, WireRecord> = {
  'no header': message({ headers: [] }),
  'names of members of objects': named('constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'),
  '__proto__ alone': named('__proto__'),
  'the same name again and again': named('a', 'b', 'a', 'c', 'a', 'a'),
  'names that are numbers, not in their order': named('10', '2', '1', '0'),
  'an empty name': named('', 'a', ''),
  'a name that is no UTF-8': named(NO_UTF8, NO_UTF8),
  'names of ours': named('sluice-reason', 'sluice-source-topic'),
  'a long name': named('n'.repeat(40_000)),
  'a header of null': message({ headers: [[bytes('a'), null]] }),
  'a header that is empty, and one that is no UTF-8': message({
    headers: [
      [bytes('a'), bytes('')],
      [bytes('b'), NO_UTF8],
    ],
  }),
  '1,000 headers': counted(1000),
  '60,000 headers': counted(60_000),
  'no key': message({ key: null }),
  'an empty key': message({ key: bytes('') }),
  'a key that is no UTF-8': message({ key: NO_UTF8 }),
  'a key like the mark of an abort': message({ key: Buffer.alloc(4) }),
  'no value': message({ value: null }),
  'neither key nor value nor header': message({ key: null, value: null, headers: [] }),
  'an empty value': message({ value: bytes('') }),
  'a value that is no UTF-8': message({ value: NO_UTF8 }),
  'a value that is no JSON': message({ value: bytes('poison') }),
  'no timestamp': timed(-1n),
  'a timestamp of 0': timed(0n),
  'a timestamp before 1970': timed(-1_000_000n),
  'the largest timestamp': timed(MOST),
};

describeWithKafka('every message that a broker takes', () => {
  let kafka: KafkaServer;
  let wire: KafkaWire;
  const data = new GateData();
  const group = 'contract';
  let topics = 0;

  beforeAll(async () => {
    kafka = await KafkaServer.start();
    wire = await KafkaWire.open(kafka.port);
  }, STARTS_MS);

  afterAll(async () => {
    wire?.close();
    await kafka?.remove();
    data.remove();
  });

  async function newTopic(input = ANY_TIME, outputs: Record<string, string> = ANY_TIME): Promise<string> {
    const topic = `contract-${++topics}`;
    await kafka.createTopics([topic], 1, input);
    await kafka.createTopics([`${topic}.clean`, `${topic}.held`], 1, outputs);
    return topic;
  }

  async function produce(topic: string, batch: Buffer): Promise<void> {
    expect(await wire.produce(topic, 0, batch)).toBe(0);
  }

  const start = (inputs: string[], changes: object = {}): Promise<GateProcess> =>
    data.start({
      brokers: [kafka.address],
      group,
      inputs: inputs.map(topic => ({ topic, source: topic, clean: `${topic}.clean`, held: `${topic}.held` })),
      window: { rows: 1000, ms: 200 },
      on_block: 'pass',
      session_ms: 6000,
      ...changes,
    });

  const consumed = (topic: string, offset: number, gate: GateProcess) =>
    eventually(
      () =>
        kafka.withAdmin(async admin => {
          const [found] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
          const now = Number(found!.partitions[0]!.offset);
          if (now < offset) throw new Error(`${topic}: ${now} of ${offset} are consumed: ${gate.said}`);
        }),
      CONSUMED_MS,
    );

  /** A broker that has just started is often away. */
  const failuresOf = (gate: GateProcess) =>
    gate.lines.filter(({ level, kind }) => level >= 40 && kind !== 'broker_away');

  /** What a producer wrote, of a message in an output. */
  const content = ({ key, value, headers, timestamp }: WireRecord): unknown => [
    shown(key),
    shown(value),
    timestamp,
    ownOf(headers).map(([name, each]) => [shown(name), shown(each)]),
  ];
  const shown = (each: Bytes) => each?.toString('base64') ?? null;
  /** The last ones are the gate's. */
  function ownOf(headers: WireRecord['headers']): WireRecord['headers'] {
    const start = headers.findLastIndex(([name]) => name.equals(bytes('sluice-reason')));
    const isOurs = headers.at(-1)?.[0].equals(bytes('sluice-source-offset'));
    return isOurs ? headers.slice(0, start) : headers;
  }
  const reasonOf = ({ headers }: StoredRecord) =>
    String(headers.findLast(([name]) => name.equals(bytes('sluice-reason')))?.[1]);
  const out = async (topic: string) => [
    ...(await wire.read(`${topic}.clean`, 0)),
    ...(await wire.read(`${topic}.held`, 0)),
  ];
  const sorted = (records: readonly WireRecord[]) => records.map(content).map(String).sort();

  test(
    'comes out with the same bytes, however it was compressed',
    async () => {
      const sent = Object.values(TABLE).flatMap(each => [
        message({ value: row(2) }),
        each,
        message({ value: row(3) }),
      ]);
      const inputs: string[] = [];
      for (const codec of Object.keys(CODECS) as Codec[]) {
        const topic = await newTopic();
        inputs.push(topic);
        for (const each of sent) await produce(topic, recordBatch([each], codec));
        await produce(
          topic,
          recordBatch(
            sent.filter(({ headers }) => headers.length < 10_000),
            codec,
          ),
        );
      }
      const all = [...sent, ...sent.filter(({ headers }) => headers.length < 10_000)];
      const gate = await start(inputs);
      for (const topic of inputs) await consumed(topic, all.length, gate);
      expect(await gate.stop()).toBe(0);
      for (const topic of inputs) expect(sorted(await out(topic))).toEqual(sorted(all));
      expect(failuresOf(gate)).toEqual([]);
    },
    STARTS_MS,
  );

  test(
    'but a batch of messages that cannot be read is held as it came, with the reason',
    async () => {
      const topic = await newTopic();
      const bomb = Buffer.alloc(300 * 1024 * 1024, ' ');
      const sent = [
        recordBatch([message()]),
        recordBatch([message({ value: bomb })], 'gzip'),
        recordBatch([message()]),
      ];
      for (const each of sent) await produce(topic, each);
      const gate = await start([topic], {});
      await consumed(topic, 3, gate);
      expect(await gate.stop()).toBe(0);
      expect(await wire.read(`${topic}.clean`, 0)).toHaveLength(2);
      const [held] = await wire.read(`${topic}.held`, 0);
      expect(reasonOf(held!)).toMatch(
        /^unreadable: the record batch of the offsets 1 to 1,.* may have 16,777,216/,
      );
      // The broker has set the offset and the epoch; what a checksum covers is as it was sent.
      expect(held!.value!.subarray(17).equals(sent[1]!.subarray(17))).toBe(true);
    },
    STARTS_MS,
  );

  test(
    'of a transaction that was aborted stays away, however large that was',
    async () => {
      const topic = await newTopic();
      const producer = kafka.client.producer({
        transactionalId: 'aborting',
        idempotent: true,
        maxInFlightRequests: 1,
      });
      await producer.connect();
      for (const isCommitted of [false, true, false]) {
        const transaction = await producer.transaction();
        for (let part = 0; part < 4; part++)
          await transaction.send({
            topic,
            messages: [0, 1].map(i => ({
              key: Buffer.alloc(4),
              value: JSON.stringify({ id: i, isCommitted, note: 'x'.repeat(400_000) }),
            })),
          });
        await (isCommitted ? transaction.commit() : transaction.abort());
      }
      await producer.disconnect();
      await produce(topic, recordBatch([message()]));
      const gate = await start([topic]);
      // 24 messages, 3 marks of transactions, and the last one.
      await consumed(topic, 28, gate);
      expect(await gate.stop()).toBe(0);
      expect(failuresOf(gate)).toEqual([]);
      const texts = (await out(topic)).map(({ value }) => String(value));
      expect(texts).toHaveLength(9);
      expect(texts.filter(text => text.includes('"isCommitted":false'))).toEqual([]);
    },
    STARTS_MS,
  );

  test(
    'is held where its output does not take it: its size, its timestamp, or that it has no key',
    async () => {
      const topic = await newTopic(ANY_TIME, { 'message.timestamp.after.max.ms': '3600000' });
      const limit = (name: string, configEntries: { name: string; value: string }[]) =>
        kafka.withAdmin(admin =>
          admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name, configEntries }] }),
        );
      await limit(`${topic}.clean`, [
        { name: 'max.message.bytes', value: '100000' },
        { name: 'cleanup.policy', value: 'compact' },
      ]);
      const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64url');
      const incompressible = bytes(JSON.stringify({ id: 1, amount: 1, note: noise + noise.slice(40_000) }));
      const compressible = bytes(JSON.stringify({ id: 1, amount: 1, note: 'x'.repeat(1_500_000) }));
      const sent = [
        message({ key: bytes('fits') }),
        message({ value: incompressible }),
        message({ key: null }),
        timed(MOST),
        message({ value: compressible }),
        message({ key: bytes('fits too') }),
      ];
      for (const each of sent) await produce(topic, recordBatch([each], 'gzip'));
      const gate = await start([topic], { verdicts: undefined });
      await consumed(topic, sent.length, gate);
      expect(await gate.stop()).toBe(0);
      const clean = await wire.read(`${topic}.clean`, 0);
      expect(clean.map(({ key }) => String(key))).toContain('fits too');
      const held = await wire.read(`${topic}.held`, 0);
      const reasons = held.map(reasonOf);
      expect(reasons[0]).toMatch(/^too_large: the topic contract-\d+\.clean does not take it/);
      expect(reasons.slice(1).join()).toMatch(
        /refused: the topic contract-\d+\.clean does not take it: .*key/i,
      );
      expect(reasons.slice(1).join()).toMatch(
        /refused: the topic contract-\d+\.clean does not take it: .*timestamp/i,
      );
      const timeless = held.find(({ timestamp }) => timestamp === -1n)!;
      const header = timeless.headers.find(([name]) => String(name) === 'sluice-source-timestamp');
      expect(String(header![1])).toBe(String(MOST));
      expect(held.map(({ value }) => value!.length)).toContain(incompressible.length);
      expect(gate.lines.filter(({ level }) => level >= 40).map(({ kind }) => kind)).toContain('too_large');
    },
    STARTS_MS,
  );

  test(
    'is named where nothing can take it, and the others go on',
    async () => {
      const topic = await newTopic();
      // As large as the broker takes; with the reason it is larger.
      const value = Buffer.concat([bytes('"'), crypto.getRandomValues(Buffer.alloc(1_048_588 - 200))]);
      await produce(topic, recordBatch([message(), message({ value: bytes('poison') })]));
      const most = recordBatch([message({ value })]);
      expect(most.length).toBeGreaterThan(1_048_588 - 300);
      await produce(topic, most);
      await produce(topic, recordBatch([message()]));
      const gate = await start([topic]);
      await consumed(topic, 4, gate);
      expect(await gate.stop()).toBe(0);
      const held = await wire.read(`${topic}.held`, 0);
      expect(held.map(({ key }) => String(key))).toContain(`${topic}/0/2`);
      const named = held.find(({ key }) => String(key) === `${topic}/0/2`)!;
      expect(reasonOf(named)).toMatch(/^too_large: .*; it was to be held: unreadable: /);
      expect(await wire.read(`${topic}.clean`, 0)).toHaveLength(2);
      expect(held).toHaveLength(2);
    },
    STARTS_MS,
  );

  test(
    'is one of very many in a small batch, and all come out',
    async () => {
      const topic = await newTopic();
      const count = 100_000;
      const tiny = recordBatch(
        Array.from({ length: count }, () => message({ key: null, value: null, headers: [] })),
        'gzip',
      );
      expect(tiny.length).toBeLessThan(200_000);
      await produce(topic, tiny);
      // A record that says it has a byte more: brokers do not look into what is compressed.
      const cut = Buffer.from([7 * 2, 0, 0, 0, 1, 1, 0]);
      await produce(topic, batchOf(gzipSync(cut), 1, AT, CODECS.gzip));
      const gate = await start([topic], { window: { rows: 10_000, ms: 200 } });
      await consumed(topic, count + 1, gate);
      expect(await gate.stop()).toBe(0);
      expect(await wire.read(`${topic}.clean`, 0)).toHaveLength(count);
      const [held] = await wire.read(`${topic}.held`, 0);
      expect(reasonOf(held!)).toEndWith('cannot be read: the bytes end too early');
    },
    STARTS_MS,
  );
});
