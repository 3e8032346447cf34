/**
 * Accounts never see one another, and nobody gets in without a key or session: shown for every route there is. A new
 * route that names or changes something fails the first test until it has its line in ROUTES.
 *
 * A stranger sends what only the owner should get an answer to, ids and names included. The answer must be, to the
 * byte, what the stranger gets in a world where the owner has nothing at all; so it can tell nothing of the owner's.
 */
import { describe, expect, test } from 'bun:test';
import { getTableName } from 'drizzle-orm';
import { SECRET_BYTES, secretSha256, tokenFrom } from '../../src/account/keys.ts';
import { createChannel, testChannel } from '../../src/alerts/account-alerts.ts';
import { takeUp } from '../../src/alerts/incident.ts';
import { encodeRecord } from '../../src/baseline/encode-record.ts';
import { EMPTY_RECORD } from '../../src/baseline/record.ts';
import { copyOf, noteOf } from '../../src/baseline/version.ts';
import type { Payments } from '../../src/billing/payments.ts';
import { Rejection } from '../../src/terms/errors.ts';
import type { Route as Declared } from '../../src/http/route.ts';
import { ROUTES as DECLARED } from '../../src/http/routes.ts';
import { ID_RANDOM_BYTES, requestId } from '../../src/names/request-id.ts';
import * as batchSchema from '../../src/stores/sql/batch-schema.ts';
import * as schema from '../../src/stores/sql/schema.ts';
import { SqlSignIn } from '../../src/stores/sql/sign-in.ts';
import { batch, KEY, NOW, SCALE_KEY, Service } from './service.ts';
import { isOnServers } from './stores.ts';

type Headers = Record<string, string>;

/** One request, and its answer's status to the account whose ids are in it, and to any other. */
interface Ask {
  path: string;
  body?: string;
  headers?: Headers;
  owner: number;
  stranger: number;
}

interface Route {
  /** Whoever asks is answered, without key or session. */
  open?: true;
  /** How a caller may come in; a key and a session when it does not say. */
  ways?: (keyof Credentials)[];
  /** It takes the session away that it is asked with, so nothing follows. */
  last?: true;
  /** Calls count by the client, whatever its account: it could try secrets with many accounts. */
  byClient?: true;
  asks(theirs: Theirs): Ask[];
}

/** What the owner has that others could ask for. */
interface Theirs {
  source: string;
  /** A source with slashes in its name. */
  slashed: string;
  job: string;
  key: string;
  session: string;
  channel: string;
  delivery: string;
  incident: string;
  /** One in parts, which is open and has a part 0. */
  inParts: string;
}

const OF_ONE_ANSWER = new Set(['x-service-latency', 'x-request-id', 'server-timing']);
const IDEMPOTENT = { 'Content-Type': 'application/json', 'Idempotency-Key': 'one-and-the-same' };
const ROWS = Array.from({ length: 200 }, (_, id) => ({ id, tier: id % 2 ? 'gold' : 'silver' }));

const PART = '[{"theirs":1}]';
const HOOK = '{"type":"webhook","url":"https://example.com/hook"}';
const UNTIL = JSON.stringify({ until: new Date(NOW + 60_000).toISOString() });

const API: readonly Declared[] = DECLARED;

/** What is read of the account itself: nothing in the address names what is somebody's. */
const READ: Record<string, Route> = Object.fromEntries(
  API.filter(({ method, path, documented }) => {
    const isRead = method === 'GET' && !path.includes(':');
    return isRead && documented !== null && documented.callers.security === undefined;
  }).map(({ path }) => [`GET ${path}`, { asks: () => [{ path, owner: 200, stranger: 200 }] }]),
);

