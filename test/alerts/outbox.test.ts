/** The outbox over a real database, with receivers that listen on this machine. */
import type { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { createServer, type Server } from 'node:net';
import type { Readable } from 'node:stream';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { alertIds } from '../../src/alerts/ids.ts';
import { type Payload, testPayload } from '../../src/alerts/message.ts';
import { MAX_MAILS_PER_DAY, newDelivery, Outbox, type OutboxDependencies } from '../../src/alerts/outbox.ts';
import { MAX_ATTEMPTS } from '../../src/alerts/schedule.ts';
import { ID_RANDOM_BYTES, requestId } from '../../src/names/request-id.ts';
import { SmtpMailer } from '../../src/mail/smtp.ts';
import type { Channel, Job } from '../../src/stores/ports.ts';
import { SqlAlerts } from '../../src/stores/sql/alerts.ts';
import { SqlChanges } from '../../src/stores/sql/changes.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { newDatabase } from '../http/stores.ts';
import { SmtpInbox } from '../mail/smtp-inbox.ts';

const START = Date.UTC(2026, 10, 22, 12);
const DAY_MS = 24 * 3_600_000;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.from('another secret of so many letters').toString('base64')}`;

const randomBytes = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));

interface Got {
  path: string;
  headers: Headers;
  body: string;
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Answers with what `answer` gives. */
function receiver(answer: (got: Got) => Response | Promise<Response> = () => new Response()) {
  const got: Got[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const { pathname } = new URL(request.url);
      got.push({ path: pathname, headers: request.headers, body: await request.text() });
      return answer(got.at(-1)!);
    },
  });
  closing.push(() => server.stop(true));
  return { got, url: `http://127.0.0.1:${server.port}/hook` };
}

