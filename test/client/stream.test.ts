import { afterAll, describe, expect, test } from 'bun:test';
import { Sluice } from '../../src/client/index.ts';
import { type ErrorCode, ERRORS } from '../../src/terms/errors.ts';
import { Listener } from '../../src/http/serve.ts';
import { TEMPORARY } from '../../src/stream/socket/frames.ts';
import { Random } from '../../bench/random.ts';
import { get } from '../http/asking.ts';
import { KEY, SCALE_KEY, Service } from '../http/service.ts';
import { eventually } from '../servers/process.ts';
import { CuttingProxy } from '../stream/cutting-proxy.ts';

const service = new Service();
const listener = new Listener(service.app, {
  port: 0,
  host: '127.0.0.1',
  bodyStallSeconds: 10,
});
const url = `http://127.0.0.1:${listener.server.port}`;
const newClient = (settings: object = {}) =>
  new Sluice({ url, key: SCALE_KEY, wait: () => Promise.resolve(), ...settings });

afterAll(() => Promise.race([listener.stop(), Bun.sleep(100)]));

function* rowsOf(count: number) {
  for (let i = 0; i < count; i++) yield { id: i, amount: i * 1.5 };
}

const windowsOf = async (verdicts: AsyncIterable<{ firstRow: number; lastRow: number }>) => {
  const windows: [number, number][] = [];
  for await (const { firstRow, lastRow } of verdicts) windows.push([firstRow, lastRow]);
  return windows;
};

test('a stream gives a report for each window, as its rows come', async () => {
  const client = newClient();
  const window = { rows: 100, ms: 3_600_000 };
  expect(await windowsOf(client.stream({ source: 'rows', rows: rowsOf(250), window }))).toEqual([
    [1, 100],
    [101, 200],
    [201, 250],
  ]);
  const csv = `id;note\n${Array.from({ length: 150 }, (_, i) => `${i};"a\n${i}"`).join('\r\n')}`;
  expect(await windowsOf(client.stream({ source: 'csv', csv, delimiter: ';', window }))).toEqual([
    [1, 100],
    [101, 150],
  ]);
  expect(await windowsOf(client.stream({ source: 'lines', ndjson: '{"a":1}\n\n{"a":2}', window }))).toEqual([
    [1, 2],
  ]);
});

test('rows that have no end get their reports while they come', async () => {
  async function* endless() {
    for (let i = 0; ; i++) yield { id: i };
  }
  let windows = 0;
  for await (const { lastRow } of newClient().stream({
    source: 'endless',
    rows: endless(),
    window: { rows: 50 },
  })) {
    expect(lastRow).toBe(50 * ++windows);
    if (windows === 10) break;
  }
});

test('cut at random, it goes on, and the server has judged each row once', async () => {
  const proxy = await CuttingProxy.start(listener.server.port);
  const random = new Random(5);
  const TOTAL = 6000;
  const seen: [number, number][] = [];
  const rows = rowsOf(TOTAL);
  for await (const { firstRow, lastRow } of newClient({ url: proxy.url }).stream({
    source: 'cut',
    rows,
    window: { rows: 100, ms: 3_600_000 },
  })) {
    seen.push([firstRow, lastRow]);
    if (random.unit() < 0.25) proxy.cut();
    // Another cut lands anywhere in what is on its way.
    if (random.unit() < 0.1) setTimeout(() => proxy.cut(), random.unit() * 20);
  }
  proxy.stop();
  expect(proxy.connections).toBeGreaterThan(5);
  expect(seen).toEqual(Array.from({ length: TOTAL / 100 }, (_, i) => [i * 100 + 1, i * 100 + 100]));
  const { jobs } = (await get(service, '/v1/jobs?limit=200&source=cut', SCALE_KEY)).body;
  expect(jobs.map((job: { rows_received: number }) => job.rows_received)).toEqual(
    Array(TOTAL / 100).fill(100),
  );
});