/** A line a route that names something or changes something. `path` is asked with the method in the route's name. */
const ROUTES: Record<string, Route> = {
  ...READ,
  'GET /': { open: true, asks: () => [{ path: '/', owner: 200, stranger: 200 }] },
  'GET /assets/:name': { open: true, asks: () => [{ path: '/assets/none', owner: 404, stranger: 404 }] },
  'GET /v1/health': { open: true, asks: () => [{ path: '/v1/health', owner: 200, stranger: 200 }] },
  'GET /v1/ready': { open: true, asks: () => [{ path: '/v1/ready', owner: 200, stranger: 200 }] },
  // Where no token is configured.
  'GET /metrics': { open: true, asks: () => [{ path: '/metrics', owner: 404, stranger: 404 }] },
  'GET /openapi.json': { open: true, asks: () => [{ path: '/openapi.json', owner: 200, stranger: 200 }] },
  'GET /asyncapi.json': { open: true, asks: () => [{ path: '/asyncapi.json', owner: 200, stranger: 200 }] },
  // It needs a connection of its own: test/stream/socket.test.ts.
  'GET /v1/stream': { open: true, asks: () => [{ path: '/v1/stream', owner: 426, stranger: 426 }] },
  'GET /docs': { open: true, asks: () => [{ path: '/docs', owner: 200, stranger: 200 }] },
  'GET /docs/:file': {
    open: true,
    asks: () => [{ path: '/docs/swagger-ui.css', owner: 200, stranger: 200 }],
  },
  'POST /v1/screen': {
    asks: ({ source }) => [
      // One that would drift from the owner's baseline, and the owner's own to the letter.
      screening(batch([{ other: true }], { source })),
      { ...screening(batch(ROWS, { source })), headers: IDEMPOTENT },
    ],
  },
  'POST /v1/batches/whole': {
    asks: ({ source }) => [
      {
        path: '/v1/batches/whole',
        body: '[{"other":true}]',
        headers: { 'Content-Type': 'application/json', 'X-Source': source },
        owner: 200,
        stranger: 200,
      },
    ],
  },
  'POST /v1/batches': {
    asks: ({ source }) => [
      { path: '/v1/batches', body: JSON.stringify({ source }), owner: 201, stranger: 201 },
      {
        path: '/v1/batches',
        body: JSON.stringify({ source }),
        headers: IDEMPOTENT,
        owner: 201,
        stranger: 201,
      },
    ],
  },
  'GET /v1/batches/:id': {
    asks: ({ inParts }) => [{ path: `/v1/batches/${inParts}`, owner: 200, stranger: 404 }],
  },
  'PUT /v1/batches/:id/parts/:part': {
    asks: ({ inParts }) => [
      { path: `/v1/batches/${inParts}/parts/0`, body: PART, owner: 200, stranger: 404 },
      { path: `/v1/batches/${inParts}/parts/1`, body: PART, owner: 200, stranger: 404 },
    ],
  },
  'POST /v1/batches/:id/finish': {
    asks: ({ inParts }) => [
      { path: `/v1/batches/${inParts}/finish`, body: '{"parts":1}', owner: 200, stranger: 404 },
    ],
  },
  'DELETE /v1/batches/:id': {
    asks: ({ inParts }) => [{ path: `/v1/batches/${inParts}`, owner: 200, stranger: 404 }],
  },
  'POST /v1/keys': {
    asks: () => [{ path: '/v1/keys', body: '{"name":"mine"}', owner: 201, stranger: 201 }],
  },
  'GET /v1/jobs': {
    asks: ({ source, job }) => [
      { path: '/v1/jobs', owner: 200, stranger: 200 },
      { path: `/v1/jobs?source=${source}`, owner: 200, stranger: 200 },
      { path: `/v1/jobs?before=${job}`, owner: 200, stranger: 200 },
    ],
  },
  'GET /v1/jobs/:id': { asks: ({ job }) => [{ path: `/v1/jobs/${job}`, owner: 200, stranger: 404 }] },
  'GET /v1/schema/:source/trends': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/trends`, owner: 200, stranger: 200 }],
  },
  'GET /v1/schema/:source/history': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/history`, owner: 200, stranger: 200 }],
  },
  'GET /v1/schema/:source': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}`, owner: 200, stranger: 404 }],
  },
  'DELETE /v1/schema': { asks: () => [{ path: '/v1/schema', owner: 200, stranger: 200 }] },
  // A source whose slashes are not encoded. One handler of all methods serves it.
  'GET /v1/schema/*': {
    asks: ({ slashed }) => [{ path: `/v1/schema/${slashed}`, owner: 200, stranger: 404 }],
  },
  'DELETE /v1/schema/*': {
    asks: ({ slashed }) => [{ path: `/v1/schema/${slashed}`, owner: 200, stranger: 200 }],
  },
  'DELETE /v1/schema/:source': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}`, owner: 200, stranger: 200 }],
  },
  'GET /v1/schema/:source/settings': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/settings`, owner: 200, stranger: 200 }],
  },
  'PUT /v1/schema/:source/settings': {
    asks: ({ source }) => [
      { path: `/v1/schema/${source}/settings`, body: '{"mode":"contract"}', owner: 200, stranger: 200 },
    ],
  },
  'GET /v1/schema/:source/rules': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/rules`, owner: 200, stranger: 404 }],
  },
  'PUT /v1/schema/:source/rules': {
    asks: ({ source }) => [
      { path: `/v1/schema/${source}/rules`, body: '{"rows":{"min":7}}', owner: 200, stranger: 200 },
    ],
  },
  'DELETE /v1/schema/:source/rules': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/rules`, owner: 200, stranger: 200 }],
  },
  'GET /v1/schema/:source/rules/history': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/rules/history`, owner: 200, stranger: 200 }],
  },
  'GET /v1/schema/:source/rules/suggested': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/rules/suggested`, owner: 200, stranger: 200 }],
  },
  'POST /v1/schema/:source/rules/import': {
    asks: ({ source }) => [
      {
        path: `/v1/schema/${source}/rules/import?format=json-schema&apply=true`,
        body: '{"properties":{"theirs":{"minimum":1}}}',
        owner: 200,
        stranger: 200,
      },
    ],
  },
  'POST /v1/schema/:source/pin': {
    asks: ({ source }) => [
      { path: `/v1/schema/${source}/pin`, body: '{"pinned":false}', owner: 200, stranger: 404 },
    ],
  },
  'POST /v1/schema/:source/accept': {
    asks: ({ source, job }) => [
      { path: `/v1/schema/${source}/accept`, body: `{"job_id":"${job}"}`, owner: 200, stranger: 404 },
    ],
  },
  'POST /v1/schema/:source/feedback': {
    asks: ({ source, job }) =>
      ['bad', 'expected'].map(verdict => ({
        path: `/v1/schema/${source}/feedback`,
        body: JSON.stringify({ job_id: job, verdict }),
        owner: 200,
        stranger: 404,
      })),
  },
  'GET /v1/schema/:source/versions': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/versions`, owner: 200, stranger: 200 }],
  },
  'GET /v1/schema/:source/changes': {
    asks: ({ source }) => [{ path: `/v1/schema/${source}/changes`, owner: 200, stranger: 200 }],
  },
  'POST /v1/schema/:source/rollback': {
    asks: ({ source }) => [
      { path: `/v1/schema/${source}/rollback`, body: '{"version":1}', owner: 200, stranger: 404 },
    ],
  },
  'POST /v1/auth/otp': {
    open: true,
    asks: () => [asking('/v1/auth/otp', '{"email":"owner@corp.com"}', 202)],
  },
  'POST /v1/auth/session': {
    open: true,
    asks: () => [asking('/v1/auth/session', '{"email":"owner@corp.com","code":"000000"}', 401)],
  },
  'POST /v1/billing/checkout': {
    asks: () => [
      { path: '/v1/billing/checkout', body: '{"tier":"starter"}', owner: 409, stranger: 200 },
      { path: '/v1/billing/checkout', body: '{"tier":"none"}', owner: 400, stranger: 400 },
    ],
  },
  'POST /v1/billing/portal': { asks: () => [{ path: '/v1/billing/portal', owner: 200, stranger: 200 }] },
  // Who may send it is settled by its signature.
  'POST /v1/billing/webhook': { open: true, asks: () => [asking('/v1/billing/webhook', '{}', 400)] },
  'DELETE /v1/auth/session': {
    ways: ['session'],
    last: true,
    asks: () => [{ path: '/v1/auth/session', owner: 200, stranger: 200 }],
  },
  // With a key it would end the session of the account that asks.
  'DELETE /v1/auth/sessions': {
    ways: ['session'],
    asks: () => [{ path: '/v1/auth/sessions', owner: 200, stranger: 200 }],
  },
  'DELETE /v1/auth/sessions/:id': {
    asks: ({ session }) => [{ path: `/v1/auth/sessions/${session}`, owner: 200, stranger: 404 }],
  },
  // Who has a key of the owner is the owner: here is one that nobody has.
  'POST /v1/account/claim': {
    ways: ['session'],
    byClient: true,
    asks: () => [
      {
        path: '/v1/account/claim',
        body: JSON.stringify({ key: `sluice_live_${'0'.repeat(43)}` }),
        owner: 404,
        stranger: 404,
      },
    ],
  },
  'POST /v1/alerts/channels': {
    asks: () => [{ path: '/v1/alerts/channels', body: HOOK, owner: 201, stranger: 201 }],
  },
  'GET /v1/keys/:id': { asks: ({ key }) => [{ path: `/v1/keys/${key}`, owner: 200, stranger: 404 }] },
  'GET /v1/auth/sessions/:id': {
    asks: ({ session }) => [{ path: `/v1/auth/sessions/${session}`, owner: 200, stranger: 404 }],
  },
  'GET /v1/alerts/deliveries/:id': {
    asks: ({ delivery }) => [{ path: `/v1/alerts/deliveries/${delivery}`, owner: 200, stranger: 404 }],
  },
  'GET /v1/incidents/:id': {
    asks: ({ incident }) => [{ path: `/v1/incidents/${incident}`, owner: 200, stranger: 404 }],
  },
  'GET /v1/alerts/channels/:id': {
    asks: ({ channel }) => [{ path: `/v1/alerts/channels/${channel}`, owner: 200, stranger: 404 }],
  },
  'PATCH /v1/alerts/channels/:id': {
    asks: ({ channel }) => [
      { path: `/v1/alerts/channels/${channel}`, body: '{"name":"mine"}', owner: 200, stranger: 404 },
    ],
  },
  'DELETE /v1/alerts/channels/:id': {
    asks: ({ channel }) => [{ path: `/v1/alerts/channels/${channel}`, owner: 200, stranger: 404 }],
  },
  'POST /v1/alerts/channels/:id/test': {
    asks: ({ channel }) => [{ path: `/v1/alerts/channels/${channel}/test`, owner: 200, stranger: 404 }],
  },
  'POST /v1/alerts/channels/:id/rotate': {
    asks: ({ channel }) => [{ path: `/v1/alerts/channels/${channel}/rotate`, owner: 200, stranger: 404 }],
  },
  'GET /v1/alerts/deliveries': {
    asks: ({ channel, delivery }) => [
      { path: '/v1/alerts/deliveries', owner: 200, stranger: 200 },
      { path: `/v1/alerts/deliveries?channel=${channel}`, owner: 200, stranger: 200 },
      { path: `/v1/alerts/deliveries?before=${delivery}`, owner: 200, stranger: 200 },
    ],
  },
  'POST /v1/alerts/deliveries/:id/resend': {
    asks: ({ delivery }) => [{ path: `/v1/alerts/deliveries/${delivery}/resend`, owner: 200, stranger: 404 }],
  },
  'GET /v1/incidents': {
    asks: ({ source, incident }) => [
      { path: '/v1/incidents', owner: 200, stranger: 200 },
      { path: `/v1/incidents?source=${source}`, owner: 200, stranger: 200 },
      { path: `/v1/incidents?before=${incident}`, owner: 200, stranger: 200 },
    ],
  },
  'POST /v1/incidents/:id/acknowledge': {
    asks: ({ incident }) => [{ path: `/v1/incidents/${incident}/acknowledge`, owner: 200, stranger: 404 }],
  },
  'POST /v1/incidents/:id/snooze': {
    asks: ({ incident }) => [
      { path: `/v1/incidents/${incident}/snooze`, body: UNTIL, owner: 200, stranger: 404 },
    ],
  },
  'DELETE /v1/keys/:id': { asks: ({ key }) => [{ path: `/v1/keys/${key}`, owner: 200, stranger: 404 }] },
};

