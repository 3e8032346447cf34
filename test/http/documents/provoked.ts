/** How to provoke each documented response of each operation: successes by status, errors by code. */
import { join } from 'node:path';
import { OptionalKind } from '@sinclair/typebox';
import { secretSha256, tokenFrom } from '../../../src/account/keys.ts';
import type { Payments } from '../../../src/billing/payments.ts';
import { codesOf } from '../../../src/http/documents/describe.ts';
import type { Route } from '../../../src/http/route.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { MAX_DOCUMENT_BYTES } from '../../../src/documents/document-text.ts';
import { requestId } from '../../../src/names/request-id.ts';
import { THRESHOLDS } from '../../../src/terms/policy.ts';
import { MAX_RULES_BYTES } from '../../../src/rules/declared/limits.ts';
import type { Incident } from '../../../src/stores/ports.ts';
import { SqlSignIn } from '../../../src/stores/sql/sign-in.ts';
import { Shop } from '../../billing/shop.ts';
import { signatureOf } from '../../billing/stripe-server.ts';
import { batch, changed, KEY, NOW, SCALE_KEY, Service } from '../service.ts';
import { changedBy, orders, screened, ticking } from '../teaching.ts';
import {
  type Answers,
  AS_JSON,
  type Body,
  type Call,
  type Change,
  denied,
  fault,
  faulty,
  type Headers,
  once,
  type Provoke,
  QUICK,
  send,
  stalled,
  unhurried,
} from './provoke.ts';
import { BATCH_ANSWERS, WINDOW_ANSWERS } from './provoked-batches.ts';

export type { Provoke } from './provoke.ts';

const TOKEN = tokenFrom(new Uint8Array(32).fill(9));
const AS_SESSION = { Authorization: `Bearer ${TOKEN}` };
const EXAMPLES = join(import.meta.dir, '../../../examples');
const example = (name: string): Promise<string> => Bun.file(join(EXAMPLES, name)).text();

/** A request that the document has as an example, about something that does not exist. */
function exampleOf({ method, path, documented }: Route): Call {
  const { params = {}, query = {}, body, content } = documented!;
  const names = path.replace(/:(\w+)/g, (_, name) => String(params[name]?.example ?? 'orders'));
  const needed = Object.entries(query).filter(
    ([, { example, schema }]) => example && !(OptionalKind in schema),
  );
  const examples = body?.examples ?? content?.content['application/json']?.examples ?? {};
  const [first] = Object.values<unknown>(examples);
  const value = body ? first : (first as { value: unknown } | undefined)?.value;
  return {
    method,
    path: `${names}?${needed.map(([name, { example }]) => `${name}=${example}`).join('&')}`.replace(
      /\?$/,
      '',
    ),
    body: value === undefined ? null : JSON.stringify(value),
  };
}

/** What is answered by the declaration of a route alone. */
function declaredAnswers(route: Route): Answers {
  const { path, documented } = route;
  const { body, query = {}, answers } = documented!;
  const call = exampleOf(route);
  const [member] = Object.keys(body?.schema.properties ?? {});
  const [name] = Object.keys(query);
  const wrong = path.includes(':source')
    ? once({ ...call, path: path.replace(':source', '%20') })
    : member === undefined
      ? once({ ...call, path: `${path}?${name}=${documented!.query?.[name!]?.schema.minimum ? 0 : 'x'}` })
      : once(call, {}, JSON.stringify({ [member]: {} }));
  const all: Answers = {
    [Object.keys(answers)[0]!]: once(call),
    INVALID_PARAMETER: wrong,
    INVALID_JSON: once(call, {}, '{"name":'),
    REQUEST_TIMEOUT: async () => [await send(new Service(QUICK), call, {}, stalled())],
    PAYLOAD_TOO_LARGE: once(call, {}, `{"name":"${'x'.repeat(65_536)}"}`),
    UNSUPPORTED_MEDIA_TYPE: once(call, { 'Content-Type': 'text/plain' }, 'name'),
    NOT_FOUND: once(call),
    AUTH_INVALID: once(call, { 'X-API-Key': 'none' }),
    RATE_LIMITED: once(call, {}, call.body, { rates: { take: denied } }),
    ...faulty(call, { rates: { take: fault } }),
  };
  const named = new Set<string>([...codesOf(path, documented!), Object.keys(answers)[0]!]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => named.has(name)));
}