test('a refusal is an error of its class, and is not tried again', async () => {
  const first = (stream: AsyncIterable<object>) => windowsOf(stream as never);
  const bad = newClient().stream({ source: 'bad', ndjson: '{"a":1}\n{"a":\n' });
  await expect(first(bad)).rejects.toMatchObject({ name: 'InvalidInput', code: 'INVALID_JSON' });
  const stranger = newClient({ key: `${KEY.slice(0, -3)}xxx` }).stream({ source: 'a', rows: rowsOf(1) });
  await expect(first(stranger)).rejects.toMatchObject({ name: 'AuthError' });
  const away = newClient({ url: 'http://127.0.0.1:9', maxRetries: 2 }).stream({
    source: 'a',
    rows: rowsOf(1),
  });
  await expect(first(away)).rejects.toMatchObject({ name: 'Unavailable', code: 'UNREACHABLE' });
  const keyless = newClient({ key: undefined }).stream({ source: 'a', rows: rowsOf(1) });
  await expect(first(keyless)).rejects.toBeInstanceOf(TypeError);
});

test('an error of the input, or an abort, ends the stream with it', async () => {
  function* broken() {
    yield { id: 1 };
    throw new Error('the cursor is gone');
  }
  await expect(windowsOf(newClient().stream({ source: 'a', rows: broken() }))).rejects.toThrow(
    'the cursor is gone',
  );
  const controller = new AbortController();
  async function* slow() {
    yield { id: 1 };
    await new Promise(() => {});
  }
  const aborted = windowsOf(newClient().stream({ source: 'a', rows: slow() }, { signal: controller.signal }));
  setTimeout(() => controller.abort(new Error('enough')), 50);
  await expect(aborted).rejects.toThrow('enough');
});

/** A server that answers the n-th connection with these frames: verdicts after rows, the others after the end. `breaks`: and then breaks it. */
const scripted = (answers: { type: string }[][], breaks = true) => {
  let connections = 0;
  return class {
    binaryType = '';
    bufferedAmount = 0;
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: string }) => void) | null = null;
    onclose: ((event: object) => void) | null = null;
    onerror: (() => void) | null = null;
    #frames = answers[connections++] ?? [];

    constructor() {
      queueMicrotask(() => this.onopen?.());
    }

    send(data: string | Uint8Array) {
      const next = typeof data !== 'string' ? 'verdict' : data.includes('"open"') ? 'opened|error' : '';
      while (this.#frames.length > 0 && `${next}|`.includes(next && `${this.#frames[0]!.type}|`))
        this.onmessage?.({ data: JSON.stringify(this.#frames.shift()) });
      if (breaks && this.#frames.length === 0) this.onclose?.({ code: 1006 });
    }

    close() {}
  };
};

const openedAt = (next_row: number) => ({ type: 'opened', stream: 's', next_row });
const verdictOf = (window: number, first = window - 1, last = first) => ({
  type: 'verdict',
  window,
  first_row: first,
  last_row: last,
  report: {
    status: 'PASS',
    health_score: 1,
    decision: { reason: 'fine' },
    stats: { source: 'a', rows_received: last + 1 - first },
  },
});

const ofAnother = () => ({ ...verdictOf(1, 0, 2).report, stats: { source: 'b', rows_received: 3 } });

test('after a verdict, the next break is followed by the shortest pause again', async () => {
  const pauses: number[] = [];
  const client = newClient({
    webSocket: scripted([
      [openedAt(0), verdictOf(1)],
      [],
      [openedAt(1), verdictOf(2)],
      [openedAt(2), { type: 'closed' }],
    ]),
    wait: async (ms: number) => void pauses.push(ms),
  });
  await windowsOf(client.stream({ source: 'a', rows: rowsOf(2) }));
  // Of 250, 500 and again 250 ms at least the half.
  expect(pauses.map(ms => Math.ceil(Math.log2(ms / 125 + 1e-9)))).toEqual([1, 2, 1]);
});

test('it goes on after the errors that the server calls temporary, and after no others', async () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const error = { type: 'error', code, message: 'no' };
    const webSocket = scripted([[error], [openedAt(0), verdictOf(1), { type: 'closed' }]]);
    const verdicts = windowsOf(newClient({ webSocket }).stream({ source: 'a', rows: rowsOf(1) }));
    if (TEMPORARY.has(code)) expect(await verdicts).toEqual([[1, 1]]);
    else await expect(verdicts).rejects.toMatchObject({ code });
  }
});

test.each([
  ['closes before the last row has a verdict', [verdictOf(1, 0, 1)]],
  ['leaves a row out', [verdictOf(1, 1, 2)]],
  ['answers a window twice', [verdictOf(1, 0, 1), verdictOf(1, 0, 1), verdictOf(2, 2, 2)]],
  ['answers more rows than were sent', [verdictOf(1, 0, 3)]],
  ['sends a report without a verdict', [{ ...verdictOf(1, 0, 2), report: {} }]],
  ['sends the report on other rows', [{ ...verdictOf(1, 0, 2), report: verdictOf(1, 0, 1).report }]],
  ['sends the report of another source', [{ ...verdictOf(1, 0, 2), report: ofAnother() }]],
])('a server that %s is an error, so that no row passes unseen', async (_, verdicts) => {
  const webSocket = scripted([[openedAt(0), ...verdicts, { type: 'closed' }]]);
  const read = windowsOf(newClient({ webSocket }).stream({ source: 'a', rows: rowsOf(3) }));
  await expect(read).rejects.toMatchObject({
    code: 'UNEXPECTED_ANSWER',
    message: expect.stringMatching(/ rows? /),
  });
});

test.each([
  ['the open frame', []],
  ['rows', [openedAt(0)]],
])('a server that never answers %s is a connection that broke', async (_, frames) => {
  const webSocket = scripted([[...frames, { type: 'closed' }]], false);
  const client = newClient({ webSocket, timeoutMs: 10, maxRetries: 0 });
  async function* endless() {
    yield { id: 1 };
    await new Promise(() => {});
  }
  const read = windowsOf(client.stream({ source: 'a', rows: endless(), window: { ms: 10 } }));
  await expect(read).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: expect.stringContaining('127.0.0.1'),
  });
});