/** Accepts connections, and then does as told. */
async function socketServer(accept: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(accept!);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

class World {
  now = START;
  readonly alerts: SqlAlerts;
  readonly jobs: SqlJobs;
  readonly changes: SqlChanges;
  readonly outbox: Outbox;
  readonly deps: OutboxDependencies;
  #jobs = 0;
  readonly #client: Database;

  constructor(change: Partial<OutboxDependencies> = {}) {
    const { client, database } = newDatabase();
    this.#client = client;
    client.run(`UPDATE accounts SET email = 'owner@corp.com' WHERE id = 'owner'`);
    this.alerts = new SqlAlerts(database);
    this.jobs = new SqlJobs(database);
    this.changes = new SqlChanges(database);
    this.deps = {
      alerts: this.alerts,
      publicUrl: () => 'https://gate.corp.com',
      allowPrivate: true,
      timeoutMs: 10_000,
      mail: null,
      now: () => this.now,
      newId: alertIds(() => this.now, randomBytes),
      chance: () => 0,
      log: pino({ level: 'silent' }),
      ...change,
    };
    this.outbox = new Outbox(this.deps);
  }

  /** Makes an account, unless there is one, and gives its id. */
  account(id: string): string {
    this.#client
      .query(
        `INSERT OR IGNORE INTO accounts (id, name, plan, salt, created_at)
         SELECT $id, $id, plan, salt, 0 FROM accounts WHERE id = 'owner'`,
      )
      .run({ id });
    return id;
  }

  async channel(target: string, more: Partial<Channel> = {}, account = 'owner'): Promise<string> {
    const id = this.deps.newId('msg').replace('msg', 'chn');
    const secrets = [{ secret: SECRET, until: null }];
    const base = {
      type: 'webhook',
      name: 'on call',
      sources: ['*'],
      on: 'warn',
      failingSince: null,
    } as const;
    const channel = { ...base, id, target, secrets, createdAt: this.now, ...more };
    await this.alerts.addChannel(account, channel, 20);
    return id;
  }

  async screen(status: Job['status'], source = 'orders', reason = 'amount has 60% nulls'): Promise<string> {
    const id = requestId(this.now, new Uint8Array(ID_RANDOM_BYTES).fill(++this.#jobs));
    await this.jobs.complete({
      account: 'owner',
      job: {
        id,
        source,
        status,
        healthScore: status === 'PASS' ? 0.75 : 0.5,
        rowsReceived: 1,
        driftCount: 0,
        latencyMs: 1,
        createdAt: this.now,
      },
      document: { report: '{}', profile: '{}' },
      trend: { drift: '[]', nullRates: '{}' },
      periodStart: 0,
      answer: null,
      reason: status === 'PASS' ? null : reason,
    });
    this.now += 1000;
    return id;
  }

  accept(source = 'orders'): Promise<unknown> {
    const change = { source, action: 'accepted', at: this.now, by: 'ann@corp.com', key: null } as const;
    return this.changes.add('owner', change);
  }

  /** One round, until each attempt has its outcome. */
  async round(): Promise<void> {
    await this.outbox.round();
    await this.outbox.sent();
  }

  deliveries() {
    return this.alerts.deliveries('owner', { limit: 200 });
  }
}

const typesOf = (got: Got[]) => got.map(({ body }) => (JSON.parse(body) as Payload).type);

/** A world whose receiver answers the opening of an incident with `status`, and anything else with 200. */
async function refusingOpenings(status: number): Promise<{ world: World; got: Got[] }> {
  const world = new World();
  const answer = ({ body }: Got) =>
    new Response(null, { status: body.includes('incident.opened') ? status : 200 });
  const { got, url } = receiver(answer);
  await world.channel(url);
  return { world, got };
}

describe('an incident', () => {
  test('is posted once when it opens, when it becomes BLOCK and when it ends', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    const first = await world.screen('WARN');
    await world.round();
    for (let n = 0; n < 5; n++) await world.screen('WARN');
    await world.round();
    await world.screen('BLOCK');
    await world.screen('BLOCK');
    await world.round();
    await world.screen('PASS');
    await world.round();
    await world.round();
    expect(typesOf(got)).toEqual(['incident.opened', 'incident.updated', 'incident.resolved']);
    expect(JSON.parse(got[0]!.body)).toEqual({
      type: 'incident.opened',
      timestamp: '2026-11-22T12:00:01.000Z',
      data: {
        incident: {
          id: expect.stringMatching(/^inc_/),
          source: 'orders',
          status: 'open',
          verdict: 'WARN',
          opened_at: '2026-11-22T12:00:00.000Z',
          batches: 1,
        },
        report: {
          request_id: first,
          status: 'WARN',
          health_score: 0.5,
          reason: 'amount has 60% nulls',
        },
        url: `https://gate.corp.com/#/jobs/${first}`,
      },
    });
    const last = (JSON.parse(got[2]!.body) as Payload).data;
    expect(last.incident).toMatchObject({ status: 'resolved', verdict: 'BLOCK', batches: 8 });
    expect(last.report).toMatchObject({ status: 'PASS', health_score: 0.75 });
  });

  test('that goes on with a less grave batch has the report of this batch', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    await world.screen('BLOCK');
    await world.round();
    world.now += DAY_MS;
    const newest = await world.screen('WARN');
    await world.round();
    const { incident, report } = (JSON.parse(got[1]!.body) as Payload).data;
    expect([incident.verdict, report.status, report.request_id]).toEqual(['BLOCK', 'WARN', newest]);
  });

  test('that became BLOCK within a snooze is said after it, also to a channel for BLOCK alone', async () => {
    const world = new World();
    const [all, grave] = [receiver(), receiver()];
    await world.channel(all.url);
    await world.channel(grave.url, { on: 'block' });
    const screen = async (status: Job['status'], source: string) => {
      await world.screen(status, source);
      for (let round = 0; round < 2; round++) await world.round();
    };
    for (const source of ['orders', 'others']) {
      await screen('WARN', source);
      const incident = (await world.alerts.lastIncident('owner', source))!;
      await world.alerts.move({ ...incident, snoozedUntil: world.now + 60_000 }, [], []);
      await screen('BLOCK', source);
    }
    await screen('PASS', 'others');
    expect(grave.got).toEqual([]);
    world.now += 60_000;
    await screen('WARN', 'orders');
    expect(typesOf(grave.got)).toEqual(['incident.updated']);
    await screen('PASS', 'orders');
    expect(typesOf(grave.got)).toEqual(['incident.updated', 'incident.resolved']);
    expect(typesOf(all.got)).toEqual([
      ...(['incident.opened', 'incident.opened', 'incident.resolved'] as const),
      ...(['incident.updated', 'incident.resolved'] as const),
    ]);
  });

  test('whose batch was accepted is said again with the next as grave, also after less grave ones', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    const seen: string[][] = [];
    for (const status of ['BLOCK', 'WARN', 'WARN', 'BLOCK', 'BLOCK'] as const) {
      got.length = 0;
      await world.screen(status);
      await world.round();
      seen.push(typesOf(got));
      if (seen.length === 1) await world.accept();
      world.now += 1000;
    }
    expect(seen).toEqual([['incident.opened'], [], [], ['incident.updated'], []]);
  });

  test('that opens and ends within one round is posted in this order', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    for (let n = 0; n < 20; n++) {
      for (const status of ['BLOCK', 'PASS'] as const) await world.screen(status, `source ${n}`);
      for (let round = 0; round < 2; round++) await world.round();
    }
    const pairs = Array.from({ length: 20 }, () => ['incident.opened', 'incident.resolved'] as const);
    expect(typesOf(got)).toEqual(pairs.flat());
  });

  test('that opens after the clock was set back ends with a batch that passes, and takes up those before', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    for (const status of ['WARN', 'PASS'] as const) {
      await world.screen(status);
      await world.round();
    }
    world.now -= 3 * 3_600_000;
    const seen: string[][] = [];
    for (const status of ['WARN', 'BLOCK', 'PASS'] as const) {
      got.length = 0;
      await world.screen(status);
      for (let round = 0; round < 3; round++) await world.round();
      seen.push(typesOf(got));
    }
    expect(seen).toEqual([['incident.opened'], ['incident.updated'], ['incident.resolved']]);
  });

  test('of a source that the channel does not name, or too light, is not posted', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url, { sources: ['raw/*'], on: 'block' });
    await world.screen('BLOCK', 'orders');
    await world.screen('WARN', 'raw/a');
    await world.screen('BLOCK', 'raw/b');
    await world.round();
    await world.screen('PASS', 'raw/a');
    await world.round();
    expect(got.map(({ body }) => (JSON.parse(body) as Payload).data.incident.source)).toEqual(['raw/b']);
  });

  test('of many batches and sources is one message a source', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    for (let n = 0; n < 600; n++) await world.screen(n % 3 ? 'BLOCK' : 'WARN', `source ${n % 20}`);
    while ((await world.alerts.badBatches(1)).length > 0) await world.round();
    while ((await world.alerts.due(world.now, 1)).length > 0) await world.round();
    const opened = got.filter((_, i) => typesOf(got)[i] === 'incident.opened');
    expect(opened).toHaveLength(20);
    const found = await world.alerts.incidents('owner', { limit: 99 });
    expect(found.map(({ batches }) => batches)).toEqual(Array(20).fill(30));
  });

  test('is taken up once by several processes, and each message is sent once', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url);
    const others = Array.from({ length: 4 }, () => new Outbox(world.deps));
    for (let n = 0; n < 40; n++) await world.screen('WARN', `source ${n % 10}`);
    for (let n = 0; n < 30; n++) {
      await Promise.all(others.map(outbox => outbox.round()));
      await Promise.all(others.map(outbox => outbox.sent()));
    }
    expect(got).toHaveLength(10);
    expect(new Set(got.map(({ headers }) => headers.get('webhook-id'))).size).toBe(10);
    const found = await world.alerts.incidents('owner', { limit: 99 });
    expect(found.map(({ batches }) => batches)).toEqual(Array(10).fill(4));
  });
});