const screening: Call = { method: 'POST', path: '/v1/screen', body: batch([{ a: 1 }]) };
const csv = { 'Content-Type': 'text/csv', 'X-Source': 'orders' };
const reset: Call = { method: 'DELETE', path: '/v1/schema' };
const sourceReset: Call = { method: 'DELETE', path: '/v1/schema/orders' };
const deletion: Call = { method: 'DELETE', path: '/v1/keys/key_none' };
const creation: Call = { method: 'POST', path: '/v1/keys', body: '{"name":"new"}' };
const codeAsked: Call = { method: 'POST', path: '/v1/auth/otp', body: '{"email":"ann@corp.com"}' };
const signingIn: Call = {
  method: 'POST',
  path: '/v1/auth/session',
  body: '{"email":"ann@corp.com","code":"000000"}',
};
const signingOut: Call = { method: 'DELETE', path: '/v1/auth/session' };
const checkout: Call = { method: 'POST', path: '/v1/billing/checkout', body: '{"tier":"growth"}' };
const portal: Call = { method: 'POST', path: '/v1/billing/portal' };
const webhook: Call = { method: 'POST', path: '/v1/billing/webhook', body: '{"id":"evt_1","type":"other"}' };
const setting: Call = {
  method: 'PUT',
  path: '/v1/schema/orders/settings',
  body: JSON.stringify({ mode: 'adaptive', thresholds: THRESHOLDS }),
};
const MODIFIERS = { severity: 'warn', tolerance: 0.1, description: 'why' };
const OF_BATCH = { severity: 'warn', description: 'why' };
const COMPARED = [
  { left: 'a', op: '<', right: 'b', ...MODIFIERS },
  { left: 'a', op: '<', value: 1 },
];
/** Every member that rules may have. */
const RULES = {
  fields: {
    a: {
      required: { value: true, ...OF_BATCH },
      type: { value: 'number', ...MODIFIERS },
      nullable: { value: false, ...MODIFIERS },
      max_null_rate: { value: 0.5, ...OF_BATCH },
      unique: { value: true, ...MODIFIERS },
      minimum: { value: 0, ...MODIFIERS },
      maximum: { value: 9, ...MODIFIERS },
      exclusive_minimum: { value: 0, ...MODIFIERS },
      exclusive_maximum: { value: 9, ...MODIFIERS },
      multiple_of: { value: 2, ...MODIFIERS },
      enum: { value: [1], ...MODIFIERS },
      pattern: { value: 'a', ...MODIFIERS },
      min_length: { value: 1, ...MODIFIERS },
      max_length: { value: 9, ...MODIFIERS },
      format: { value: 'date', ...MODIFIERS },
      max_age: { value: 'P1D', ...OF_BATCH },
      monotonic: { value: 'increasing', ...MODIFIERS },
      ...MODIFIERS,
    },
  },
  rows: {
    min: { value: 1, ...OF_BATCH },
    max: { value: 9, ...OF_BATCH },
    closed: { value: true, ...OF_BATCH },
    unique: [{ value: ['a', 'b'], ...MODIFIERS }],
    ...MODIFIERS,
  },
  compare: COMPARED,
  when: [
    {
      if: { field: 'a', equals: 1 },
      then: { fields: { b: { unique: true } }, compare: COMPARED },
      ...MODIFIERS,
    },
    { if: { field: 'a', in: [1] }, then: { fields: {} } },
    { if: { field: 'a', null: true }, then: { fields: {} } },
  ],
  statistics: [{ field: 'a', statistic: 'sum', minimum: 0, maximum: 9, ...OF_BATCH }],
  ...MODIFIERS,
};
const ruling: Call = {
  method: 'PUT',
  path: '/v1/schema/orders/rules',
  body: JSON.stringify(RULES),
};
const unruling: Call = { method: 'DELETE', path: '/v1/schema/orders/rules' };
const importing: Call = {
  method: 'POST',
  path: '/v1/schema/orders/rules/import?format=json-schema',
  body: '{"properties":{"quantity":{"minimum":1,"not":{}}}}',
};
const pin: Call = { method: 'POST', path: '/v1/schema/orders/pin', body: '{"pinned":true}' };
const acceptance: Call = {
  method: 'POST',
  path: '/v1/schema/orders/accept',
  body: '{"job_id":"req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A"}',
};
const accepting = (job: string): Call => ({ ...acceptance, body: JSON.stringify({ job_id: job }) });
const feedback: Call = {
  method: 'POST',
  path: '/v1/schema/orders/feedback',
  body: '{"job_id":"req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A","verdict":"bad"}',
};
const rollback: Call = { method: 'POST', path: '/v1/schema/orders/rollback', body: '{"version":1}' };
const GAPS = Array.from({ length: 40 }, (_, i) => ({ a: i % 5 ? null : i, b: i % 2 ? 'x' : true }));
const NULLS = Array.from({ length: 40 }, (_, i) => ({ a: i ? null : 1 }));
const get = (path: string): Call => ({ method: 'GET', path });

const ARROW_FILE = new URL('../../columns/files/all.feather', import.meta.url);

/** As long as a name may be. */
const longName = (i: number): string => String(i).padEnd(1024, 'n');

