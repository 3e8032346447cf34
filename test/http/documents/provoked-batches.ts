/** How to provoke what is answered about batches of any length. */
import type { WindowStore } from '../../../src/stores/ports.ts';
import { BOUNDS } from '../../../src/batches/limits.ts';
import { KEY, NOW, Service } from '../service.ts';
import {
  type Answers,
  type Body,
  type Call,
  type Headers,
  once,
  type Provoke,
  QUICK,
  send,
  stalled,
  unhurried,
} from './provoke.ts';

const NONE = 'bat_01M8F1838TJ38YN0ZJSMPKEAFY';
const csv = { 'Content-Type': 'text/csv', 'X-Source': 'orders' };
const whole: Call = {
  method: 'POST',
  path: '/v1/batches/whole',
  headers: { 'X-Source': 'orders' },
  body: '[{"a":1}]',
};
const opening: Call = { method: 'POST', path: '/v1/batches', body: '{"source":"orders"}' };
const sending = (id: string, number: number | string = 0, body: Body = '[{"a":1}]'): Call => ({
  method: 'PUT',
  path: `/v1/batches/${id}/parts/${number}`,
  body,
});
const finishing = (id: string, parts = 1): Call => ({
  method: 'POST',
  path: `/v1/batches/${id}/finish`,
  body: JSON.stringify({ parts }),
});
const looking = (id: string, method = 'GET'): Call => ({ method, path: `/v1/batches/${id}` });

/** The last answer of calls about a batch that was opened. */
const withBatch =
  (
    calls: (id: string) => Call[],
    change: ConstructorParameters<typeof Service>[0] = {},
    more: Headers = {},
  ): Provoke =>
  async () => {
    const service = new Service({ rates: { take: unhurried }, ...change });
    const opened = (await (await send(service, opening, more)).json()) as { batch_id: string };
    let last: Response | null = null;
    for (const call of calls(opened.batch_id)) last = await send(service, call, more);
    return [last!];
  };

const windowing: Call = {
  method: 'PUT',
  path: '/v1/schema/orders/settings',
  body: '{"window":{"rows":1000,"ms":60000}}',
};
/** With what its rules find. */
const posting: Call = {
  method: 'POST',
  path: '/v1/screen',
  body: '{"source":"orders","rows":[{"a":1}],"options":{"rules":{"fields":{"a":{"maximum":0}}}}}',
};

/** The answers of a post to a source with a window, and of a call about that. */
const withWindow =
  (...calls: ((id: string) => Call)[]): Provoke =>
  async () => {
    const service = new Service();
    await send(service, windowing);
    const posted = await send(service, posting);
    const { window } = (await posted.clone().json()) as { window: { batch_id: string } };
    const answers = calls.map(call => send(service, call(window.batch_id)));
    return calls.length === 0 ? [posted] : Promise.all(answers);
  };

/** Of `screen` and of settings, for sources with a window. */
export const WINDOW_ANSWERS = {
  screened: withWindow(),
  settings: withWindow(() => ({ method: 'GET', path: windowing.path })),
  full: (async () => {
    const windowStore = { find: async () => null, open: async () => 'full' } as unknown as WindowStore;
    const service = new Service({ windowStore });
    await send(service, windowing);
    return [await send(service, posting)];
  }) as Provoke,
};

const conflict = async (call: Call, other: Body): Promise<Response> => {
  const service = new Service();
  const key = { 'Idempotency-Key': 'same' };
  await send(service, call, key);
  return send(service, call, key, other);
};

/** Of a body that comes as a batch or as a part of one. */
const ofBody = (said: (headers: Headers, body: Body, change?: object) => Provoke): Answers => ({
  INVALID_JSON: said({}, '[{"a":1},]'),
  INVALID_ROWS: said(csv, 'a\n"1\n'),
  INVALID_OPTIONS: said({}, '{"rows":[{"a":1}],"options":{"full_scan":true}}'),
  INVALID_ENCODING: said({ ...csv, 'Content-Encoding': 'gzip' }, 'a\n1\n'),
  REQUEST_TIMEOUT: async () => said({}, stalled(), QUICK)(),
  PAYLOAD_TOO_LARGE: said(csv, `a\n${'x'.repeat(2 * 1024 * 1024)}\n`),
  UNSUPPORTED_MEDIA_TYPE: said({ 'Content-Type': 'text/plain' }, 'a\n1\n'),
});

const exhausted = (call: (service: Service) => Promise<Response>) => async () => {
  const service = new Service();
  await service.count('owner', 499_999);
  return [await call(service)];
};

const fullOfBatches: Provoke = async () => {
  const service = new Service({ rates: { take: unhurried } });
  for (let open = 0; open < BOUNDS.batches; open++) await send(service, opening);
  return [await send(service, opening)];
};

/** Another request finishes every batch, and never ends. */
const BEING_FINISHED = {
  idempotency: {
    claim: async (_: string, __: string, { requestSha256 }: { requestSha256: string }) => ({
      requestSha256,
      answer: null,
    }),
    forgetUnfinished: async () => true,
    renew: async () => {},
    unclaim: async () => {},
  },
  sleep: async () => {},
};