describe('messages of an incident', () => {
  /** One round each second. */
  const rounds = async (world: World, seconds: number) => {
    for (let n = 0; n < seconds; n++, world.now += 1000) await world.round();
  };

  test('arrive in order also if an attempt fails, and do not wait for those of others', async () => {
    const world = new World();
    const statuses = [503];
    const { got, url } = receiver(() => new Response(null, { status: statuses.shift() ?? 200 }));
    await world.channel(url);
    await world.screen('BLOCK');
    await world.round();
    await world.screen('PASS');
    await world.screen('BLOCK', 'others');
    await rounds(world, 8);
    expect(
      got.map(({ body }) => JSON.parse(body) as Payload).map(each => [each.data.incident.source, each.type]),
    ).toEqual([
      ['orders', 'incident.opened'],
      ['others', 'incident.opened'],
      ['orders', 'incident.opened'],
      ['orders', 'incident.resolved'],
    ]);
  });

  test('reach a receiver that works again as soon as there is a new one', async () => {
    const world = new World();
    let status = 503;
    const { got, url } = receiver(() => new Response(null, { status }));
    await world.channel(url);
    await world.screen('WARN');
    const until = world.now + DAY_MS / 2;
    for (; world.now < until; world.now += 60_000) await world.round();
    expect((await world.deliveries())[0]).toMatchObject({ status: 'pending', attempts: 9 });
    got.length = 0;
    status = 200;
    await world.screen('BLOCK');
    await rounds(world, 3);
    expect(typesOf(got)).toEqual(['incident.opened', 'incident.updated']);
  });

  test('do not wait for one that is given up', async () => {
    const { world, got } = await refusingOpenings(500);
    await world.screen('WARN');
    await world.round();
    await world.screen('PASS');
    const until = world.now + DAY_MS * 1.1;
    for (; world.now < until; world.now += 600_000) await world.round();
    expect(typesOf(got).slice(-2)).toEqual(['incident.opened', 'incident.resolved']);
    expect(got).toHaveLength(MAX_ATTEMPTS + 1);
    expect((await world.deliveries()).map(each => each.status)).toEqual(['delivered', 'failed']);
  });

  test('go on at once after a refused message, and the end of an incident is sent even if its opening was refused', async () => {
    const { world, got } = await refusingOpenings(400);
    await world.screen('BLOCK');
    await world.round();
    expect((await world.deliveries())[0]).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'it answered 400, which refuses the message: it is not tried again',
    });
    await world.screen('PASS');
    await rounds(world, 2);
    expect(typesOf(got)).toEqual(['incident.opened', 'incident.resolved']);
    expect((await world.deliveries()).map(each => each.status)).toEqual(['delivered', 'failed']);
  });
});