test('rows that come slowly are sent as they come', async () => {
  const judged = Promise.withResolvers<void>();
  async function* slow() {
    yield { id: 1 };
    yield { id: 2 };
    await judged.promise;
    yield { id: 3 };
  }
  let last = 0;
  for await (const { lastRow } of newClient().stream({ source: 'slow', rows: slow(), window: { ms: 10 } })) {
    judged.resolve();
    last = lastRow;
  }
  expect(last).toBe(3);
});

test('it keeps the rows of three windows, also where bytes end them', async () => {
  let made = 0;
  async function* wide() {
    for (; made < 200; made++) yield { text: 'x'.repeat(1000) };
  }
  for await (const { lastRow } of newClient().stream({
    source: 'wide',
    rows: wide(),
    window: { bytes: 2048 },
  }))
    expect(made - lastRow).toBeLessThan(10);
  expect(made).toBe(200);
});

test('where the platform has no WebSocket, as in Node 20, the error says where to give one', async () => {
  const { WebSocket } = globalThis;
  try {
    globalThis.WebSocket = undefined as never;
    await expect(windowsOf(newClient().stream({ source: 'a', rows: rowsOf(1) }))).rejects.toThrow(
      'new Sluice({ url, key, webSocket })',
    );
  } finally {
    globalThis.WebSocket = WebSocket;
  }
});

test('what is added to a signal is removed at the end, whatever has broken', async () => {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  const webSocket = scripted([
    [openedAt(0), verdictOf(1)],
    [],
    [],
    [openedAt(1), verdictOf(2), { type: 'closed' }],
  ]);
  await windowsOf(newClient({ webSocket }).stream({ source: 'a', rows: rowsOf(2) }, { signal }));
  expect(listeners.size).toBe(0);
});

describe('the input is closed', () => {
  const PIECES = {
    csv: 'id\n1\n2\n',
    ndjson: '{"id":1}\n{"id":2}\n',
  };

  /** An input without end that says whether it was closed. */
  function watched(of: keyof typeof PIECES | 'rows') {
    const state = { isClosed: false };
    async function* pieces() {
      try {
        for (;;) yield of === 'rows' ? { id: 1 } : PIECES[of];
      } finally {
        state.isClosed = true;
      }
    }
    return { state, input: { source: 'closes', [of]: pieces(), window: { rows: 10 } } as never };
  }

  test.each(['rows', 'csv', 'ndjson'] as const)('after the caller stops reading: %s', async of => {
    const { state, input } = watched(of);
    for await (const _ of newClient().stream(input)) break;
    await eventually(async () => expect(state.isClosed).toBe(true));
  });

  test('after a refusal, when only the header was read', async () => {
    const { state, input } = watched('csv');
    const stranger = newClient({ key: `${KEY.slice(0, -3)}xxx` });
    await expect(windowsOf(stranger.stream(input))).rejects.toMatchObject({ name: 'AuthError' });
    await eventually(async () => expect(state.isClosed).toBe(true));
  });
});