/** Batches that between them have every kind of issue, and drift. */
async function batches(): Promise<[Headers, Body][]> {
  const tiers = (values: string[]) =>
    Array.from({ length: 200 }, (_, i) => ({ tier: values[i % values.length] }));
  const heights = [...Array.from({ length: 99 }, (_, i) => ({ height: i })), { height: 100_000 }];
  const ofMails = (row: (i: number) => object) =>
    batch(
      Array.from({ length: 50 }, (_, i) => row(i)),
      { source: 'mails', options: { row_verdicts: true } },
    );
  const ofTiers = (rows: object[]) => batch(rows, { source: 'tiers' });
  const ofDays = (from: number) =>
    batch(
      Array.from({ length: 50 }, (_, i) => ({ height: from + i })),
      { source: 'days', options: { mode: 'adaptive' } },
    );
  const adaptive = [0, 1, 2, 900].map((from): [Headers, string] => [AS_JSON, ofDays(from)]);
  const wide = (from: number) =>
    Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [String(from + i).padStart(480, '_'), i]));
  const long = (value: (i: number) => unknown, from = 0) =>
    batch([Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [longName(from + i), value(i)]))], {
      source: 'long',
      options: { row_verdicts: true },
    });
  return [
    // The second has fields for which the baseline has no room.
    ...[0, 2000].map((from): [Headers, string] => [AS_JSON, batch([wide(from)], { source: 'wide' })]),
    [AS_JSON, await example('orders-clean.json')],
    [AS_JSON, await example('orders-broken.json')],
    [AS_JSON, ofMails(() => ({ mail: 'a@corp.com', size: 1 }))],
    [AS_JSON, ofMails(i => ({ mail: i % 2 ? null : 'a@corp.com', size: i % 9 ? 1 : '1', more: 1 }))],
    [csv, await example('customers-broken.csv')],
    // The last row ends early.
    [csv, `a,b,a\n1,2,3\n${'4,5\n'.repeat(8)}4,5`],
    // Two files that were joined.
    [csv, 'name,price\nBolt,1\nNut,2\nname,price\nNail,3\n'],
    // A value that is damaged, with its row.
    [csv, 'city,price\nK\ufffdln,1\nUlm,2\n'],
    [AS_JSON, ofTiers(tiers(['gold', 'silver']))],
    [AS_JSON, ofTiers(tiers(['gold', 'silver', 'tin']))],
    [AS_JSON, ofTiers([{ tier: 'gold' }])],
    [
      AS_JSON,
      batch([...heights, { height: null, on: true }], { options: { full_scan: true, dry_run: true } }),
    ],
    [AS_JSON, batch(heights)],
    // What goes on, and is advised on.
    ...Array.from({ length: 3 }, (): [Headers, string] => [AS_JSON, batch(GAPS, { source: 'gaps' })]),
    ...adaptive,
    // Reports that have to leave something out.
    [AS_JSON, long(i => i)],
    [AS_JSON, long(() => 'x'.repeat(300))],
    [AS_JSON, long(i => i, 2000)],
    [{ 'Content-Type': 'application/x-ndjson', 'X-Source': 'lines' }, '{"a":1}\n{"a":"x","b":[]}\n'],
    [
      { 'Content-Type': 'application/vnd.apache.arrow.file', 'X-Source': 'columns' },
      await Bun.file(ARROW_FILE).bytes(),
    ],
    [{ ...AS_JSON, 'Idempotency-Key': 'again' }, batch([{ on: true }])],
    [{ ...AS_JSON, 'Idempotency-Key': 'again' }, batch([{ on: true }])],
  ];
}

interface Lived {
  service: Service;
  answers: Response[];
}

/** One answer of an application beside a payment provider, after what `before` does there. */
const selling =
  (call: Call, before = async (_: Shop): Promise<unknown> => null, more: Headers = {}): Provoke =>
  async () => {
    const shop = await Shop.open();
    try {
      await before(shop);
      return [await send(shop.service, call, more)];
    } finally {
      shop.close();
    }
  };
const signedAs = (body: string) => ({ 'Stripe-Signature': signatureOf(body, NOW / 1000) });
const signed = signedAs(webhook.body as string);

/** An application that has screened all these, and its answers. */
async function lived(storeValues: boolean): Promise<Lived> {
  const service = new Service({ storeValues, maxBodyBytes: 4 * 1024 * 1024 });
  const answers: Response[] = [];
  for (const [headers, body] of await batches()) answers.push(await send(service, screening, headers, body));
  for (const { id, source, status } of await jobsOf(service)) {
    const said = { ...feedback, path: `/v1/schema/${source}/feedback` };
    if (status === 'WARN') await send(service, said, {}, JSON.stringify({ job_id: id, verdict: 'bad' }));
  }
  const reset = { source: null, action: 'reset', at: NOW + 1, by: 'ann@corp.com', key: null } as const;
  await service.deps.changes.add('scaler', reset);
  return { service, answers };
}

const jobsOf = ({ deps }: Service) =>
  deps.jobs.list('scaler', { limit: 200, source: undefined, before: undefined });

const lives = new Map<boolean, Promise<Lived>>();

/** One that is asked only for what changes nothing. */
function oneThatLived(storeValues: boolean): Promise<Lived> {
  const life = lives.get(storeValues) ?? lived(storeValues);
  lives.set(storeValues, life);
  return life;
}

/** The answers to GETs by one that has lived, and by one that kept no values; of a path with `{job}` for every job. */
const after =
  (...paths: string[]): Provoke =>
  async () => {
    const answers: Response[] = [];
    for (const { service } of [await oneThatLived(true), await oneThatLived(false)]) {
      const jobs = await jobsOf(service);
      for (const path of paths)
        for (const { id } of path.includes('{job}') ? jobs : jobs.slice(0, 1))
          answers.push(await send(service, get(path.replace('{job}', id))));
    }
    return answers;
  };

/** Jobs of version 1.0, newest first: one that is too large, then those that fill a page. */
async function withOldJobs(): Promise<{ service: Service; ids: string[] }> {
  const service = new Service();
  const ids = await Promise.all(
    [9_000_000, 900_000, 900_000, 900_000].map(async (bytes, i) => {
      const id = requestId(NOW - i, new Uint8Array(10));
      const rates = JSON.stringify({ ['n'.repeat(bytes)]: 0 });
      const job = {
        id,
        source: 'old',
        status: 'PASS',
        healthScore: 1,
        rowsReceived: 1,
        driftCount: 0,
      } as const;
      await service.deps.jobs.complete({
        account: 'scaler',
        job: { ...job, latencyMs: 1, createdAt: NOW - i },
        document: { report: rates, profile: '{"fields":{}}' },
        trend: { drift: '[]', nullRates: rates },
        periodStart: NOW,
        answer: null,
      });
      return id;
    }),
  );
  return { service, ids };
}
/** The third batch that differs in the same way from what was usual. */
const screenedAnew: Provoke = async () => {
  const service = ticking();
  for (let day = 0; day < 8; day++) await screened(service, orders(day, 60));
  const answers: Response[] = [];
  for (let day = 8; day < 11; day++)
    answers.push(
      await send(
        service,
        screening,
        {},
        batch(changedBy(orders(day, 60), ({ amount }) => ({ amount: Number(amount) * 100 }))),
      ),
    );
  return answers;
};