describe('the signature', () => {
  const headersOf = ({ headers }: Got) => ({
    'webhook-id': headers.get('webhook-id')!,
    'webhook-timestamp': headers.get('webhook-timestamp')!,
    'webhook-signature': headers.get('webhook-signature')!,
  });

  test("is accepted by the scheme's own library, and refused after a change", async () => {
    const world = new World();
    world.now = Date.now();
    const { got, url } = receiver();
    await world.channel(url);
    await world.screen('BLOCK');
    await world.round();
    const [post] = got as [Got];
    const webhook = new Webhook(SECRET);
    expect(webhook.verify(post.body, headersOf(post))).toEqual(JSON.parse(post.body));
    expect(() => webhook.verify(post.body.replace('orders', 'others'), headersOf(post))).toThrow();
    expect(() => new Webhook(OLD_SECRET).verify(post.body, headersOf(post))).toThrow();
  });

  test('is made with both secrets while they are rotated', async () => {
    const world = new World();
    world.now = Date.now();
    const { got, url } = receiver();
    const secrets = [
      { secret: SECRET, until: null },
      { secret: OLD_SECRET, until: world.now + DAY_MS },
    ];
    await world.channel(url, { secrets });
    await world.screen('BLOCK');
    await world.round();
    const [post] = got as [Got];
    new Webhook(SECRET).verify(post.body, headersOf(post));
    new Webhook(OLD_SECRET).verify(post.body, headersOf(post));
    world.now += DAY_MS;
    await world.screen('PASS');
    await world.round();
    expect(got[1]!.headers.get('webhook-signature')!.split(' ')).toHaveLength(1);
  });
});

describe('Slack', () => {
  test('gets a text and blocks in which a source cannot call everyone', async () => {
    const world = new World();
    const { got, url } = receiver();
    await world.channel(url, { type: 'slack', secrets: [] });
    await world.screen('BLOCK', '<!channel> & co', 'x'.repeat(900));
    await world.round();
    expect(got[0]!.headers.get('webhook-signature')).toBeNull();
    const { text, blocks } = JSON.parse(got[0]!.body);
    expect(text).toBe('&lt;!channel&gt; &amp; co: BLOCK');
    expect(blocks.map((block: { type: string }) => block.type)).toEqual([
      'header',
      'section',
      'context',
      'section',
    ]);
    expect(blocks[0].text).toEqual({ type: 'plain_text', text: '<!channel> & co: BLOCK', emoji: false });
    expect(blocks[3].text.text).toStartWith('<https://gate.corp.com/#/jobs/req_');
  });
});

