/** What the document says of requests is what the application takes. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createChannel } from '../../../src/alerts/account-alerts.ts';
import { takeUp } from '../../../src/alerts/incident.ts';
import { newDelivery } from '../../../src/alerts/outbox.ts';
import { Rejection } from '../../../src/terms/errors.ts';
import { ID_RANDOM_BYTES, requestId } from '../../../src/names/request-id.ts';
import { parseOptions } from '../../../src/options/options.ts';
import { THRESHOLDS } from '../../../src/terms/policy.ts';
import '../../property/seed.ts';
import { Shop } from '../../billing/shop.ts';
import { signatureOf } from '../../billing/stripe-server.ts';
import { answerOf, batch, NOW, SCALE_KEY, Service } from '../service.ts';
import { Checker, operationsOf, readDocument } from './document.ts';

const document = await readDocument();
const operations = operationsOf(document);
const KEY = { 'X-API-Key': SCALE_KEY };
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Parameter {
  required: boolean;
  example: unknown;
  name: string;
  in: string;
  schema: { type: string; minimum: number; maximum: number; default: number; enum?: string[] };
}

async function ask(
  service: Service,
  method: string,
  path: string,
  headers: object,
  body: string | null = null,
) {
  const all = { ...KEY, ...headers };
  return answerOf(
    await service.app.handle(new Request(`http://localhost${path}`, { method, headers: all, body })),
  );
}

/** Of an operation that cannot do without one. */
const requiredQuery = (parameters: Parameter[] = []): string => {
  const needed = parameters.filter(each => each.in === 'query' && each.required);
  return needed.length === 0 ? '' : `?${needed.map(({ name, example }) => `${name}=${example}`).join('&')}`;
};

const bodies = operations.flatMap(({ id, method, path, document }) =>
  Object.entries<{ examples: object }>(document.requestBody?.content ?? {}).flatMap(([type, { examples }]) =>
    Object.entries<{ value: unknown }>({ ...examples }).map(([name, { value }]) => ({
      called: `${name} of ${id} as ${type}`,
      id,
      ask: (service: Service) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const signature = signatureOf(text, NOW / 1000);
        const headers = { 'Content-Type': type, 'X-Source': 'orders', 'Stripe-Signature': signature };
        const address = `${path.replace('{part}', '0')}${requiredQuery(document.parameters)}`;
        return ask(service, method, address, headers, text);
      },
    })),
  ),
);

const NAMING = new Set([
  'pinBaseline',
  'sendPart',
  'finishBatch',
  'acceptBatch',
  'giveFeedback',
  'rollBack',
  'changeAlertChannel',
  'snoozeIncident',
]);

test.each(bodies.map(each => [each.called, each] as const))(
  'the example %s is taken',
  async (_, { id, ask }) => {
    const shop = await Shop.open();
    const { status } = await ask(shop.service).finally(() => shop.close());
    // A key has no address to claim with.
    if (id === 'claimAccount') expect(status).toBe(400);
    // A code of an example was never sent to anybody.
    else if (id === 'openSession') expect(status).toBe(401);
    // The resource does not exist.
    else if (NAMING.has(id)) expect(status).toBe(404);
    else expect(status).toBeWithin(200, 203);
  },
);

/** Adds so many incidents, each with a delivery. */
async function withAlerts({ deps }: Service, count: number): Promise<void> {
  const { alerts, newAlertId, random } = deps;
  const channel = await createChannel('scaler', { type: 'slack', url: 'https://example.com' }, deps);
  const job = { at: NOW, account: 'scaler', verdict: 'WARN', healthScore: 0.5, reason: 'nulls' } as const;
  for (let i = 0; i < count; i++) {
    const batches = [{ ...job, job: requestId(NOW, random(ID_RANDOM_BYTES)), source: `source ${i}` }];
    const { incident } = takeUp(null, batches, NOW, () => newAlertId('inc'));
    const facts = { account: 'scaler', channel: channel.id, type: 'incident.opened', payload: '{}' };
    const delivery = newDelivery({ ...facts, id: newAlertId('msg'), incident: incident.id }, NOW);
    await alerts.move(incident, [], [delivery]);
  }
}