const screenedPinned: Provoke = async () => {
  const service = new Service();
  await send(service, screening);
  await send(service, pin);
  return [await send(service, screening)];
};

/** The answer to what is said of a second batch, after another call, perhaps; perhaps of one of which no state is kept. */
const taught =
  (
    say: (job: string) => Call,
    rows: object[] = [{ a: 'x' }],
    forgotten = false,
    before?: (job: string) => Call,
  ): Provoke =>
  async () => {
    const service = new Service();
    await service.post(batch(Array.from({ length: 40 }, (_, a) => ({ a }))));
    const { body } = await service.post(batch(rows));
    if (before) await send(service, before(body.request_id));
    if (forgotten) {
      service.deps.jobs.keptState = async () => null;
      await send(service, reset);
    }
    return [await send(service, say(body.request_id))];
  };

const full: Provoke = async () => {
  const service = new Service({ rates: { take: unhurried } });
  for (let keys = 1; keys < 100; keys++) await send(service, creation);
  return [await send(service, creation)];
};

const CHANNELS = '/v1/alerts/channels';
const webhookChannel = JSON.stringify({ type: 'webhook', url: 'https://example.com/hook', sources: ['*'] });
const channelCreation: Call = { method: 'POST', path: CHANNELS, body: webhookChannel };
const channelCall = (method: string, after = '', id = NO_CHANNEL, body: string | null = null): Call => ({
  method,
  path: `${CHANNELS}/${id}${after}`,
  body,
});
const NO_CHANNEL = 'chn_00000000000000000000000000';
const resending = (id = 'msg_00000000000000000000000000'): Call => ({
  method: 'POST',
  path: `/v1/alerts/deliveries/${id}/resend`,
});
const ofIncident = (
  action: string,
  id = 'inc_00000000000000000000000000',
  body: string | null = null,
): Call => ({
  method: 'POST',
  path: `/v1/incidents/${id}/${action}`,
  body,
});
const WITHOUT_RATE = { rates: { take: unhurried } };

const idOf = async (answer: Promise<Response>): Promise<string> =>
  ((await (await answer).json()) as { id: string }).id;

/** The answers of calls that are made with the id of a new channel. */
const withChannel =
  (calls: (id: string) => Call[], body = webhookChannel): Provoke =>
  async () => {
    const service = new Service(WITHOUT_RATE);
    const id = await idOf(send(service, { ...channelCreation, body }));
    const answers: Response[] = [];
    for (const call of calls(id)) answers.push(await send(service, call));
    return answers;
  };

const fullOfChannels: Provoke = async () => {
  const service = new Service(WITHOUT_RATE);
  for (let n = 0; n < 20; n++) await send(service, channelCreation);
  return [await send(service, channelCreation)];
};

/** Answers about an incident of a source, which is acknowledged, snoozed and then resolved. */
const withIncident =
  (calls: (id: string) => Call[]): Provoke =>
  async () => {
    const service = new Service(WITHOUT_RATE);
    const { alerts } = service.deps;
    const incident: Incident = {
      id: 'inc_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
      account: 'scaler',
      source: 'orders',
      status: 'open',
      verdict: 'BLOCK',
      openedAt: NOW,
      resolvedAt: null,
      batches: 2,
      firstJob: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
      lastJob: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1B',
      lastAt: NOW,
      lastVerdict: 'BLOCK',
      healthScore: 0.25,
      reason: 'nulls',
      acknowledgedAt: null,
      snoozedUntil: null,
      accepted: null,
      toldAt: NOW,
      toldVerdict: 'BLOCK',
      tellNext: null,
      version: 0,
    };
    await alerts.move(incident, [], []);
    const accepted = {
      source: 'orders',
      action: 'accepted',
      at: NOW,
      by: 'ann@corp.com',
      key: null,
    } as const;
    await service.deps.changes.add('scaler', accepted);
    const other = { ...incident, id: 'inc_01M7ZC3YD9BDKWCZ8SY1Y7WY1B', source: 'b' };
    await alerts.move(
      { ...other, status: 'resolved', resolvedAt: NOW, acknowledgedAt: NOW, snoozedUntil: NOW },
      [],
      [],
    );
    const answers: Response[] = [];
    for (const call of calls(incident.id)) answers.push(await send(service, call));
    return answers;
  };

const SNOOZE = JSON.stringify({ until: new Date(NOW + 1000).toISOString() });

/** Deliveries that are pending, delivered and given up. */
const deliveries: Provoke = async () => {
  const service = new Service(WITHOUT_RATE);
  const { alerts } = service.deps;
  const id = await idOf(send(service, channelCreation));
  for (let n = 0; n < 3; n++) await send(service, channelCall('POST', '/test', id));
  const [delivered, failed] = await alerts.deliveries('scaler', { limit: 9 });
  const incident = 'inc_01M7ZC3YD9BDKWCZ8SY1Y7WY1A';
  await alerts.settle({ ...delivered!, incident, status: 'delivered', settledAt: NOW });
  await alerts.settle({ ...failed!, status: 'failed', settledAt: NOW, error: 'it answered 500' });
  return [
    await send(service, get('/v1/alerts/deliveries')),
    await send(service, get(`/v1/alerts/deliveries?channel=${id}&limit=1&before=${failed!.id}`)),
    await send(service, get(`/v1/alerts/deliveries/${delivered!.id}`)),
    await send(service, resending(delivered!.id)),
  ];
};