/** What everybody is answered alike. */
function asking(path: string, body: string, status: number): Ask {
  return { path, body, owner: status, stranger: status };
}

function screening(body: string): Ask {
  return { path: '/v1/screen', body, owner: 200, stranger: 200 };
}

interface Credentials {
  key: Headers;
  session: Headers;
}

const OWNER = 'scaler';
const STRANGER = 'owner';
const tokenOf = (byte: number): string => tokenFrom(new Uint8Array(SECRET_BYTES).fill(byte));
const TOKENS = { [OWNER]: tokenOf(1), [STRANGER]: tokenOf(2), ended: tokenOf(3), unknown: tokenOf(4) };
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
const AS_OWNER: Credentials = { key: { 'X-API-Key': SCALE_KEY }, session: bearer(TOKENS[OWNER]) };
const AS_STRANGER: Credentials = { key: { 'X-API-Key': KEY }, session: bearer(TOKENS[STRANGER]) };

const SUBSCRIPTION = {
  id: 'sub_owner',
  status: 'active',
  plan: 'scale',
  periodStart: NOW - 1000,
  periodEnd: NOW + 1000,
  createdAt: NOW - 1000,
  endedAt: null,
} as const;

/** Its pages are for the customer who asks, and it has sent no event. */
const PAYMENTS: Payments = {
  prices: { starter: 'price_1', growth: 'price_2', scale: 'price_3' },
  createCustomer: async account => `cus_${account}`,
  checkoutUrl: async (account, customer, price) => `https://pay.example.com/${account}/${customer}/${price}`,
  portalUrl: async customer => `https://pay.example.com/${customer}`,
  subscription: async () => null,
  event: async () => {
    throw new Rejection('INVALID_SIGNATURE', 'not signed');
  },
};