describe('an integer in the query', () => {
  const MANY = 201;
  const numbers = operations.flatMap(({ method, path, document }) =>
    (document.parameters ?? [])
      .filter(({ schema }: Parameter) => schema.type === 'integer' && method === 'GET')
      .map(({ name, schema }: Parameter) => [`${method} ${path}?${name}`, { path, name, schema }] as const),
  );

  /** With more of everything than a page shows. */
  const service = (async () => {
    const made = new Service();
    for (let i = 0; i < MANY; i++) {
      await made.post(batch([{ i }]));
      await made.post(batch([{ i }], { source: `source ${i}` }));
      const change = { source: 'orders', action: 'pinned', at: NOW, by: 'ann', key: null } as const;
      await made.deps.changes.add('scaler', { ...change, job: null, detail: null });
    }
    await withAlerts(made, MANY);
    return made;
  })();

  test('occurs in some operations', () => {
    expect(numbers.length).toBeGreaterThan(3);
  });

  test.each(numbers)(
    '%s has the range and the default that are documented',
    async (_, { path, name, schema }) => {
      const address = path.replace('{source}', 'orders');
      const given = async (value: number) => ask(await service, 'GET', `${address}?${name}=${value}`, {});
      expect((await given(schema.minimum)).status).toBe(200);
      expect((await given(schema.maximum)).status).toBe(200);
      expect((await given(schema.minimum - 1)).body.code).toBe('INVALID_PARAMETER');
      expect((await given(schema.maximum + 1)).body.code).toBe('INVALID_PARAMETER');
      const { body } = await ask(await service, 'GET', address, {});
      expect(body).toEqual((await given(schema.default)).body);
      expect(body).not.toEqual((await given(schema.default - 1)).body);
    },
  );
});

test('names of sources and keys are accepted if they match their schema', async () => {
  const checker = new Checker(document);
  const service = new Service();
  const { ScreenRequest, KeyRequest } = document.components.schemas;
  const odd = [
    '',
    ' ',
    '\u3000',
    '.',
    '..',
    '...',
    '\u0000',
    'a\nb',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\ufeff',
  ];
  const long = ['n'.repeat(100), 'n'.repeat(101), '😀'.repeat(200), '😀'.repeat(201), `${' '.repeat(200)}a`];
  for (const name of [...odd, ...long, '__proto__', '/', ' a ']) {
    const body = { source: name, rows: [{ id: 1 }] };
    const screened = await ask(service, 'POST', '/v1/screen', JSON_TYPE, JSON.stringify(body));
    expect([name, screened.status]).toEqual([
      name,
      checker.faults(ScreenRequest, body).length === 0 ? 200 : 400,
    ]);
    if (checker.faults(KeyRequest, { name }).length > 0) continue;
    const made = await ask(service, 'POST', '/v1/keys', JSON_TYPE, JSON.stringify({ name }));
    expect([name, made.status]).toEqual([name, 201]);
  }
});

test('exactly the documented delimiters are accepted', async () => {
  const schema = document.components.schemas.Delimiter;
  const statusWith = async (delimiter: string) =>
    (await new Service().csv('a\n1\n', { 'X-CSV-Delimiter': delimiter })).status;
  expect(schema.enum).toHaveLength(7);
  for (const delimiter of schema.enum) expect(await statusWith(delimiter)).toBe(200);
  expect(await statusWith(':')).toBe(400);
});

test('options are accepted exactly if they match their schema, except two that contradict each other', () => {
  const checker = new Checker(document);
  const odd = fc.constantFrom(null, true, '0.5', [], -0.1, 1.1);
  const mostly = <Value>(usual: fc.Arbitrary<Value>) => fc.oneof({ weight: 6, arbitrary: usual }, odd);
  const names = [...Object.keys(THRESHOLDS), 'null_rate'];
  const threshold = fc.tuple(fc.constantFrom(...names), mostly(fc.double({ min: 0, max: 1, noNaN: true })));
  const arbitrary = fc.record(
    {
      full_scan: mostly(fc.boolean()),
      dry_run: mostly(fc.boolean()),
      batch_index: mostly(fc.integer({ min: -1, max: 9 })),
      total_batches: mostly(fc.integer({ min: 0, max: 9 })),
      thresholds: mostly(threshold.map(pair => Object.fromEntries([pair]))),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(arbitrary, options => {
      fc.pre(!contradicts(options));
      const fits = checker.faults(document.components.schemas.Options, options).length === 0;
      expect(isTaken(options)).toBe(fits);
    }),
    { numRuns: 300 },
  );
});

/** One threshold contradicts nothing; a place in a larger batch may lie behind its end. */
const contradicts = ({
  batch_index: index,
  total_batches: total,
}: {
  batch_index?: unknown;
  total_batches?: unknown;
}) => typeof index === 'number' && typeof total === 'number' && index > total;

function isTaken(options: unknown): boolean {
  try {
    parseOptions(options);
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}
