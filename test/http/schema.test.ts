import '../property/seed.ts';
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Rejection } from '../../src/terms/errors.ts';
import { type Answer, answerOf, KEY, newStores, NOW, SCALE_KEY, Service } from './service.ts';

const AT = new Date(NOW).toISOString();
const ROWS = [
  { id: 1, city: 'Oslo' },
  { id: 2, city: 'Oslo' },
  { id: 3, city: null },
];

const ask = async (service: Service, method: string, path: string, key = SCALE_KEY): Promise<Answer> =>
  answerOf(
    await service.app.handle(
      new Request(`http://localhost${path}`, { method, headers: { 'X-API-Key': key } }),
    ),
  );

const screened = (service: Service, source: string, rows: unknown[] = ROWS, key = SCALE_KEY) =>
  service.post(JSON.stringify({ source, rows }), { 'X-API-Key': key });

const sourcesOf = async (service: Service, key = SCALE_KEY): Promise<string[]> =>
  (await ask(service, 'GET', '/v1/schema', key)).body.sources.map(({ source }: { source: string }) => source);

const refusal = { message: expect.any(String), code: 'INVALID_PARAMETER' };

describe('GET /v1/schema', () => {
  test('lists the sources that have a baseline', async () => {
    const service = new Service();
    expect((await ask(service, 'GET', '/v1/schema')).body).toEqual({ sources: [] });
    await screened(service, 'orders');
    await screened(service, 'orders');
    await screened(service, 'eu/visits');
    const { status, body } = await ask(service, 'GET', '/v1/schema');
    expect(status).toBe(200);
    expect(body).toEqual({
      sources: [
        { source: 'eu/visits', batches: 1, rows: 3, last_seen: AT },
        { source: 'orders', batches: 2, rows: 6, last_seen: AT },
      ],
    });
  });

  test('has pages, of 50 sources by default', async () => {
    const service = new Service();
    const names = Array.from({ length: 53 }, (_, index) => `ü&${index} +`);
    for (const name of names) await screened(service, name, [{ id: 1 }]);
    const found: string[] = [];
    const sizes: number[] = [];
    let next = '';
    do {
      const { body } = await ask(service, 'GET', `/v1/schema${next}`);
      sizes.push(body.sources.length);
      found.push(...body.sources.map(({ source }: { source: string }) => source));
      next = body.next === undefined ? '' : `?after=${encodeURIComponent(body.next)}`;
    } while (next !== '');
    expect(sizes).toEqual([50, 3]);
    expect(found.toSorted()).toEqual(names.toSorted());
    expect((await ask(service, 'GET', '/v1/schema?limit=53')).body).not.toHaveProperty('next');
    expect((await ask(service, 'GET', '/v1/schema?limit=1')).body).toMatchObject({
      sources: [{}],
      next: found[0],
    });
  });

  test.each(['limit=0', 'limit=201', 'limit=ten', 'limit=', 'after=', 'after=%20', 'after=%ff'])(
    '?%s is refused by name',
    async query => {
      const { status, body } = await ask(new Service(), 'GET', `/v1/schema?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ ...refusal, message: expect.stringContaining(query.split('=')[0]!) });
    },
  );

  test('a source without stored jobs has a null last_seen', async () => {
    const service = new Service();
    await screened(service, 'orders');
    await service.rows('DELETE FROM jobs');
    expect((await ask(service, 'GET', '/v1/schema')).body.sources[0].last_seen).toBeNull();
    expect((await ask(service, 'GET', '/v1/schema/orders')).body.last_seen).toBeNull();
  });
});

describe('GET /v1/schema/{source}', () => {
  test('describes the baseline', async () => {
    const service = new Service();
    await screened(service, 'orders');
    const { status, body } = await ask(service, 'GET', '/v1/schema/orders');
    expect(status).toBe(200);
    expect(body).toEqual({
      source: 'orders',
      batches: 1,
      rows: 3,
      provisional: false,
      last_seen: AT,
      mode: 'contract',
      pinned: false,
      fields: {
        id: {
          type: 'number',
          presence: 1,
          null_rate: 0,
          empty_rate: null,
          distinct_ratio: 1,
          approx_distinct: 3,
          low_cardinality: null,
          quantiles: { 0: 1, 0.125: 1.25, 0.25: 1.5, 0.5: 2, 0.75: 2.5, 0.875: 2.75, 1: 3 },
        },
        city: {
          type: 'string',
          presence: 1,
          null_rate: 1 / 3,
          empty_rate: 0,
          distinct_ratio: 0.5,
          approx_distinct: 1,
          low_cardinality: null,
        },
      },
    });
  });

  test('a BLOCKed first batch is provisional', async () => {
    const service = new Service();
    await screened(service, 'orders', [{ id: null }, { id: null }]);
    expect((await ask(service, 'GET', '/v1/schema/orders')).body).toMatchObject({
      provisional: true,
      fields: { id: { type: 'null', null_rate: 1, distinct_ratio: null } },
    });
  });

  test('fields keep any names, and numbers beyond a double give valid JSON', async () => {
    const service = new Service();
    await service.post('{"source":"s","rows":[{"__proto__":1e999,"constructor":-1e308,"":1}]}');
    const { body } = await ask(service, 'GET', '/v1/schema/s');
    expect(Object.keys(body.fields)).toEqual(['__proto__', 'constructor', '']);
    expect(body.fields.constructor.type).toBe('number');
  });

  test('is not found without a baseline, even if another account has one', async () => {
    const service = new Service();
    await screened(service, 'orders', ROWS, KEY);
    const nobody = await ask(service, 'GET', '/v1/schema/other');
    expect(nobody.status).toBe(404);
    expect(nobody.body.code).toBe('NOT_FOUND');
    const foreign = await ask(service, 'GET', '/v1/schema/orders');
    expect(foreign.status).toBe(404);
    expect(foreign.body.message).toBe(nobody.body.message.replace('other', 'orders'));
  });
});

describe('DELETE /v1/schema/{source}', () => {
  test('resets that source, and may be repeated', async () => {
    const service = new Service();
    for (const source of ['orders', 'visits']) await screened(service, source);
    for (const _ of ['first', 'again']) {
      const { status, body } = await ask(service, 'DELETE', '/v1/schema/orders');
      expect(status).toBe(200);
      expect(body).toEqual({ ok: true, reset: 'orders', message: expect.stringContaining("'orders'") });
      expect(await sourcesOf(service)).toEqual(['visits']);
    }
  });

  test('the next batch creates a new baseline, for all processes', async () => {
    const { baselineStore } = newStores();
    const [here, there] = [1, 2].map(() => new Service({ baselineStore }));
    const kinds = async (service: Service, rows: unknown[]): Promise<string[]> =>
      ((await screened(service, 'orders', rows)).body.drift ?? []).map(({ kind }: { kind: string }) => kind);
    const [before, after] = [ROWS, ROWS.map(({ id }) => ({ id: `${id}` }))];
    for (const service of [here!, there!]) expect(await kinds(service, before)).toEqual([]);
    for (const service of [here!, there!])
      expect(await kinds(service, after)).toEqual(['type_changed', 'field_removed']);
    await ask(here!, 'DELETE', '/v1/schema/orders');
    for (const service of [there!, here!]) expect(await kinds(service, after)).toEqual([]);
    await ask(there!, 'DELETE', '/v1/schema');
    for (const service of [here!, there!]) expect(await kinds(service, before)).toEqual([]);
  });

  test('a batch in progress is judged by the old baseline, and starts the new one', async () => {
    const loaded = Promise.withResolvers<void>();
    const service = new Service();
    const { baselineStore } = service;
    await service.csv('id,city\n1,Oslo\n');
    const read = baselineStore.read.bind(baselineStore);
    baselineStore.read = async (...asked) => {
      const found = await read(...asked);
      loaded.resolve();
      return found;
    };
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>();
    const writer = writable.getWriter();
    const answer = service.csv(readable);
    await writer.write(new TextEncoder().encode('id,city,town\n'));
    await loaded.promise;
    await ask(service, 'DELETE', '/v1/schema/orders');
    await writer.write(new TextEncoder().encode('2,Oslo,Sagene\n'));
    await writer.close();
    const { status, body } = await answer;
    expect(status).toBe(200);
    expect(body.drift).toMatchObject([{ kind: 'field_added', field: 'town' }]);
    expect((await ask(service, 'GET', '/v1/schema/orders')).body).toMatchObject({ batches: 1, rows: 1 });
    expect(Object.keys((await ask(service, 'GET', '/v1/schema/orders')).body.fields)).toEqual([
      'id',
      'city',
      'town',
    ]);
  });

  test('every valid source name works in the path', async () => {
    const names = fc
      .string({
        unit: fc.oneof(
          fc.constantFrom('/', ' ', '.', '%', '?', '#', '+', '\\', 'ß'),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
        ),
        minLength: 1,
        maxLength: 20,
      })
      .filter(name => name.trim() !== '' && !/\p{Cc}/u.test(name) && name !== '.' && name !== '..');
    let now = NOW;
    // At the rate that is allowed.
    const service = new Service({
      now: () => {
        now += 100;
        return now;
      },
    });
    await fc.assert(
      fc.asyncProperty(names, async name => {
        expect((await screened(service, name, [{ id: 1 }])).status).toBe(200);
        const path = `/v1/schema/${encodeURIComponent(name)}`;
        expect((await ask(service, 'GET', path)).body).toMatchObject({ source: name, batches: 1 });
        expect((await ask(service, 'DELETE', path)).body).toMatchObject({ ok: true, reset: name });
        expect((await ask(service, 'GET', path)).status).toBe(404);
      }),
      { numRuns: 50 },
    );
  });
});

describe('DELETE /v1/schema', () => {
  test('resets all sources of the account and of no other', async () => {
    const service = new Service();
    for (const source of ['orders', 'visits']) await screened(service, source);
    await screened(service, 'orders', ROWS, KEY);
    const { status, body } = await ask(service, 'DELETE', '/v1/schema');
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, reset: 'all', message: expect.any(String) });
    expect(await sourcesOf(service)).toEqual([]);
    expect(await sourcesOf(service, KEY)).toEqual(['orders']);
    expect((await ask(service, 'DELETE', '/v1/schema?')).status).toBe(200);
    await ask(service, 'DELETE', '/v1/schema/orders');
    expect(await sourcesOf(service, KEY)).toEqual(['orders']);
  });
});

describe('an ambiguous address', () => {
  const MALFORMED = ['/%20', '/%E2%80%83', '/%zz', '/50%', '/%ff', '/%C0%AF', '/a%00', `/${'x'.repeat(201)}`];
  const SLASHED = [
    '/',
    '/?',
    '/?orders',
    '/.',
    '/%2e',
    '/orders/..',
    '/x/../',
    '\\',
    '/orders/',
    '/#',
    '//',
    '//orders',
    '/eu//orders',
    '/orders//',
    '/orders?',
    '/orders?x',
    '/eu/orders?x',
  ];

  test.each([...MALFORMED, ...SLASHED, '?source=orders', '?orders'])(
    'DELETE /v1/schema%s is refused and resets nothing',
    async tail => {
      const service = new Service();
      for (const source of ['orders', 'visits']) await screened(service, source);
      const { status, body } = await ask(service, 'DELETE', `/v1/schema${tail}`);
      expect(status).toBe(400);
      expect(body).toEqual(refusal);
      expect(await sourcesOf(service)).toEqual(['orders', 'visits']);
    },
  );

  test.each([...MALFORMED, ...SLASHED])('GET /v1/schema%s is rejected', async tail => {
    const { status, body } = await ask(new Service(), 'GET', `/v1/schema${tail}`);
    expect(status).toBe(400);
    expect(body).toEqual(refusal);
  });

  test.each(['/..', '/%2E%2e', '%2Forders'])(
    'DELETE /v1/schema%s is found nowhere and resets nothing',
    async tail => {
      const service = new Service();
      await screened(service, 'orders');
      const { status } = await ask(service, 'DELETE', `/v1/schema${tail}`);
      expect(status).toBe(404);
      expect(await sourcesOf(service)).toEqual(['orders']);
    },
  );
});

describe('a client that does not encode', () => {
  test('resets and reads the source with its slashes, and no other', async () => {
    const names = ['raw/orders', 'raw', 'orders', 'raw/orders/eu', 'a//b', 'settings/x'];
    for (const name of ['raw/orders', 'raw/orders/eu', 'settings/x']) {
      const service = new Service();
      for (const source of names) await screened(service, source);
      expect(await ask(service, 'GET', `/v1/schema/${name}`)).toMatchObject({
        status: 200,
        body: { source: name },
      });
      expect(await ask(service, 'DELETE', `/v1/schema/${name}`)).toMatchObject({
        status: 200,
        body: { reset: name },
      });
      expect(await sourcesOf(service)).toEqual(names.filter(each => each !== name).sort());
    }
  });

  test.each(['settings', 'pin', 'history', 'versions', 'rollback', 'accept', 'feedback'])(
    'resets nothing at an address below a source: /v1/schema/raw/%s',
    async word => {
      const service = new Service();
      for (const source of ['raw', `raw/${word}`]) await screened(service, source);
      await ask(service, 'DELETE', `/v1/schema/raw/${word}`);
      expect(await sourcesOf(service)).toEqual(['raw', `raw/${word}`]);
    },
  );

  test('resets nothing with a question mark in the source', async () => {
    const service = new Service();
    for (const source of ['a', 'a?b', 'raw/a']) await screened(service, source);
    for (const path of ['a?b', 'a?', 'raw/a?b=1', 'a?b/c'])
      for (const method of ['GET', 'DELETE'])
        expect(await ask(service, method, `/v1/schema/${path}`)).toMatchObject({
          status: 400,
          body: refusal,
        });
    expect(await sourcesOf(service)).toEqual(['a', 'a?b', 'raw/a']);
  });
});

describe('a caller of the baseline routes', () => {
  test.each([
    'GET /v1/schema',
    'GET /v1/schema/s',
    'DELETE /v1/schema',
    'DELETE /v1/schema/s',
    'DELETE /v1/schema/',
  ])('%s needs a key', async call => {
    const [method, path] = call.split(' ') as [string, string];
    const { status, body } = await ask(new Service(), method, path, `sluice_live_${'no'.repeat(16)}`);
    expect([status, body.code]).toEqual([401, 'AUTH_INVALID']);
  });

  test.each(['/v1/schema', '/v1/schema/orders', '/v1/schema/'])('%s supports no other method', async path => {
    const { status, headers } = await ask(new Service(), 'POST', path);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, DELETE, OPTIONS');
  });

  test('gets a 503 with Retry-After if the store is unavailable', async () => {
    const store = newStores().baselineStore;
    const service = new Service({ baselineStore: store });
    store.read =
      store.sources =
      store.reset =
        async () => {
          throw new Rejection('SERVICE_UNAVAILABLE', 'the store is away', { 'Retry-After': '1' });
        };
    for (const call of [
      'GET /v1/schema',
      'GET /v1/schema/orders',
      'DELETE /v1/schema/orders',
      'DELETE /v1/schema',
    ]) {
      const [method, path] = call.split(' ') as [string, string];
      const { status, headers } = await ask(service, method, path);
      expect([call, status, headers.get('retry-after')]).toEqual([call, 503, '1']);
    }
  });
});