const VERSION_NOTE = noteOf(EMPTY_RECORD, 'learned', NOW, null);

/** Draws that are left to the making of a world. */
const DRAWN_BEFORE = 1000;

/** An application in which all accounts are the same each time, and so is every random byte. */
class World {
  readonly service = new Service({
    random: bytes => this.#draw(bytes),
    payments: PAYMENTS,
  });
  /** How often random bytes were drawn: each time others, in every world the same. */
  #drawn = 0;

  #draw(bytes: number): Uint8Array {
    const drawn = Buffer.alloc(bytes);
    drawn.writeUInt32BE(++this.#drawn, bytes - 4);
    return drawn;
  }

  /** With sessions for both accounts, but no data of either. */
  static async empty(): Promise<World> {
    const world = new World();
    const signIn = new SqlSignIn(world.service.database);
    const open = (token: string, account: string, expiresAt: number) =>
      signIn.openSession({ sha256: secretSha256(token), account, createdAt: 0, expiresAt });
    await open(TOKENS[OWNER], OWNER, NOW + 1000);
    await open(TOKENS[STRANGER], STRANGER, NOW + 1000);
    await open(TOKENS.ended, OWNER, NOW);
    for (const account of [OWNER, STRANGER])
      await world.service.deps.billing.keepCustomer(account, `cus_${account}`, null);
    world.#drawn = DRAWN_BEFORE;
    return world;
  }