export const BATCH_ANSWERS: Record<string, Answers> = {
  screenWhole: {
    200: async () => [
      ...(await once(whole)()),
      ...(await once(whole, csv, `a\n${'1\n'.repeat(6000)}${'x\n'.repeat(6000)}`)()),
    ],
    ...ofBody((headers, body, change = {}) => once(whole, headers, body, change)),
    MISSING_SOURCE: once({ ...whole, headers: {} }),
    INVALID_RULES: once(whole, { 'X-Options': '{"rules":{"fields":{"a":1}}}' }),
    INVALID_PARAMETER: once(whole, { ...csv, 'X-CSV-Delimiter': '::' }, 'a\n1\n'),
    IDEMPOTENCY_CONFLICT: async () => [await conflict(whole, '[{"a":2}]')],
    PLAN_LIMIT_EXCEEDED: exhausted(service =>
      send(service, whole, { 'X-API-Key': KEY }, '[{"a":1},{"a":2}]'),
    ),
  },
  openBatch: {
    201: once(opening),
    MISSING_SOURCE: once(opening, {}, '{}'),
    INVALID_OPTIONS: once(opening, {}, '{"source":"orders","options":{"full_scan":1}}'),
    INVALID_RULES: once(opening, {}, '{"source":"orders","options":{"rules":{"fields":{"a":1}}}}'),
    INVALID_PARAMETER: once(opening, { 'Idempotency-Key': 'a b' }),
    IDEMPOTENCY_CONFLICT: async () => [await conflict(opening, '{"source":"other"}')],
    BATCH_LIMIT: fullOfBatches,
    PAYLOAD_TOO_LARGE: once(opening, {}, `{"source":"${'x'.repeat(2 * 1024 * 1024)}"}`),
  },
  listBatches: {
    200: async () => [
      ...(await withBatch(() => [{ method: 'GET', path: '/v1/batches' }])()),
      ...(await withWindow(() => ({ method: 'GET', path: '/v1/batches' }))()),
    ],
  },
  findBatch: {
    200: async () => [
      ...(await withBatch(id => [sending(id), looking(id)])()),
      ...(await withBatch(id => [sending(id), finishing(id), looking(id)])()),
    ],
  },
  abortBatch: {
    200: withBatch(id => [looking(id, 'DELETE')]),
    BATCH_FINISHED: withBatch(id => [sending(id), finishing(id), looking(id, 'DELETE')]),
    BATCH_OF_WINDOW: withWindow(id => looking(id, 'DELETE')),
  },
  sendPart: {
    200: async () => {
      const service = new Service();
      const asked = '{"source":"orders","options":{"row_verdicts":true}}';
      const opened = (await (await send(service, opening, {}, asked)).json()) as { batch_id: string };
      const rows = `a,b\n${'1,2\n'.repeat(8)}x,3\n`;
      return [
        ...(await withBatch(id => [sending(id)])()),
        await send(service, { ...sending(opened.batch_id, 0, rows), headers: csv }),
      ];
    },
    ...ofBody((headers, body, change) => withBatch(id => [{ ...sending(id, 0, body), headers }], change)),
    NOT_FOUND: once(sending(NONE)),
    INVALID_PARAMETER: withBatch(id => [sending(id, 'x')]),
    BATCH_FINISHED: withBatch(id => [sending(id), finishing(id), sending(id, 1)]),
    BATCH_OF_WINDOW: withWindow(id => sending(id)),
    PART_CONFLICT: withBatch(id => [sending(id), sending(id, 0, '[{"a":2}]')]),
    BATCH_LIMIT: async () => {
      const service = new Service();
      const { batches } = service.deps;
      const id = 'bat_01M8F1838TJ38YN0ZJSMPKEAFZ';
      const state = { source: 'orders', options: null, begun: new Uint8Array(), status: 'open' } as const;
      const times = { createdAt: NOW, expiresAt: NOW + 1000, requestId: null, answer: null, window: null };
      await batches.open({ id, account: 'scaler', ...state, ...times }, null, BOUNDS);
      const left = { upload: 'u', state: new Uint8Array(), bytes: BOUNDS.bytes };
      await batches.addPart(id, { part: 0, rows: 1, sha256: '', answer: '', reasons: null }, left, BOUNDS);
      const opened = (await (await send(service, opening)).json()) as { batch_id: string };
      return [await send(service, sending(opened.batch_id))];
    },
  },
  finishBatch: {
    200: async () => [
      ...(await withBatch(id => [sending(id), finishing(id)])()),
      ...(await withBatch(id => [sending(id), finishing(id), finishing(id)])()),
    ],
    NOT_FOUND: once(finishing(NONE)),
    INVALID_ROWS: withBatch(id => [sending(id, 0, '[]'), finishing(id)]),
    IDEMPOTENCY_CONFLICT: withBatch(id => [sending(id), finishing(id)], BEING_FINISHED),
    BATCH_OF_WINDOW: withWindow(id => finishing(id)),
    PARTS_MISSING: withBatch(id => [sending(id, 2), finishing(id, 4)]),
    PART_CONFLICT: withBatch(id => [sending(id), sending(id, 1), finishing(id)]),
    PLAN_LIMIT_EXCEEDED: exhausted(async service => {
      const own = { 'X-API-Key': KEY };
      const { batch_id } = (await (await send(service, opening, own)).json()) as { batch_id: string };
      await send(service, sending(batch_id, 0, '[{"a":1},{"a":2}]'), own);
      return send(service, finishing(batch_id), own);
    }),
  },
};