/** A BLOCK that was mailed to ann@corp.com, or that the mail server has refused. */
async function mailedBlock(server: Parameters<typeof SmtpInbox.open>[0] = {}) {
  const inbox = await SmtpInbox.open(server);
  closing.push(() => inbox[Symbol.asyncDispose]());
  const mailer = new SmtpMailer(inbox.url, 'sluice@corp.com');
  const world = new World({ mail: (to, mail) => mailer.send(to, mail) });
  await world.channel('ann@corp.com', { type: 'email', secrets: [] });
  await world.screen('BLOCK');
  await world.round();
  return { world, inbox };
}

describe('mail', () => {
  test('goes to the address, in words', async () => {
    const { inbox } = await mailedBlock();
    const [{ to, message }] = inbox.received as [(typeof inbox.received)[0]];
    expect(to).toEqual(['ann@corp.com']);
    expect(message).toContain('Subject: Sluice: orders: BLOCK');
    expect(message).toContain('amount has 60% nulls');
    expect(message).toContain('https://gate.corp.com/#/jobs/req_');
  });
});

test(`an account sends ${MAX_MAILS_PER_DAY} mails a day, and then other messages only`, async () => {
  const sent: string[] = [];
  const world = new World({ mail: async to => void sent.push(to) });
  const { got, url } = receiver();
  const channel = await world.channel('ann@corp.com', { type: 'email', secrets: [] });
  await world.channel(url);
  for (let n = 1; n < MAX_MAILS_PER_DAY; n++) await world.alerts.noteMail('owner', world.now, 0);
  for (const source of ['a', 'b']) {
    await world.screen('BLOCK', source);
    await world.round();
  }
  expect([sent, got.length]).toEqual([['ann@corp.com'], 2]);
  const [refused] = await world.alerts.deliveries('owner', { limit: 1, channel });
  expect(refused).toMatchObject({
    status: 'failed',
    error: `not sent: the account has sent ${MAX_MAILS_PER_DAY} mails within a day`,
  });
  expect((await world.alerts.channels('owner'))[0]!.failingSince).toBeNull();
  world.now += DAY_MS;
  await world.alerts.resend('owner', refused!.id, world.now);
  await world.round();
  expect(sent).toHaveLength(2);
});

test('a mail that is sent again counts again, and one whose channel is deleted still counts', async () => {
  const world = new World({ mail: async () => {} });
  const channel = await world.channel('ann@corp.com', { type: 'email', secrets: [] });
  await world.screen('BLOCK');
  await world.round();
  const [delivery] = await world.alerts.deliveries('owner', { limit: 1, channel });
  await world.alerts.resend('owner', delivery!.id, world.now);
  await world.round();
  await world.alerts.removeChannel('owner', channel);
  expect(await world.alerts.mailsSince('owner', world.now - DAY_MS)).toBe(2);
});

test('the owner gets one mail about refused messages until a message arrives, and it counts among the mails of the day', async () => {
  const mails: string[] = [];
  const world = new World({ mail: async (to, { text }) => void mails.push(`${to}: ${text.split('\n')[0]}`) });
  let status = 400;
  const { url } = receiver(() => new Response(null, { status }));
  await world.channel(url);
  for (let n = 2; n < MAX_MAILS_PER_DAY; n++) await world.alerts.noteMail('owner', world.now, 0);
  for (let n = 0; n < 8; n++) {
    status = n % 2 ? 200 : 400;
    await world.screen('BLOCK', `source ${n}`);
    await world.round();
  }
  expect((await world.deliveries()).map(each => each.status)).toEqual(
    Array.from({ length: 8 }, (_, n) => (n % 2 ? 'failed' : 'delivered')),
  );
  expect(mails).toEqual(Array(2).fill(`owner@corp.com: An alert to ${url} was refused.`));
});