  /** The same, where the owner has something in every corner. */
  static async full(): Promise<{ world: World; theirs: Theirs }> {
    const world = await World.empty();
    world.#drawn = 0;
    const source = 'payroll';
    const job = await world.service.post(batch(ROWS, { source }), { ...AS_OWNER.key, ...IDEMPOTENT });
    const slashed = 'hr/payroll';
    await world.service.post(batch(ROWS, { source: slashed }), AS_OWNER.key);
    const settings = { path: `/v1/schema/${source}/settings`, body: '{"mode":"adaptive"}' };
    await world.send('PUT', settings, AS_OWNER.key);
    const rules = { path: `/v1/schema/${source}/rules`, body: '{"fields":{"theirs":{"unique":true}}}' };
    await world.send('PUT', rules, AS_OWNER.key);
    await world.service.baselineStore.keepVersion(
      OWNER,
      source,
      VERSION_NOTE,
      await copyOf(encodeRecord(EMPTY_RECORD)),
    );
    const made = await world.send('POST', { path: '/v1/keys', body: '{"name":"theirs"}' }, AS_OWNER.key);
    const listed = await world.send('GET', { path: '/v1/auth/sessions' }, AS_OWNER.key);
    const opened = await world.send(
      'POST',
      { path: '/v1/batches', body: JSON.stringify({ source }) },
      AS_OWNER.key,
    );
    const inParts = JSON.parse(opened.text).batch_id;
    await world.send('PUT', { path: `/v1/batches/${inParts}/parts/0`, body: PART }, AS_OWNER.key);
    const alerts = await world.#withAlerts(source);
    await world.service.deps.billing.record(OWNER, 0, SUBSCRIPTION, {
      plan: 'scale',
      period: { start: SUBSCRIPTION.periodStart, end: SUBSCRIPTION.periodEnd },
      until: null,
    });
    await world.service.deps.authentication.forgetAccount(OWNER);
    // From here on it draws what an empty world draws.
    world.#drawn = DRAWN_BEFORE;
    const theirs = {
      source,
      slashed,
      job: job.body.request_id,
      key: JSON.parse(made.text).id,
      session: JSON.parse(listed.text).sessions[0].id,
      inParts,
      ...alerts,
    };
    return { world, theirs };
  }

