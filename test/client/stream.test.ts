import { afterAll, expect, test } from 'bun:test';
import { Sluice } from '../../src/client/index.ts';
import { Listener } from '../../src/http/serve.ts';
import { Random } from '../../bench/random.ts';
import { get } from '../http/asking.ts';
import { KEY, SCALE_KEY, Service } from '../http/service.ts';
import { CuttingProxy } from '../stream/cutting-proxy.ts';

const service = new Service();
const listener = new Listener(service.app, {
  port: 0,
  host: '127.0.0.1',
  bodyStallSeconds: 10,
  isShared: false,
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
