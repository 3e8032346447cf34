/** Where a partition goes on when the offsets of its group are not those of its log, or when it is new: nothing is left out unsaid. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { KafkaServer } from '../servers/kafka.ts';
import { KafkaWire } from '../servers/kafka-wire.ts';
import { eventually } from '../servers/process.ts';
import { GateData, type GateProcess } from './gate.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const CONSUMED_MS = 90_000;
/** Of `partitions` and the consumer's new look at its topics, with room for a busy machine. */
const FOUND_MS = 60_000;

describeWithKafka('offsets', () => {
  let kafka: KafkaServer;
  const data = new GateData();
  let topics = 0;

  beforeAll(async () => {
    kafka = await KafkaServer.start();
  }, STARTS_MS);

  afterAll(async () => {
    await kafka?.remove();
    data.remove();
  });

  async function newTopic(): Promise<string> {
    const topic = `moved-${++topics}`;
    await kafka.createTopics([topic, `${topic}.clean`, `${topic}.held`]);
    return topic;
  }

  async function produce(topic: string, from: number, count: number, partition = 0): Promise<void> {
    const producer = kafka.client.producer();
    await producer.connect();
    const messages = Array.from({ length: count }, (_, i) => ({ partition, value: `{"id": ${from + i}}` }));
    await producer.send({ topic, messages });
    await producer.disconnect();
  }

  const start = (
    topic: string,
    from: 'earliest' | 'latest' = 'earliest',
    more: { verdicts?: string } = {},
  ): Promise<GateProcess> =>
    data.start(
      {
        ...more,
        brokers: [kafka.address],
        group: topic,
        inputs: [{ topic, source: topic, clean: `${topic}.clean`, held: `${topic}.held` }],
        window: { rows: 100, ms: 100 },
        from,
        on_block: 'pass',
        session_ms: 6000,
      },
      { METRICS_PORT: '0' },
    );

  const offsetOf = async (topic: string, partition = 0): Promise<number> => {
    const [found] = await kafka.withAdmin(admin => admin.fetchOffsets({ groupId: topic, topics: [topic] }));
    return Number(found!.partitions.find(each => each.partition === partition)?.offset ?? -1);
  };
  const consumed = (topic: string, offset: number, gate: GateProcess, partition = 0) =>
    eventually(async () => {
      const now = await offsetOf(topic, partition);
      if (now !== offset) throw new Error(`${now}, not ${offset}: ${gate.said}`);
    }, CONSUMED_MS);
  const idsIn = async (topic: string) =>
    [...(await kafka.read(`${topic}.clean`)), ...(await kafka.read(`${topic}.held`))].map(
      ({ value }) => (JSON.parse(value!) as { id: number }).id,
    );
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  const failures = async (gate: GateProcess, kind: string): Promise<number> => {
    const { metricsUrl } = await gate.says('screening');
    const text = await (await fetch(String(metricsUrl))).text();
    return Number(new RegExp(`failures_total\\{kind="${kind}"\\} (\\d+)`).exec(text)![1]);
  };

  /** Screens 30 messages, and stops. */
  async function begun(): Promise<string> {
    const topic = await newTopic();
    await produce(topic, 0, 30);
    const gate = await start(topic);
    await consumed(topic, 30, gate);
    await gate.stop();
    return topic;
  }

  async function recreate(topic: string): Promise<void> {
    await kafka.withAdmin(admin => admin.deleteTopics({ topics: [topic] }));
    await eventually(() => kafka.createTopics([topic]), CONSUMED_MS);
  }

  test.each(['earliest', 'latest'] as const)(
    'beyond the end of the log: reading goes on at its %s',
    async from => {
      const topic = await newTopic();
      await produce(topic, 0, 20);
      await kafka.withAdmin(admin =>
        admin.setOffsets({ groupId: topic, topic, partitions: [{ partition: 0, offset: '30' }] }),
      );
      const gate = await start(topic, from);
      expect(await gate.says('the broker has lost messages')).toMatchObject({
        kind: 'out_of_range',
        level: 50,
        topic,
        from: 30,
        to: from === 'earliest' ? 0 : 20,
      });
      await consumed(topic, 20, gate);
      await produce(topic, 20, 20);
      await consumed(topic, 40, gate);
      expect(await failures(gate, 'out_of_range')).toBe(1);
      await gate.stop();
      expect(await idsIn(topic)).toEqual(from === 'earliest' ? ids(0, 40) : ids(20, 20));
    },
    STARTS_MS,
  );

  test(
    'of a topic that was deleted and created again, and has grown past them: reading begins again',
    async () => {
      const topic = await begun();
      const [found] = await kafka.withAdmin(admin => admin.fetchOffsets({ groupId: topic, topics: [topic] }));
      const { metadata } = found!.partitions[0]!;
      await recreate(topic);
      await produce(topic, 100, 60);
      // As a process does whose last window was read before and is written after.
      const wire = await KafkaWire.open(kafka.port);
      expect(await wire.commitOffset(topic, topic, 30, metadata!)).toBe(0);
      wire.close();
      const gate = await start(topic);
      expect(await gate.says('created again')).toMatchObject({
        kind: 'recreated',
        level: 50,
        from: 30,
        to: 0,
      });
      await consumed(topic, 60, gate);
      expect(await failures(gate, 'recreated')).toBe(1);
      await gate.stop();
      expect(await idsIn(topic)).toEqual([...ids(0, 30), ...ids(100, 60)]);
    },
    STARTS_MS,
  );

  test(
    'of a topic that is deleted and created again while it is read: reading begins again',
    async () => {
      const topic = await newTopic();
      await produce(topic, 0, 30);
      const gate = await start(topic);
      await consumed(topic, 30, gate);
      await recreate(topic);
      // A new topic that has grown past the old offset before it is looked at would be taken for the old one.
      await produce(topic, 100, 20);
      await consumed(topic, 20, gate);
      await produce(topic, 120, 40);
      await consumed(topic, 60, gate);
      await gate.stop();
      expect(await idsIn(topic)).toEqual([...ids(0, 30), ...ids(100, 60)]);
    },
    STARTS_MS,
  );

  test(
    'of messages that were deleted since: reading goes on at the first that exists',
    async () => {
      const topic = await begun();
      await produce(topic, 30, 30);
      await kafka.withAdmin(async admin => {
        await admin.fetchTopicOffsets(topic);
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '45' }] });
      });
      const gate = await start(topic, 'latest');
      expect(await gate.says('deleted before they were read')).toMatchObject({
        kind: 'deleted',
        from: 30,
        to: 45,
      });
      await consumed(topic, 60, gate);
      await gate.stop();
      expect(await idsIn(topic)).toEqual([...ids(0, 30), ...ids(45, 15)]);
    },
    STARTS_MS,
  );

  test(
    'of messages that were deleted since, in a window whose verdict is written: it is written once',
    async () => {
      const topic = await begun();
      await produce(topic, 30, 30);
      const [found] = await kafka.withAdmin(admin => admin.fetchOffsets({ groupId: topic, topics: [topic] }));
      await kafka.withAdmin(async admin => {
        await admin.createTopics({ topics: [{ topic: `${topic}.verdicts`, numPartitions: 1 }] });
        await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '45' }] });
      });
      // As a process does that halts at the window of the offsets 30 to 59.
      const wire = await KafkaWire.open(kafka.port);
      expect(await wire.commitOffset(topic, topic, 30, `${found!.partitions[0]!.metadata} 59 told`)).toBe(0);
      wire.close();
      const gate = await start(topic, 'earliest', { verdicts: `${topic}.verdicts` });
      await consumed(topic, 60, gate);
      await gate.stop();
      expect(await idsIn(topic)).toEqual([...ids(0, 30), ...ids(45, 15)]);
      expect(await kafka.read(`${topic}.verdicts`)).toEqual([]);
    },
    STARTS_MS,
  );

  test(
    'of a new group are kept at once: what comes while no process runs is read, also with `from: latest`',
    async () => {
      const topic = await newTopic();
      await produce(topic, 0, 10);
      const gate = await start(topic, 'latest');
      await consumed(topic, 10, gate);
      await gate.stop();
      await produce(topic, 10, 10);
      const next = await start(topic, 'latest');
      await consumed(topic, 20, next);
      await next.stop();
      expect(await idsIn(topic)).toEqual(ids(10, 10));
    },
    STARTS_MS,
  );

  test(
    'of partitions that are added begin at their first message, found within seconds, and their rows have a place at once',
    async () => {
      const topic = await newTopic();
      await produce(topic, 0, 10);
      const gate = await start(topic, 'latest');
      await consumed(topic, 10, gate);
      const added = performance.now();
      await kafka.withAdmin(admin =>
        admin.createPartitions({
          topicPartitions: [topic, `${topic}.clean`].map(each => ({ topic: each, count: 3 })),
        }),
      );
      await produce(topic, 100, 10, 1);
      await consumed(topic, 10, gate, 1);
      expect(performance.now() - added).toBeLessThan(FOUND_MS);
      await produce(topic, 10, 10);
      await consumed(topic, 20, gate);
      await gate.stop();
      // One that comes while no process runs.
      await produce(topic, 200, 10, 2);
      const next = await start(topic, 'latest');
      await consumed(topic, 10, next, 2);
      await next.stop();
      expect((await idsIn(topic)).sort((a, b) => a - b)).toEqual([
        ...ids(10, 10),
        ...ids(100, 10),
        ...ids(200, 10),
      ]);
    },
    STARTS_MS,
  );
});