  /** An incident of the owner, and a delivery of it that has arrived. */
  async #withAlerts(source: string) {
    const { deps } = this.service;
    const channel = await createChannel(OWNER, JSON.parse(HOOK), deps);
    const delivery = await testChannel(OWNER, channel.id, deps);
    await deps.alerts.settle({ ...delivery, status: 'delivered', settledAt: NOW });
    const job = requestId(NOW, deps.random(ID_RANDOM_BYTES));
    const verdict = { verdict: 'WARN', healthScore: 0.5, reason: 'nulls' } as const;
    const batches = [{ job, account: OWNER, source, at: NOW, ...verdict }];
    const { incident } = takeUp(null, batches, NOW, () => deps.newAlertId('inc'));
    await deps.alerts.move(incident, [], []);
    return { channel: channel.id, delivery: delivery.id, incident: incident.id };
  }

  /** The answer, less what differs from one run to the next. */
  async send(method: string, ask: Omit<Ask, 'owner' | 'stranger'>, credentials: Headers) {
    const { path, body = null, headers = { 'Content-Type': 'application/json' } } = ask;
    const response = await this.service.app.handle(
      new Request(`http://localhost${path}`, { method, body, headers: { ...headers, ...credentials } }),
    );
    const text = (await response.text()).replace(/"latency_ms":\d+/g, '"latency_ms":0');
    const kept = [...response.headers].filter(([name]) => !OF_ONE_ANSWER.has(name));
    return { status: response.status, headers: kept, text };
  }

  /** Everything that is stored, a line for each row; the owner's baselines are one line. */
  async stored(theirs: Theirs): Promise<string[]> {
    const baselines = await Promise.all(
      [theirs.source, theirs.slashed].map(source => this.service.baselineStore.read(OWNER, source)),
    );
    const sources = await this.service.baselineStore.sources(OWNER, null, 10);
    const versions = await this.service.baselineStore.versions(OWNER, theirs.source);
    return [...(await rowsOf(this.service)), JSON.stringify({ baselines, sources, versions })];
  }
}

async function rowsOf(service: Service): Promise<string[]> {
  const tables = Object.values({ ...schema, ...batchSchema }).map(table => getTableName(table));
  const found = tables.map(async name =>
    (await service.rows(`SELECT * FROM ${name}`)).map(row => name + JSON.stringify(row)),
  );
  return (await Promise.all(found)).flat();
}

const methodOf = (route: string): string => route.split(' ')[0]!;
const waysInto = ({ open, ways = ['key', 'session'] }: Route, as: Credentials): Headers[] =>
  open ? [{}] : ways.map(way => as[way]);
const named = Object.entries(ROUTES);
const guarded = named.filter(([, route]) => !route.open);

const SLASHED = '/v1/schema/*';

test('the table has exactly the routes of the application', () => {
  const { routes } = new Service().app;
  const own = routes.filter(({ method }) => method !== 'ALL');
  const handled = own.map(({ method, path }) => `${method} ${path}`);
  expect([...handled, `GET ${SLASHED}`, `DELETE ${SLASHED}`].sort()).toEqual(Object.keys(ROUTES).sort());
  // What answers all other methods has no more to say than which they are.
  const paths = new Set(own.map(({ path }) => path));
  expect(routes.filter(({ path }) => !paths.has(path)).map(({ path }) => path)).toEqual([SLASHED]);
});

describe('to the owner of the ids', () => {
  test.each(named)('%s answers', async (name, route) => {
    for (const credentials of waysInto(route, AS_OWNER)) {
      const { world, theirs } = await World.full();
      for (const ask of route.asks(theirs)) {
        const { status, text } = await world.send(methodOf(name), ask, credentials);
        expect({ ask, text, status }).toEqual({ ask, text, status: ask.owner });
      }
    }
  });
});

