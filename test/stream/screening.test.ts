/** `sluice stream` against a real broker: what is read by Kafka's own consumer in the end. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Message } from 'kafkajs';
import type { Payload } from '../../src/alerts/message.ts';
import { Server } from '../e2e/server.ts';
import { KafkaServer, type ReadMessage } from '../servers/kafka.ts';
import { eventually } from '../servers/process.ts';
import { LAUNCHER } from '../cli/sluice.ts';
import { GateData, type GateProcess } from './gate.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const AT = 1_700_000_000_000;
const CONSUMED_MS = 90_000;
const LARGE_BYTES = 10 * 1024 * 1024;

/** kafkajs asks for the byte length of a null header: it writes `length`, -1 as Kafka writes null, and asks again how many bytes to copy. */
function nullHeader(): Buffer {
  let asked = 0;
  return Object.defineProperty(Buffer.alloc(0), 'length', { get: () => (asked++ % 2 === 0 ? -1 : 0) });
}

const order = (i: number, changes: object = {}) =>
  JSON.stringify({
    order_id: `ORD-${i}`,
    amount: i * 1.5,
    status: ['new', 'paid', 'sent'][i % 3],
    ...changes,
  });

describeWithKafka('a stream', () => {
  let kafka: KafkaServer;
  const data: GateData[] = [];
  let topics = 0;

  beforeAll(async () => {
    kafka = await KafkaServer.start({ properties: ['message.max.bytes=20000000'] });
  }, STARTS_MS);

  afterAll(async () => {
    await kafka?.remove();
    for (const each of data) each.remove();
  });

  /** Topics of a test of its own, with a configuration for them. */
  async function newStream(changes: object = {}, input: object = {}, partitions = 1) {
    const name = `orders-${++topics}`;
    await kafka.createTopics([name, `${name}.clean`, `${name}.held`, `${name}.verdicts`], partitions);
    const own = { topic: name, source: name, clean: `${name}.clean`, held: `${name}.held`, ...input };
    const config = {
      brokers: [kafka.address],
      group: `group-${name}`,
      inputs: [own],
      verdicts: `${name}.verdicts`,
      window: { rows: 100, ms: 500 },
      session_ms: 6000,
      ...changes,
    };
    const gateData = new GateData();
    data.push(gateData);
    return { name, config, data: gateData };
  }

  async function produce(topic: string, messages: Message[]): Promise<void> {
    const producer = kafka.client.producer();
    await producer.connect();
    for (const message of messages.length > 1000 ? [messages] : messages.map(each => [each]))
      await producer.send({ topic, messages: message });
    await producer.disconnect();
  }

  const consumed = (group: string, topic: string, offset: number) =>
    eventually(
      () =>
        kafka.withAdmin(async admin => {
          const [found] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
          const total = found!.partitions.reduce((sum, each) => sum + Math.max(0, Number(each.offset)), 0);
          if (total < offset) throw new Error(`${total} of ${offset} messages are consumed`);
        }),
      CONSUMED_MS,
    );

  /** Screens what is in the topic, and stops. */
  async function screened({ name, config, data: own }: Awaited<ReturnType<typeof newStream>>, count: number) {
    const gate = await own.start(config);
    await consumed(config.group, name, count).catch(error => {
      throw new Error(`${error.message}: ${gate.said}`);
    });
    expect(await gate.stop()).toBe(0);
    expect(gate.stderr).toBe('');
    return gate;
  }

  const verdictsOf = async (name: string) =>
    (await kafka.read(`${name}.verdicts`)).map(({ value }) => JSON.parse(value!) as Record<string, unknown>);

  test.each(['stop', 'stopGroup'] as const)(
    'started by the launcher drains and ends with 0: %s',
    async how => {
      const stream = await newStream({ window: { rows: 100, ms: 60_000 } });
      const gate = await stream.data.start(stream.config, {}, ['setsid', 'node', LAUNCHER]);
      await produce(
        stream.name,
        Array.from({ length: 250 }, (_, i) => ({ value: order(i) })),
      );
      // Two windows; the rest waits for more rows.
      await consumed(stream.config.group, stream.name, 200);
      expect(await gate[how]()).toBe(0);
      expect(gate.lines.filter(({ msg }) => msg === 'stopping')).toHaveLength(1);
      expect(gate.stderr).toBe('');
    },
    STARTS_MS,
  );

  test(
    'passes rows on as they came: content, keys, headers, timestamps, order; tombstones too',
    async () => {
      const stream = await newStream();
      const sent = Array.from({ length: 250 }, (_, i) => ({
        key: i % 5 === 0 ? null : `key-${i}`,
        value: i === 17 ? null : order(i),
        headers: { n: String(i), twice: ['a', `b${i}`], none: nullHeader() },
        timestamp: String(AT + i * 1000),
      }));
      await produce(stream.name, sent);
      await screened(stream, 250);
      const clean = await kafka.read(`${stream.name}.clean`);
      expect(clean.map(({ key, value, timestamp }) => ({ key, value, timestamp }))).toEqual(
        sent.map(({ key, value, timestamp }) => ({ key, value, timestamp: Number(timestamp) })),
      );
      expect(clean.map(({ headers }) => headers)).toEqual(
        sent.map((_, i) => [
          ['n', String(i)],
          ['twice', 'a'],
          ['twice', `b${i}`],
          ['none', null],
        ]),
      );
      expect(await kafka.read(`${stream.name}.held`)).toEqual([]);
      const verdicts = await verdictsOf(stream.name);
      expect(verdicts.map(({ offsets, rows, held }) => ({ offsets, rows, held }))).toEqual([
        { offsets: { 0: [0, 99] }, rows: 99, held: 0 },
        { offsets: { 0: [100, 199] }, rows: 100, held: 0 },
        { offsets: { 0: [200, 249] }, rows: 50, held: 0 },
      ]);
      expect(jobsOf(stream.data)).toEqual(
        verdicts.map(({ request_id, rows }) => ({ id: request_id, rows })) as never,
      );
    },
    STARTS_MS,
  );

  test(
    'holds rows that are wrong, and messages that are no row, each with the reason and where it came from',
    async () => {
      const stream = await newStream();
      const wrong: Record<number, string> = {
        3: 'poison',
        5: '{"order_id": ',
        7: order(7, { amount: 'x' }),
        9: '',
      };
      await produce(
        stream.name,
        Array.from({ length: 100 }, (_, i) => ({
          key: `k${i}`,
          value: wrong[i] ?? order(i),
          headers: { n: `${i}` },
        })),
      );
      await screened(stream, 100);
      const held = await kafka.read(`${stream.name}.held`);
      const [{ request_id: id } = {}] = await verdictsOf(stream.name);
      const from = (offset: number) => ({
        n: `${offset}`,
        'sluice-source-topic': stream.name,
        'sluice-source-partition': '0',
        'sluice-source-offset': `${offset}`,
      });
      expect(held.map(({ key, value }) => [key, value])).toEqual(
        [3, 5, 7, 9].map(i => [`k${i}`, wrong[i]!] as [string, string]),
      );
      expect(held.map(({ headers }) => Object.fromEntries(headers))).toEqual([
        { ...from(3), 'sluice-reason': 'unreadable: the message is not a JSON object' },
        { ...from(5), 'sluice-reason': expect.stringMatching(/^unreadable: Line 1 is not JSON/) },
        { ...from(7), 'sluice-reason': 'type_mismatch amount', 'sluice-request-id': String(id) },
        { ...from(9), 'sluice-reason': 'unreadable: the message is empty' },
      ]);
      expect(await kafka.read(`${stream.name}.clean`)).toHaveLength(96);
    },
    STARTS_MS,
  );

  const broken = Array.from({ length: 100 }, (_, i) => ({ value: order(i, { amount: i < 50 ? 'x' : i }) }));

  test(
    'diverts a BLOCKed window as a whole, and goes on',
    async () => {
      const stream = await newStream();
      await produce(stream.name, [
        ...broken,
        { value: null },
        ...broken.map((_, i) => ({ value: order(i) })),
      ]);
      await screened(stream, 201);
      const held = await kafka.read(`${stream.name}.held`);
      expect(held).toHaveLength(100);
      const reasons = held.map(({ headers }) => reasonOf(headers));
      expect(reasons[99]).toMatch(/^BLOCK: Type mismatch in 'amount'|^type_mismatch amount/);
      expect(reasons.filter(reason => reason?.startsWith('BLOCK: ')).length).toBeGreaterThan(0);
      expect(await kafka.read(`${stream.name}.clean`)).toHaveLength(101);
    },
    STARTS_MS,
  );

  test(
    'stops at a BLOCKed window with on_block: halt, says so once, and goes on when it is started otherwise',
    async () => {
      const stream = await newStream({ on_block: 'halt' });
      await produce(stream.name, [...broken, { value: order(1) }]);
      for (let start = 0; start < 2; start++) {
        const gate = await stream.data.start(stream.config);
        expect(await gate.says('on_block is halt')).toMatchObject({ first: 0, last: 99, level: 50 });
        expect(await gate.stop()).toBe(0);
      }
      expect(await kafka.read(`${stream.name}.held`)).toEqual([]);
      expect(await verdictsOf(stream.name)).toMatchObject([{ status: 'BLOCK', rows: 100 }]);
      const passing = { ...stream.config, on_block: 'pass' };
      await screened({ ...stream, config: passing }, 101);
      const [clean, held] = [
        await kafka.read(`${stream.name}.clean`),
        await kafka.read(`${stream.name}.held`),
      ];
      expect(clean.length + held.length).toBe(101);
      expect(clean.length).toBeGreaterThan(1);
      // The window was judged once.
      expect(jobsOf(stream.data).map(({ rows }) => rows)).toEqual([100, 1]);
    },
    STARTS_MS,
  );

  test(
    'a BLOCKed window opens an incident, whose alert the gate delivers, and the next one that passes resolves it',
    async () => {
      const stream = await newStream();
      const types: string[] = [];
      using receiver = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: async request => {
          const { type, data } = (await request.json()) as Payload;
          types.push(`${type} of ${data.incident.source}`);
          return new Response();
        },
      });
      const environment = { ...stream.data.environment, ALERT_ALLOW_PRIVATE: 'true' };
      const service = await Server.start(environment, stream.data.folder);
      const made = await fetch(`${service.url}/v1/alerts/channels`, {
        method: 'POST',
        headers: { 'X-API-Key': stream.data.environment.SLUICE_KEY!, 'Content-Type': 'application/json' },
        body: JSON.stringify({ type: 'webhook', url: receiver.url.href }),
      });
      expect(made.status).toBe(201);
      expect(await service.kill('SIGTERM')).toBe(0);
      // The gate is alone: it delivers.
      const gate = await stream.data.start(stream.config, environment);
      const heard = (count: number) =>
        eventually(async () => {
          if (types.length < count) throw new Error(`${types}: ${gate.said}`);
        }, CONSUMED_MS);
      const good = broken.map((_, i) => ({ value: order(i) }));
      await produce(stream.name, [...good, ...broken]);
      await heard(1);
      await produce(stream.name, good);
      await heard(2);
      expect(types).toEqual([`incident.opened of ${stream.name}`, `incident.resolved of ${stream.name}`]);
      expect(await gate.stop()).toBe(0);
    },
    STARTS_MS,
  );

  test(
    'finds the source of a row in a header, a field or the key, and reads CSV lines',
    async () => {
      const byField = await newStream({}, { source: { field: 'type' } });
      await produce(byField.name, [
        ...Array.from({ length: 10 }, (_, i) => ({ value: order(i, { type: i % 2 ? 'a' : 'b' }) })),
        { value: order(11) },
      ]);
      await screened(byField, 11);
      expect((await verdictsOf(byField.name)).map(({ source, rows }) => [source, rows])).toEqual([
        ['b', 5],
        ['a', 5],
      ]);
      const [held] = await kafka.read(`${byField.name}.held`);
      expect(reasonOf(held!.headers)).toBe(
        "unreadable: the field 'type' is missing; it names the pipeline or table",
      );
      const csv = await newStream(
        {},
        { source: { header: 'x-source' }, format: 'csv', columns: ['id', 'note'] },
      );
      const lines = ['1,a', '2,"b\nc"', '3,"d', '4,e\r\n', '5,f\n6,g', '7,"h""i"'];
      await produce(
        csv.name,
        lines.map(value => ({ value, headers: { 'x-source': 'notes' } })),
      );
      await screened(csv, lines.length);
      expect((await kafka.read(`${csv.name}.clean`)).map(({ value }) => value)).toEqual([
        '1,a',
        '2,"b\nc"',
        '4,e\r\n',
        '7,"h""i"',
      ]);
      expect(
        (await kafka.read(`${csv.name}.held`)).map(({ value, headers }) => [value, reasonOf(headers)]),
      ).toEqual([
        ['3,"d', expect.stringMatching(/^unreadable: The quote that opens on line 2 is never closed/)],
        ['5,f\n6,g', 'unreadable: the message has 2 rows, not one'],
      ]);
    },
    STARTS_MS,
  );

  test(
    'holds rows of invented sources when the account has no room for more, and goes on with known ones',
    async () => {
      const stream = await newStream({ window: { rows: 1000, ms: 500 } }, { source: { field: 'type' } });
      const row = (i: number, type: string) => ({ value: order(i, { type }) });
      const invented = Array.from({ length: 1000 }, (_, i) => row(i, `invented ${i}`));
      await produce(stream.name, [row(1, 'a'), row(2, 'b'), ...invented, row(3, 'a')]);
      const gate = await stream.data.start(stream.config, { MAX_SOURCES: '2' });
      await consumed(stream.config.group, stream.name, 1003);
      expect(await gate.stop()).toBe(0);
      expect(gate.lines.filter(({ kind }) => kind === 'plan')).toEqual([]);
      const clean = (await kafka.read(`${stream.name}.clean`)).map(({ value }) => JSON.parse(value!).type);
      expect(clean.sort()).toEqual(['a', 'a', 'b']);
      const held = await kafka.read(`${stream.name}.held`);
      expect(held).toHaveLength(1000);
      expect(reasonOf(held[0]!.headers)).toStartWith(
        'not screened: The account has 2 sources of the 2 that it may have',
      );
    },
    STARTS_MS,
  );

  test(
    "reads what Kafka's own producer compressed, in each of its ways",
    async () => {
      const stream = await newStream();
      const sent: string[] = [];
      for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) {
        const lines = Array.from({ length: 500 }, (_, i) =>
          order(i, { codec, note: `${codec} ${i % 7} `.repeat(i % 60) }),
        );
        await kafka.produceLines(stream.name, lines, codec);
        sent.push(...lines);
      }
      await screened(stream, sent.length);
      const read = [
        ...(await kafka.read(`${stream.name}.clean`)),
        ...(await kafka.read(`${stream.name}.held`)),
      ];
      expect(read.map(({ value }) => value).sort()).toEqual(sent.sort());
    },
    STARTS_MS,
  );

  test(
    'passes a message of 10 MB on',
    async () => {
      const stream = await newStream();
      const sent = [0, 1, 2].map(i => order(i, { note: i === 1 ? 'x'.repeat(LARGE_BYTES) : 'short' }));
      await produce(
        stream.name,
        sent.map(value => ({ value })),
      );
      await screened(stream, 3);
      const read = [
        ...(await kafka.read(`${stream.name}.clean`)),
        ...(await kafka.read(`${stream.name}.held`)),
      ];
      expect(read.map(({ value }) => value).sort()).toEqual(sent.sort());
    },
    STARTS_MS,
  );

  test(
    'a message that the output topic refuses stops the partition with a line that says so, and is not lost',
    async () => {
      const stream = await newStream();
      await kafka.withAdmin(admin =>
        admin.alterConfigs({
          validateOnly: false,
          resources: [
            {
              type: 2,
              name: `${stream.name}.clean`,
              configEntries: [{ name: 'max.message.bytes', value: '100000' }],
            },
          ],
        }),
      );
      await produce(stream.name, [{ value: order(1, { note: 'x'.repeat(200_000) }) }]);
      const gate = await stream.data.start(stream.config, { METRICS_PORT: '0' });
      expect(await gate.says('nothing is lost')).toMatchObject({ kind: 'too_large', partition: 0 });
      expect(await metricsOf(gate)).toMatch(/sluice_stream_failures_total\{kind="too_large"\} [1-9]/);
      await kafka.withAdmin(admin =>
        admin.alterConfigs({
          validateOnly: false,
          resources: [{ type: 2, name: `${stream.name}.clean`, configEntries: [] }],
        }),
      );
      await consumed(stream.config.group, stream.name, 1);
      await gate.stop();
      expect(await kafka.read(`${stream.name}.clean`)).toHaveLength(1);
    },
    STARTS_MS,
  );

  test(
    'a topic that is missing is named at the start',
    async () => {
      const stream = await newStream({}, { held: 'nowhere' });
      const gate = await stream.data.begin(stream.config);
      expect(await gate.exited).toBe(3);
      expect(gate.stderr).toMatch(
        /^sluice: cannot read the topic nowhere: This server does not host this topic-partition$/m,
      );
    },
    STARTS_MS,
  );

  test(
    'loses nothing while the broker is away, and says that it is',
    async () => {
      const stream = await newStream();
      await produce(
        stream.name,
        Array.from({ length: 50 }, (_, i) => ({ value: order(i) })),
      );
      const gate = await stream.data.start(stream.config, { METRICS_PORT: '0' });
      await consumed(stream.config.group, stream.name, 50);
      await kafka.process.end();
      expect(await gate.says('it is tried again')).toMatchObject({ kind: 'broker_away' });
      await kafka.restart();
      await produce(
        stream.name,
        Array.from({ length: 50 }, (_, i) => ({ value: order(50 + i) })),
      );
      await consumed(stream.config.group, stream.name, 100);
      const text = await metricsOf(gate);
      expect(text).toMatch(/sluice_stream_failures_total\{kind="broker_away"\} [1-9]/);
      expect(text).toContain(`sluice_stream_lag{topic="${stream.name}",partition="0"} 0`);
      expect(text).toContain(`sluice_stream_messages_total{topic="${stream.name}",to="clean"} 100`);
      await gate.stop();
      expect((await kafka.read(`${stream.name}.clean`)).map(({ value }) => value)).toEqual(
        Array.from({ length: 100 }, (_, i) => order(i)),
      );
    },
    STARTS_MS,
  );
});

const reasonOf = (headers: ReadMessage['headers']) =>
  headers.findLast(([name]) => name === 'sluice-reason')?.[1];

async function metricsOf(gate: GateProcess): Promise<string> {
  const { metricsUrl } = await gate.says('screening');
  return (await fetch(String(metricsUrl))).text();
}

function jobsOf({ folder }: GateData): { id: string; rows: number }[] {
  const database = new Database(join(folder, 'sluice.sqlite'), { readonly: true });
  try {
    return database
      .query<{ id: string; rows: number }, []>('SELECT id, rows_received AS rows FROM jobs ORDER BY id')
      .all();
  } finally {
    database.close();
  }
}