/** Of alerts and incidents. */
const ALERT_ANSWERS: Record<string, Answers> = {
  listAlertChannels: {
    200: async () => {
      const service = new Service(WITHOUT_RATE);
      const id = await idOf(send(service, channelCreation));
      await service.deps.alerts.setFailing(id, NOW);
      await send(
        service,
        channelCreation,
        {},
        '{"type":"email","to":"ann@corp.com","name":"Ann","on":"block"}',
      );
      return [await send(service, get(CHANNELS))];
    },
  },
  createAlertChannel: {
    201: async () => [
      await send(new Service(), channelCreation),
      await send(new Service(), channelCreation, {}, '{"type":"email","to":"ann@corp.com"}'),
    ],
    CHANNEL_LIMIT: fullOfChannels,
  },
  findAlertChannel: {
    200: async () => {
      const service = new Service(WITHOUT_RATE);
      const id = await idOf(send(service, channelCreation));
      const mail = await idOf(send(service, channelCreation, {}, '{"type":"email","to":"ann@corp.com"}'));
      await service.deps.alerts.setFailing(id, NOW);
      return [
        await send(service, channelCall('GET', '', id)),
        await send(service, channelCall('GET', '', mail)),
      ];
    },
  },
  changeAlertChannel: {
    200: withChannel(
      id => [channelCall('PATCH', '', id, '{"on":"block","to":"bob@corp.com"}')],
      '{"type":"email","to":"ann@corp.com"}',
    ),
    INVALID_PARAMETER: withChannel(id => [channelCall('PATCH', '', id, '{"url":"http://127.0.0.1"}')]),
  },
  deleteAlertChannel: {
    200: withChannel(id => [channelCall('DELETE', '', id)]),
  },
  testAlertChannel: {
    200: withChannel(id => [channelCall('POST', '/test', id)]),
  },
  rotateAlertSecret: {
    200: withChannel(id => [channelCall('POST', '/rotate', id)]),
    INVALID_PARAMETER: withChannel(
      id => [channelCall('POST', '/rotate', id)],
      '{"type":"email","to":"ann@corp.com"}',
    ),
  },
  listAlertDeliveries: {
    200: async () => (await deliveries()).slice(0, 2),
  },
  findAlertDelivery: {
    200: async () => (await deliveries()).slice(2, 3),
  },
  resendAlertDelivery: {
    200: async () => (await deliveries()).slice(3),
  },
  listIncidents: {
    200: withIncident(() => [get('/v1/incidents'), get('/v1/incidents?status=open&source=orders&limit=1')]),
  },
  findIncident: {
    200: withIncident(id => [get(`/v1/incidents/${id}`)]),
  },
  acknowledgeIncident: {
    200: withIncident(id => [ofIncident('acknowledge', id)]),
  },
  snoozeIncident: {
    200: withIncident(id => [ofIncident('snooze', id, SNOOZE), ofIncident('snooze', id, '{"until":null}')]),
  },
};

/** One key for two requests. */
const conflict: Provoke = async () => {
  const service = new Service();
  const key = { 'Idempotency-Key': 'same' };
  await send(service, screening, key);
  return [await send(service, screening, key, batch([{ b: 2 }]))];
};

/** One request that never ends, and its twin. */
const running: Provoke = async () => {
  const idempotency = {
    claim: async () => ({ requestSha256: '', answer: null }),
    renew: async () => {},
    unclaim: async () => {},
  };
  const claimed = async (_: string, __: string, { requestSha256 }: { requestSha256: string }) => ({
    requestSha256,
    answer: null,
  });
  const service = new Service({
    idempotency: { ...idempotency, claim: claimed },
    sleep: async () => {},
  } as never);
  return [await send(service, screening, { 'Idempotency-Key': 'same' })];
};

/** An account that may keep nothing more. */
const FULL: Change = { maxSources: 1, maxBaselineBytes: 1 };

/** What a call answers in an account whose first batch was still kept. */
/** Its state is larger than the room that Redis grants at once. */
const WIDE = batch([
  { a: 1, ...Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`field ${i}`, i])) },
]);

const withoutRoom =
  (say: (job: string) => Call, rows: object[], isReset = false): Provoke =>
  async () => {
    const service = new Service();
    await service.post(batch(Array.from({ length: 40 }, (_, a) => ({ a }))));
    const { body } = await service.post(batch(rows));
    if (isReset) await send(service, sourceReset);
    Object.assign(service.deps, FULL);
    return [await send(service, say(body.request_id))];
  };

const exhausted: Provoke = async () => {
  const service = new Service();
  await service.count('owner', 499_999);
  return [await send(service, screening, { 'X-API-Key': KEY }, batch([{ a: 1 }, { a: 2 }]))];
};

/** A sign-in from the code in a mail. */
const signedIn: Provoke = async () => {
  const service = new Service();
  await send(service, codeAsked);
  await service.deps.signIn.sent();
  const [code] = service.mailed.get('ann@corp.com')!;
  return [await send(service, signingIn, {}, JSON.stringify({ email: 'ann@corp.com', code }))];
};

const askedTooOften: Provoke = async () => {
  const service = new Service();
  for (let asks = 0; asks < 20; asks++) await send(service, codeAsked);
  return [await send(service, codeAsked)];
};

async function withSession(change: Change = {}): Promise<Service> {
  const service = new Service(change);
  const session = { sha256: secretSha256(TOKEN), account: 'scaler', createdAt: 0, expiresAt: NOW + 1000 };
  await new SqlSignIn(service.database).openSession(session);
  return service;
}

/** As with a session, and no key. */
const sessionOnly =
  (change: Change = {}): Provoke =>
  async () => {
    const request = new Request('http://localhost/v1/auth/session', {
      method: 'DELETE',
      headers: AS_SESSION,
    });
    return [await (await withSession(change)).app.handle(request)];
  };