describe('to another account', () => {
  test.each(named)(
    '%s answers as if the resource did not exist, and changes nothing',
    async (name, route) => {
      for (const credentials of waysInto(route, AS_STRANGER)) {
        const { world, theirs } = await World.full();
        const empty = await World.empty();
        const before = await world.stored(theirs);
        for (const ask of route.asks(theirs)) {
          const answer = await world.send(methodOf(name), ask, credentials);
          expect(answer.status).toBe(ask.stranger);
          expect(answer).toEqual(await empty.send(methodOf(name), ask, credentials));
        }
        const after = new Set(await world.stored(theirs));
        const gone = before.filter(row => !after.has(row));
        expect(gone.filter(row => !(route.last && isOwnSession(row)))).toEqual([]);
      }
    },
  );
});

const isOwnSession = (row: string): boolean => row.includes(secretSha256(TOKENS[STRANGER]));

/** Called by the owner, by another account, and without credentials. */
const READERS: Headers[] = [AS_OWNER.key, AS_STRANGER.key, {}];

/** They do not depend on the stores. */
const describeOnce = describe.skipIf(isOnServers);

describeOnce('in caches', () => {
  test.each(guarded.filter(([name]) => methodOf(name) === 'GET'))(
    'no cache keeps the answer of %s, whatever it is',
    async (_, route) => {
      const { world, theirs } = await World.full();
      for (const ask of route.asks(theirs))
        for (const credentials of READERS) {
          const { headers } = await world.send('GET', ask, credentials);
          expect(headers).toContainEqual(['cache-control', 'no-store']);
        }
    },
  );

  test.each(named.filter(([name]) => methodOf(name) === 'GET'))(
    'HEAD in the place of %s has its status and headers, and no body',
    async (_, route) => {
      const { world, theirs } = await World.full();
      for (const ask of route.asks(theirs)) {
        const got = await world.send('GET', ask, AS_OWNER.key);
        const head = await world.send('HEAD', ask, AS_OWNER.key);
        const withoutLength = ({ headers }: typeof got) =>
          headers.filter(([name]) => name !== 'content-length');
        expect([head.status, head.text, withoutLength(head)]).toEqual([got.status, '', withoutLength(got)]);
      }
    },
  );
});

describeOnce('without credentials', () => {
  const nobody: [string, Headers][] = [
    ['nothing', {}],
    ['an unknown key', { 'X-API-Key': 'none' }],
    ['a key that nobody has', { 'X-API-Key': `sluice_live_${'u0'.repeat(16)}` }],
    ['a token that nobody has', bearer(TOKENS.unknown)],
    ['a session that has ended', bearer(TOKENS.ended)],
    ['a token in the place of a key', { 'X-API-Key': TOKENS[OWNER] }],
    ['a key in the place of a token', bearer(SCALE_KEY)],
  ];

  test.each(guarded)('%s answers 401 and changes nothing', async (name, route) => {
    const { world, theirs } = await World.full();
    const before = await world.stored(theirs);
    for (const ask of route.asks(theirs))
      for (const [what, credentials] of nobody) {
        const { status, headers, text } = await world.send(methodOf(name), ask, credentials);
        expect({ what, status, code: JSON.parse(text).code }).toEqual({
          what,
          status: 401,
          code: 'AUTH_INVALID',
        });
        expect(headers).toContainEqual(['www-authenticate', 'Bearer']);
      }
    expect(await world.stored(theirs)).toEqual(before);
  });
});

describe('the calls of one account', () => {
  test.each(guarded.filter(([, { last, byClient }]) => !last && !byClient))(
    '%s: use up nothing of what another may make',
    async (name, route) => {
      const { world, theirs } = await World.full();
      const [ask] = route.asks(theirs);
      const credentials = waysInto(route, AS_STRANGER)[0]!;
      for (let call = 0; call <= 100; call++) await world.send(methodOf(name), ask!, credentials);
      expect((await world.send(methodOf(name), ask!, credentials)).status).toBe(429);
      expect((await world.send(methodOf(name), ask!, waysInto(route, AS_OWNER)[0]!)).status).toBe(ask!.owner);
    },
  );
});