test.each([
  ['whose address the mail server refuses', 'onRcptTo', 550, 'failed'],
  ['whose text the mail server refuses', 'onData', 554, 'failed'],
  ['for which the mail server has no time', 'onRcptTo', 450, 'pending'],
  ['whose sender the mail server refuses', 'onMailFrom', 550, 'pending'],
] as const)('a mail %s (%s, %i) is %s', async (_, when, responseCode, status) => {
  const no = Object.assign(new Error('no'), { responseCode });
  const refuse = {
    onRcptTo: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(no),
    onMailFrom: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(no),
    onData: (stream: Readable, _session: unknown, done: (error: Error) => void) =>
      stream.on('end', () => done(no)).resume(),
  };
  const { world } = await mailedBlock({ [when]: refuse[when] });
  const [delivery] = await world.deliveries();
  expect([delivery!.status, delivery!.error!.endsWith('it is not tried again')]).toEqual([
    status,
    status === 'failed',
  ]);
});

test('a round that is under way when the outbox stops begins nothing more', async () => {
  const world = new World();
  const { got, url } = receiver();
  await world.channel(url);
  await world.screen('BLOCK');
  const { alerts, outbox } = world;
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const due = alerts.due.bind(alerts);
  alerts.due = async (...call) => {
    asked.resolve();
    await answered.promise;
    return due(...call);
  };
  outbox.start();
  await asked.promise;
  const stopped = outbox.stop();
  answered.resolve();
  await stopped;
  expect((await world.deliveries()).map(({ status, attempts }) => [status, attempts])).toEqual([
    ['pending', 0],
  ]);
  expect(got).toEqual([]);
});

test('all batches are taken up at once, and a channel gets one message after the other', async () => {
  const world = new World();
  const { got, url } = receiver();
  await world.channel(url);
  for (let n = 0; n < 510; n++) await world.screen('BLOCK', `source ${n % 17}`);
  world.outbox.start();
  closing.push(() => world.outbox.stop());
  while (got.length < 17) await Bun.sleep(5);
  expect((await world.alerts.incidents('owner', { limit: 99 })).map(each => each.batches)).toEqual(
    Array.from({ length: 17 }, () => 30),
  );
});