/** A session of an account with an address claims the account of the key. */
const claimed =
  (body: Body, change: Change = {}, headers: Headers = AS_JSON): Provoke =>
  async () => {
    const service = await withSession(change);
    const store = new SqlSignIn(service.database);
    const account = await store.ensureAccount('ann@corp.com', NOW);
    await store.closeSession(secretSha256(TOKEN));
    await store.openSession({ sha256: secretSha256(TOKEN), account, createdAt: 0, expiresAt: NOW + 1000 });
    const sent = { method: 'POST', headers: { ...AS_SESSION, ...headers }, body };
    return [await service.app.handle(new Request('http://localhost/v1/account/claim', sent))];
  };
const CLAIMED = JSON.stringify({ key: KEY });

const claimRefused: Provoke = async () => {
  const service = await withSession();
  const sent = { method: 'POST', headers: { ...AS_SESSION, ...AS_JSON }, body: CLAIMED };
  return [await service.app.handle(new Request('http://localhost/v1/account/claim', sent))];
};

const sessionsListed: Provoke = async () => {
  const { app } = await withSession();
  return [await app.handle(new Request('http://localhost/v1/auth/sessions', { headers: AS_SESSION }))];
};

const ofOneSession =
  (method: string): Provoke =>
  async () => {
    const { app } = await withSession();
    const ask = (method: string, path: string) =>
      app.handle(new Request(`http://localhost/v1/auth/sessions${path}`, { method, headers: AS_SESSION }));
    const { sessions } = (await (await ask('GET', '')).json()) as { sessions: { id: string }[] };
    return [await ask(method, `/${sessions[0]!.id}`)];
  };
const sessionFound = ofOneSession('GET');
const oneSessionEnded = ofOneSession('DELETE');

/** One that is used, and one that never was. */
const keysListed: Provoke = async () => {
  const service = new Service();
  await send(service, creation);
  return [await send(service, get('/v1/keys'))];
};

const keyFound: Provoke = async () => [await send(new Service(), get('/v1/keys/key_scaler'))];

const keyDeleted: Provoke = async () => {
  const service = new Service();
  const { id } = (await (await send(service, creation)).json()) as { id: string };
  return [await send(service, { ...deletion, path: `/v1/keys/${id}` })];
};

const dependency = (check: () => Promise<void>) => ({ dependencies: [{ name: 'sqlite', check }] });

/** Violations of rows and of the batch as a whole. */
const screenedByRules = once(
  screening,
  {},
  batch([...Array.from({ length: 40 }, () => ({ a: 1, b: 1 })), { a: -1, b: 'x' }], {
    options: {
      row_verdicts: true,
      rules: {
        description: 'd',
        fields: { a: { minimum: 1, description: 'positive' }, A: { maximum: 9 } },
        rows: { min: 50 },
      },
    },
  }),
);

/** A source whose one field is nearly that of the rules. */
const afterBatch =
  (asking: typeof ruling): Provoke =>
  async () => {
    const service = new Service();
    await service.post(batch([{ Quantity: 1, A: 1 }]));
    return [await send(service, asking)];
  };

/** Every field is far from what it was: more anomalies than a report lists. */
const screenedFarOff: Provoke = async () => {
  const service = new Service();
  const rows = (by: number) =>
    Array.from({ length: 60 }, (_, i) =>
      Object.fromEntries(Array.from({ length: 51 }, (_, field) => [`f${field}`, ((37 * i) % 61) + by])),
    );
  for (let i = 0; i < 4; i++) await service.post(batch(rows(i % 2)));
  return [await send(service, { ...screening, body: batch(rows(10_000)) })];
};

/** What needs more than the declaration. */
export const OWN_ANSWERS: Record<string, Answers> = {
  ready: {
    200: once(
      get('/v1/ready'),
      {},
      null,
      dependency(async () => {}),
    ),
    SERVICE_UNAVAILABLE: async () => [
      await send(new Service(dependency(async () => fault())), get('/v1/ready')),
      await send(new Service({ draining: () => true }), get('/v1/ready')),
    ],
  },
  screen: {
    200: async () => [
      ...(await lived(true)).answers,
      ...(await screenedPinned()),
      ...(await screenedAnew()),
      ...(await screenedByRules()),
      ...(await screenedFarOff()),
      ...(await withoutRoom(() => ({ ...screening, body: WIDE }), [{ a: 1 }])()),
      ...(await WINDOW_ANSWERS.screened()),
    ],
    BATCH_LIMIT: WINDOW_ANSWERS.full,
    INVALID_JSON: once(screening, {}, '{"source":"s","rows":[{"a":1},]}'),
    MISSING_SOURCE: once(screening, { 'Content-Type': 'text/csv' }, 'a\n1\n'),
    INVALID_ROWS: once(screening, csv, 'a\n'),
    INVALID_OPTIONS: once(screening, {}, batch([{ a: 1 }], { options: { thresholds: { none: 1 } } })),
    INVALID_RULES: once(screening, {}, batch([{ a: 1 }], { options: { rules: { fields: { a: 1 } } } })),
    INVALID_PARAMETER: once(screening, { ...csv, 'X-CSV-Delimiter': '::' }, 'a\n1\n'),
    INVALID_ENCODING: once(screening, { 'Content-Encoding': 'gzip' }),
    REQUEST_TIMEOUT: async () => [await send(new Service(QUICK), screening, {}, stalled())],
    IDEMPOTENCY_CONFLICT: async () => [...(await conflict()), ...(await running())],
    PAYLOAD_TOO_LARGE: once(screening, csv, `a\n${'1\n'.repeat(10_001)}`),
    UNSUPPORTED_MEDIA_TYPE: async () => [
      await send(new Service(), screening, { 'Content-Type': 'text/plain' }),
      await send(new Service(), screening, { 'Content-Encoding': 'compress' }),
    ],
    PLAN_LIMIT_EXCEEDED: async () => [
      ...(await exhausted()),
      ...(await once(screening, {}, screening.body, FULL)()),
    ],
  },
  ...BATCH_ANSWERS,
  listKeys: { 200: keysListed },
  findKey: { 200: keyFound },
  createKey: {
    201: async () => [await send(new Service(), creation), await send(new Service(), creation, {}, null)],
    KEY_LIMIT: full,
  },
  deleteKey: {
    200: keyDeleted,
    KEY_IN_USE: once({ ...deletion, path: '/v1/keys/key_scaler' }),
  },
  sendCode: {
    202: once(codeAsked),
    RATE_LIMITED: askedTooOften,
    ...faulty(codeAsked, { signIn: changed(new Service().deps.signIn, { ask: fault }) }),
  },
  openSession: {
    200: signedIn,
    AUTH_INVALID: once(signingIn),
    RATE_LIMITED: once(signingIn, {}, signingIn.body, { rates: { take: denied } }),
    ...faulty(signingIn, { rates: { take: fault } }),
  },
  endSession: {
    200: sessionOnly(),
    INVALID_PARAMETER: once(signingOut),
    AUTH_INVALID: once(signingOut, { 'X-API-Key': 'none' }),
    RATE_LIMITED: sessionOnly({ rates: { take: denied } }),
    INTERNAL: sessionOnly({ rates: { take: fault } }),
    SERVICE_UNAVAILABLE: sessionOnly({ draining: () => true }),
  },
  listSessions: { 200: sessionsListed },
  findSession: { 200: sessionFound },
  endOneSession: { 200: oneSessionEnded },
  claimAccount: {
    200: claimed(CLAIMED),
    NOT_FOUND: claimed(JSON.stringify({ key: `${KEY}x` })),
    CLAIM_CONFLICT: claimRefused,
    INVALID_PARAMETER: claimed('{"key":7}'),
    INVALID_JSON: claimed('{"key":'),
    REQUEST_TIMEOUT: () => claimed(stalled(), QUICK)(),
    PAYLOAD_TOO_LARGE: claimed(`{"key":"${'x'.repeat(65_536)}"}`),
    UNSUPPORTED_MEDIA_TYPE: claimed('key', {}, { 'Content-Type': 'text/plain' }),
    AUTH_INVALID: once({ method: 'POST', path: '/v1/account/claim', body: CLAIMED }, { 'X-API-Key': 'none' }),
    RATE_LIMITED: claimed(CLAIMED, { rates: { take: denied } }),
    INTERNAL: claimed(CLAIMED, { rates: { take: fault } }),
    SERVICE_UNAVAILABLE: claimed(CLAIMED, { draining: () => true }),
  },
  startCheckout: {
    200: selling(checkout),
    SUBSCRIPTION_EXISTS: selling(checkout, shop => shop.subscribe('starter', SCALE_KEY)),
    BILLING_NOT_CONFIGURED: once(checkout),
  },
  openPortal: {
    200: selling(portal),
    BILLING_NOT_CONFIGURED: once(portal),
  },
  receiveEvent: {
    200: selling(webhook, undefined, signed),
    INVALID_SIGNATURE: selling(webhook),
    INVALID_JSON: selling({ ...webhook, body: '[]' }, undefined, signedAs('[]')),
    INVALID_PARAMETER: selling({ ...webhook, body: '{}' }, undefined, signedAs('{}')),
    BILLING_NOT_CONFIGURED: once(webhook),
    REQUEST_TIMEOUT: async () => [await send(new Service(QUICK), webhook, {}, stalled())],
    PAYLOAD_TOO_LARGE: once(webhook, {}, 'x'.repeat(1024 * 1024 + 1), { maxBodyBytes: 2 * 1024 * 1024 }),
    ...faulty(webhook, { payments: changed({} as Payments, { event: fault }) }),
  },
  listBaselines: {
    200: async () => {
      const service = new Service();
      await send(service, screening);
      await send(service, setting, {}, '{"owner":"team-checkout","tags":["billing"]}');
      return [await send(service, get('/v1/schema')), ...(await after('/v1/schema', '/v1/schema?limit=1')())];
    },
  },
  describeBaseline: {
    200: after('/v1/schema/orders', '/v1/schema/tiers', '/v1/schema/gaps'),
  },
  resetAllBaselines: {
    INVALID_PARAMETER: once({ ...reset, path: '/v1/schema/' }),
  },
  getSettings: {
    200: async () => [
      ...(await after('/v1/schema/orders/settings', '/v1/schema/none/settings')()),
      ...(await WINDOW_ANSWERS.settings()),
    ],
  },
  putSettings: {
    200: async () => [await send(new Service(), setting), await send(new Service(), setting, {}, null)],
    INVALID_OPTIONS: once(setting, {}, '{"mode":"strict"}'),
    VERSION_CONFLICT: once({ ...setting, path: `${setting.path}?if_version=2` }),
    PLAN_LIMIT_EXCEEDED: once(setting, {}, setting.body, FULL),
  },
  getRules: {
    200: async () => {
      const service = new Service();
      await send(service, ruling);
      return [await send(service, get('/v1/schema/orders/rules'))];
    },
  },
  putRules: {
    200: afterBatch(ruling),
    INVALID_RULES: once(ruling, {}, '{"fields":{"quantity":{"minimum":"1"}}}'),
    VERSION_CONFLICT: once({ ...ruling, path: `${ruling.path}?if_version=2` }),
    PLAN_LIMIT_EXCEEDED: once(ruling, {}, ruling.body, FULL),
    PAYLOAD_TOO_LARGE: once(ruling, {}, ' '.repeat(2 * MAX_RULES_BYTES + 1)),
  },
  deleteRules: {
    200: async () => {
      const service = new Service();
      await send(service, ruling);
      return [await send(service, unruling)];
    },
    VERSION_CONFLICT: async () => {
      const service = new Service();
      await send(service, ruling);
      return [await send(service, { ...unruling, path: `${unruling.path}?if_version=2` })];
    },
  },
  listRuleChanges: {
    200: async () => {
      const service = new Service();
      await send(service, ruling);
      return [await send(service, get('/v1/schema/orders/rules/history'))];
    },
  },
  suggestRules: {
    200: async () => {
      const service = new Service();
      const wide = (row: number) => Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`f${i}`, row]));
      await service.post(batch(Array.from({ length: 60 }, (_, row) => wide(row))));
      return [await send(service, get('/v1/schema/orders/rules/suggested'))];
    },
  },
  importRules: {
    200: async () => [
      ...(await afterBatch(importing)()),
      ...(await afterBatch({ ...importing, path: `${importing.path}&apply=true` })()),
    ],
    INVALID_RULES: once(importing, {}, '[]'),
    INVALID_PARAMETER: once({ ...importing, path: '/v1/schema/orders/rules/import?format=xml' }),
    VERSION_CONFLICT: once({ ...importing, path: `${importing.path}&apply=true&if_version=2` }),
    PLAN_LIMIT_EXCEEDED: once(
      { ...importing, path: `${importing.path}&apply=true` },
      {},
      importing.body,
      FULL,
    ),
    PAYLOAD_TOO_LARGE: once(importing, {}, ' '.repeat(MAX_DOCUMENT_BYTES + 1)),
    REQUEST_TIMEOUT: async () => [await send(new Service(QUICK), importing, {}, stalled())],
  },
  pinBaseline: {
    200: taught(() => pin),
  },
  acceptBatch: {
    200: async () => [...(await taught(accepting)()), ...(await taught(accepting, NULLS)())],
    PLAN_LIMIT_EXCEEDED: withoutRoom(accepting, [{ a: 'x' }], true),
    TOO_LATE: taught(accepting, [{ a: 1 }], true),
  },
  giveFeedback: {
    200: taught(job => ({ ...feedback, body: JSON.stringify({ job_id: job, verdict: 'expected' }) })),
    PLAN_LIMIT_EXCEEDED: withoutRoom(
      job => ({ ...feedback, body: JSON.stringify({ job_id: job, verdict: 'expected' }) }),
      [{ a: 'x' }],
      true,
    ),
    TOO_LATE: taught(
      job => ({ ...feedback, body: JSON.stringify({ job_id: job, verdict: 'expected' }) }),
      [{ a: 'x' }],
      true,
    ),
  },
  listSourceChanges: {
    200: async () => [
      ...(await after('/v1/schema/orders/changes')()),
      ...(await taught(() => get('/v1/schema/orders/changes'), [{ a: 'x' }], false, accepting)()),
      ...(await taught(
        () => get('/v1/schema/orders/changes'),
        [{ a: 'x' }],
        false,
        () => setting,
      )()),
    ],
  },
  listVersions: {
    200: async () => [
      ...(await after('/v1/schema/orders/versions')()),
      ...(await taught(() => get('/v1/schema/orders/versions'), [{ a: 'x' }], false, accepting)()),
    ],
  },
  rollBack: {
    200: taught(
      () => rollback,
      [{ a: 'x' }],
      false,
      () => sourceReset,
    ),
    PLAN_LIMIT_EXCEEDED: withoutRoom(() => rollback, [{ a: 1 }], true),
  },
  listJobs: {
    200: after('/v1/jobs', '/v1/jobs?source=tiers&limit=2', '/v1/jobs?before={job}'),
  },
  findJob: {
    200: after('/v1/jobs/{job}'),
    PAYLOAD_TOO_LARGE: async () => {
      const { service, ids } = await withOldJobs();
      return [await send(service, get(`/v1/jobs/${ids[0]}`))];
    },
  },
  sourceTrends: {
    200: async () => {
      const answers = await after('/v1/schema/orders/trends', '/v1/schema/orders/trends?field=amount')();
      return [...answers, await send(new Service(), get('/v1/schema/never/trends'))];
    },
    INVALID_PARAMETER: async () => [
      await send(new Service(), get('/v1/schema/%20/trends')),
      await send(new Service(), get('/v1/schema/orders/trends?field=a&field=b')),
    ],
  },
  sourceHistory: {
    200: async () => [
      ...(await after('/v1/schema/orders/history', '/v1/schema/long/history')()),
      await send((await withOldJobs()).service, get('/v1/schema/old/history')),
    ],
  },
  verdictsOverTime: {
    200: after('/v1/stats/verdicts?spans=2'),
  },
  statistics: {
    200: after('/v1/stats', '/v1/stats?days=1', '/v1/stats?limit=1'),
  },
  ...ALERT_ANSWERS,
};

export const ANSWERS: Record<string, Answers> = Object.fromEntries(
  (ROUTES as readonly Route[]).map(route => {
    const { operationId } = route.documented!;
    return [operationId, { ...declaredAnswers(route), ...OWN_ANSWERS[operationId] }];
  }),
);