describe('a receiver', () => {
  /** Sends one message and gives its delivery. */
  async function outcomeOf(url: string, change: Partial<OutboxDependencies> = {}) {
    const world = new World(change);
    await world.channel(url);
    await world.screen('BLOCK');
    await world.round();
    return (await world.deliveries())[0]!;
  }

  test('that answers 500 is tried again later', async () => {
    const { url } = receiver(() => new Response('no', { status: 500 }));
    const delivery = await outcomeOf(url);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, error: 'it answered 500' });
    expect(delivery.nextAt).toBe(START + 1000 + 5000);
  });

  test('that redirects is not followed', async () => {
    const inner = receiver();
    const { url } = receiver(() => Response.redirect(inner.url, 307));
    expect((await outcomeOf(url)).error).toStartWith('it answered 307, a redirect');
    expect(inner.got).toEqual([]);
  });

  test('that hangs is given up', async () => {
    const url = await socketServer(() => {});
    expect((await outcomeOf(url, { timeoutMs: 50 })).error).toBe('no answer within 0.05 seconds');
  });

  test('that resets or closes the connection', async () => {
    const resets = await socketServer(socket => socket.resetAndDestroy());
    expect((await outcomeOf(resets)).error).toMatch(/cannot be reached|closed without an answer/);
    const closes = await socketServer(socket => socket.end());
    expect((await outcomeOf(closes)).error).toMatch(/cannot be reached|closed without an answer/);
  });

  test('that sends an endless body is not read', async () => {
    const endless = new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(65536)) });
    const { url } = receiver(() => new Response(endless));
    expect((await outcomeOf(url)).status).toBe('delivered');
  });

  test('whose address or name is private is not reached, unless the operator allows it', async () => {
    const { got, url } = receiver();
    const error = 'it leads to a private, loopback or link-local address';
    expect((await outcomeOf(url, { allowPrivate: false })).error).toBe(error);
    const byName = url.replace('127.0.0.1', 'localhost.localdomain');
    expect((await outcomeOf(byName, { allowPrivate: false })).error).toMatch(/private|cannot be reached/);
    expect(got).toEqual([]);
  });

  test('that never answers is given up after a day; the owner is told once, and again after it worked', async () => {
    const inbox = await SmtpInbox.open();
    closing.push(() => inbox[Symbol.asyncDispose]());
    const mailer = new SmtpMailer(inbox.url, 'sluice@corp.com');
    let status = 503;
    const { got, url } = receiver(() => new Response(null, { status }));
    const world = new World({ mail: (to, mail) => mailer.send(to, mail) });
    const channel = await world.channel(url);
    await world.screen('BLOCK', 'a');
    await world.screen('BLOCK', 'b');
    await world.round();
    const until = world.now + 2 * DAY_MS;
    for (; world.now < until; world.now += 600_000) await world.round();
    expect(got).toHaveLength(2 * MAX_ATTEMPTS);
    const given = await world.deliveries();
    expect(given.map(each => each.status)).toEqual(['failed', 'failed']);
    expect((await world.alerts.channels('owner'))[0]!.failingSince).not.toBeNull();
    expect(inbox.received.map(({ to }) => to)).toEqual([['owner@corp.com']]);
    expect(inbox.received[0]!.message).toContain('No alert could be delivered to');
    status = 200;
    expect(await world.alerts.resend('owner', given[0]!.id, world.now)).not.toBeNull();
    await world.round();
    expect((await world.alerts.channels('owner'))[0]).toMatchObject({ id: channel, failingSince: null });
  });

  test('that never answers is given up also if new messages of the incident come every day', async () => {
    const { url } = receiver(() => new Response(null, { status: 503 }));
    const world = new World();
    await world.channel(url);
    const until = world.now + 4 * DAY_MS;
    for (let hour = 0; world.now < until; hour++, world.now += DAY_MS / 96) {
      if (hour % 4 === 0) await world.screen('BLOCK');
      await world.round();
    }
    const given = await world.deliveries();
    expect(given.map(({ status }) => status)).toContain('failed');
    expect((await world.alerts.channels('owner'))[0]!.failingSince).not.toBeNull();
  });

  test('gets what a process took with it when it was killed', async () => {
    const world = new World();
    const { got, url } = receiver();
    const channel = await world.channel(url);
    const payload = '{"type":"channel.test","data":{}}';
    const facts = {
      id: world.deps.newId('msg'),
      account: 'owner',
      channel,
      incident: null,
      type: 'channel.test',
    };
    await world.alerts.addDelivery(newDelivery({ ...facts, payload }, world.now));
    await world.alerts.take(facts.id, world.now, world.now + 60_000);
    await world.round();
    expect(got).toHaveLength(0);
    world.now += 60_000;
    await world.round();
    expect(got).toHaveLength(1);
  });

  test('that hangs does not delay those of others', async () => {
    const world = new World({ timeoutMs: 60_000 });
    const hanging = await socketServer(() => {});
    const { got, url } = receiver();
    for (let n = 0; n < 3; n++) await world.channel(hanging);
    await world.channel(url);
    await world.screen('BLOCK');
    await world.outbox.round();
    while (got.length === 0) await Bun.sleep(1);
    expect(got).toHaveLength(1);
  });

  test('that hangs does not delay other accounts, however many channels and accounts have one', async () => {
    const world = new World({ timeoutMs: 60_000 });
    const hanging = await socketServer(() => {});
    const send = async (account: string, target: string) => {
      const channel = await world.channel(target, { type: 'slack', secrets: [] }, account);
      const facts = { id: world.deps.newId('msg'), account, channel, incident: null, type: 'channel.test' };
      const payload = JSON.stringify(testPayload(world.now, 'https://gate.corp.com'));
      await world.alerts.addDelivery(newDelivery({ ...facts, payload }, world.now));
    };
    for (let n = 0; n < 160; n++) await send(world.account(`hanging ${n % 16}`), hanging);
    for (let n = 0; n < 3; n++) await world.outbox.round();
    await send('owner', receiver().url);
    await world.outbox.round();
    expect((await world.deliveries()).map(({ attempts }) => attempts)).toEqual([1]);
  });
});

test('a store that is away is said once, and the next round goes on', async () => {
  const world = new World();
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
  let isAway = true;
  const alerts = new Proxy(world.alerts, {
    get: (target, name) => {
      if (isAway) throw new Error('away');
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const outbox = new Outbox({ ...world.deps, alerts, log });
  await world.screen('BLOCK');
  await outbox.round();
  await outbox.round();
  expect(lines).toHaveLength(1);
  isAway = false;
  await outbox.round();
  expect(await world.alerts.incidents('owner', { limit: 9 })).toHaveLength(1);
});
