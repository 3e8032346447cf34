/** The client with the service, in this process and over TCP with connections that break. */
import { describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { type Sluice, SluiceError } from '../../src/client/index.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { KEY, SCALE_KEY, Service } from '../http/service.ts';
import { FlakyProxy, serving } from './serving.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const rows = Array.from({ length: 60 }, (_, id) => ({ id, city: 'Wien', note: id % 2 ? null : 'a,"b"\nä' }));
const cell = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`);
const csvOf = (some: typeof rows, delimiter = ',') =>
  `id,city,note\n${some.map(({ id, city, note }) => `${id},${city},${cell(note)}`).join('\n')}\n`.replaceAll(
    /,(?=[^"]*(?:"[^"]*"[^"]*)*$)/g,
    delimiter,
  );
const ndjsonOf = (some: object[]) => some.map(row => `${JSON.stringify(row)}\n`).join('');

async function* each<Value>(values: Iterable<Value>): AsyncGenerator<Value> {
  yield* values;
}

/** Pieces of a Buffer; slice() of a Buffer does not copy. */
async function* sharing(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(100);
  for (let at = 0; at < bytes.length; at += memory.length)
    yield memory.subarray(0, bytes.copy(memory, 0, at, at + memory.length));
}

/** The error that a call rejects with. */
const failure = async (promise: Promise<unknown>): Promise<SluiceError> => {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SluiceError);
  return error as SluiceError;
};

describe('screen', () => {
  const csv = csvOf(rows);
  const source = 'Straße/ü';
  const gzipped = Bun.gzipSync(csv);
  const inputs = {
    'an array of rows': { rows },
    'an iterable of rows': { rows: new Set(rows) },
    'an async iterable of rows': { rows: each(rows) },
    'CSV as text': { csv },
    'CSV as bytes': { csv: encoder.encode(csv) },
    'CSV as the bytes in other views': { csv: new DataView(encoder.encode(csv).buffer) as never },
    'CSV as a buffer': { csv: encoder.encode(csv).buffer },
    'CSV as a file': { csv: new Blob([csv]) },
    'CSV as a stream': { csv: new Blob([csv]).stream() },
    'CSV as an async iterable of texts': { csv: each([...csv]) },
    'CSV in pieces that share one memory': { csv: sharing(Buffer.from(csv)) },
    'CSV with another delimiter': { csv: csvOf(rows, ';'), delimiter: ';' },
    'CSV in another encoding': { csv: Buffer.from(csv, 'utf16le'), charset: 'utf-16le' },
    'CSV that is compressed': { csv: gzipped, contentEncoding: 'gzip' },
    TSV: { tsv: csvOf(rows, '\t') },
    NDJSON: { ndjson: ndjsonOf(rows) },
    'a JSON array': { json: JSON.stringify(rows) },
    'a JSON array with a mark, as a stream': {
      json: new Blob(['\ufeff', JSON.stringify(rows, null, 1), '\n']).stream(),
    },
    'a request object': { json: JSON.stringify({ source: 'other', rows }) },
  } as const;

  test('CSV with another delimiter than it is said to have is refused, whole and in batches', async () => {
    const { client } = serving();
    const refused = expect.objectContaining({
      code: 'INVALID_ROWS',
      message: expect.stringContaining('send X-CSV-Delimiter: ; if that is the delimiter'),
    });
    const input = { source, csv: 'id;city\n1;Wien\n2;Graz\n' };
    await expect(client.screen(input)).rejects.toEqual(refused);
    await expect(Array.fromAsync(client.screenAll(input))).rejects.toEqual(refused);
    const { report } = await client.screen({ ...input, delimiter: ',' });
    expect(Object.keys(report.schema)).toEqual(['id;city']);
  });

  test.each(Object.entries(inputs))('%s', async (_, input) => {
    const { client, exchanges } = serving();
    const options = { full_scan: true };
    const { report, text, rowsRemaining, plan, replayed } = await client.screen({
      source,
      options,
      ...input,
    });
    expect(report.stats).toMatchObject({ source, rows_received: 60, sample_ratio: 1 });
    expect(Object.keys(report.schema)).toEqual(['id', 'city', 'note']);
    expect(JSON.parse(text)).toEqual(report);
    expect([plan, replayed, rowsRemaining]).toEqual(['scale', false, expect.any(Number)]);
    expect(exchanges).toHaveLength(1);
  });

  test('a character whose halves come in two pieces', async () => {
    const pieces = ['id,\ud83d', '\ude00\n1,2\n'];
    const { report } = await serving().client.screen({ source, csv: each(pieces) });
    expect(Object.keys(report.schema)).toEqual(['id', '😀']);
  });

  test.each([{ rows }, { csv }, { ndjson: new Blob([ndjsonOf(rows)]) }, { json: JSON.stringify(rows) }])(
    'compressed on the way',
    async input => {
      const { client, exchanges } = serving();
      const { report } = await client.screen({ source, ...input }, { compress: 'gzip' });
      expect(report.stats.rows_received).toBe(60);
      expect(exchanges[0]!.headers.get('content-encoding')).toBe('gzip');
      expect(exchanges[0]!.body.length).toBeLessThan(1000);
    },
  );

  test('the service rejects an empty request object, text after an array, and invalid JSON', async () => {
    const { client } = serving();
    const codes = ['{}', '[{"a":1}],"rows":[{}]', '[{"a":1}', 'x', ''].map(async json => {
      const { code, status } = await failure(client.screen({ source: 's', json }));
      return [code, status];
    });
    const json = ['INVALID_JSON', 400];
    expect(await Promise.all(codes)).toEqual([['INVALID_ROWS', 400], json, json, json, json]);
  });

  test('too much for one request is sent as a whole, and columns are an error before anything is sent', async () => {
    const { client, exchanges } = serving({ maxBodyBytes: 1000 });
    const many = Array.from({ length: 10_001 }, (_, id) => ({ id }));
    const wide = [{ text: 'x'.repeat(1000) }];
    const blob = new Blob([csv, csv]);
    const parquet = await Bun.file(join(import.meta.dir, '../columns/files/groups.parquet')).bytes();
    for (const [input, count] of [
      [{ rows: many }, 10_001],
      [{ rows: each(many) }, 10_001],
      [{ rows: wide }, 1],
      [{ rows: each(wide) }, 1],
      [{ csv: each([csv, csv]) }, 121],
      [{ csv: blob }, 121],
      [{ csv: csv + csv }, 121],
      [{ json: each([JSON.stringify(many)]) }, 10_001],
      [{ parquet }, 12_345],
      [{ parquet: each([parquet.slice(0, 900), parquet.slice(900)]) }, 12_345],
    ] as const) {
      const { report } = await client.screen({ source: 's', ...input });
      expect([report.stats.rows_received, report.stats.source]).toEqual([count, 's']);
    }
    expect(exchanges.splice(0).map(({ url }) => new URL(url).pathname)).toEqual(
      Array(10).fill('/v1/batches/whole'),
    );
  });

  test.each([
    ['a number', 5],
    ['undefined', undefined],
    ['what JSON cannot say', { b: 1n }],
    ['an array', [2]],
  ])('what is no row is named by its number: %s', async (_, odd) => {
    const { client, exchanges } = serving();
    const promise = client.screen({ source: 's', rows: [{ a: 1 }, odd as object] });
    expect(promise).rejects.toThrow(/^Row 2 /);
    await promise.catch(() => {});
    expect(exchanges).toEqual([]);
  });

  test.each([[[5]], [[{ a: 1 }]], [each([null])]])(
    'what is neither text nor bytes is no piece',
    async pieces => {
      const { client, exchanges } = serving();
      const promise = client.screen({ source: 's', csv: pieces as AsyncIterable<string> });
      expect(await promise.catch(error => error)).toBeInstanceOf(TypeError);
      expect(exchanges).toEqual([]);
    },
  );

  test('the same key gives the same answer, and counts rows once', async () => {
    const { client, service } = serving();
    const settings = { idempotencyKey: 'orders-7' };
    const first = await client.screen({ source: 's', rows }, settings);
    const again = await client.screen({ source: 's', rows }, settings);
    expect([first.replayed, again.replayed, again.report]).toEqual([false, true, first.report]);
    expect(await service.counted('scaler')).toBe(60);
    const other = await failure(client.screen({ source: 'other', rows }, settings));
    expect([other.code, other.status, other.retryAfterSeconds]).toEqual(['IDEMPOTENCY_CONFLICT', 409, null]);
  });
});

describe('screenAll', () => {
  const many = Array.from({ length: 20_007 }, (_, id) => ({ id, text: id % 5 ? `${id}` : `"${id}",\nä` }));
  const csv = `\ufeff"id","te\nxt"\r\n${many.map(({ id, text }) => `${id},${cell(text)}`).join('\r\n')}`;
  const latin = Buffer.from(`id,größe\n${many.map(({ id }) => `${id},ü`).join('\n')}`, 'latin1');
  const inputs = {
    'an array': { rows: many },
    'an async iterable': { rows: each(many) },
    'a CSV file': { csv: new Blob([csv]) },
    'a CSV stream that is compressed': {
      csv: new Blob([Bun.gzipSync(csv)]).stream(),
      contentEncoding: 'gzip',
    },
    'CSV in another encoding': { csv: latin, charset: 'windows-1252' },
    'an NDJSON stream': { ndjson: new Blob([ndjsonOf(many)]).stream() },
  } as const;

  test.each(Object.entries(inputs))('%s is screened in batches of 10,000 rows', async (name, input) => {
    const { client, exchanges, service } = serving();
    const parts = await Array.fromAsync(client.screenAll({ source: 'big', ...input }));
    expect(parts.map(({ batch, firstRow, lastRow, last }) => [batch, firstRow, lastRow, last])).toEqual([
      [1, 1, 10_000, false],
      [2, 10_001, 20_000, false],
      [3, 20_001, 20_007, true],
    ]);
    expect(parts.map(({ report }) => report.stats.rows_received)).toEqual([10_000, 10_000, 7]);
    const fields =
      name === 'CSV in another encoding'
        ? ['größe', 'id']
        : name.includes('CSV')
          ? ['id', 'te\nxt']
          : ['id', 'text'];
    for (const { report } of parts) expect(Object.keys(report.schema).sort()).toEqual(fields);
    expect(await service.counted('scaler')).toBe(20_007);
    const keys = exchanges.map(({ headers }) => headers.get('idempotency-key')!);
    expect(new Set(keys).size).toBe(3);
    // Row counts of chunks are neither judged nor recorded.
    for (const { headers, body } of exchanges) {
      const options = headers.get('x-options') ?? JSON.stringify(JSON.parse(decoder.decode(body)).options);
      expect(options).toMatch(/"batch_index":\d,"total_batches":[23]/);
    }
  });

  test('sends all rows unchanged', async () => {
    const { client, exchanges } = serving({ maxBodyBytes: 20_000 });
    const some = many.slice(0, 3000);
    const parts = await Array.fromAsync(client.screenAll({ source: 'big', rows: some }));
    const bodies = exchanges.map(({ body }) => JSON.parse(decoder.decode(body)) as { rows: object[] });
    expect(bodies.flatMap(body => body.rows)).toEqual(some);
    expect(Math.max(...exchanges.map(({ body }) => body.length))).toBeLessThanOrEqual(20_000);
    expect(parts.at(-1)).toMatchObject({ batch: exchanges.length, lastRow: 3000, last: true });
  });

  test.each([
    [10_000, [10_000]],
    [10_001, [10_000, 1]],
  ])('%i rows', async (count, sizes) => {
    for (const input of [
      { rows: many.slice(0, count) },
      {
        csv: `id\r\n${many
          .slice(0, count)
          .map(({ id }) => id)
          .join('\r\n')}`,
      },
      { ndjson: ndjsonOf(many.slice(0, count)).trimEnd() },
    ]) {
      const parts = await Array.fromAsync(serving().client.screenAll({ source: 's', ...input }));
      expect(parts.map(({ report }) => report.stats.rows_received)).toEqual(sizes);
      expect(parts.at(-1)).toMatchObject({ lastRow: count, last: true });
    }
  });

  test('a single batch has no options about chunks', async () => {
    const { client, exchanges } = serving();
    const parts = await Array.fromAsync(client.screenAll({ source: 's', csv: csvOf(rows) }));
    expect(parts).toMatchObject([{ batch: 1, firstRow: 1, lastRow: 60, last: true }]);
    expect(exchanges[0]!.headers.get('x-options')).toBe('{"mode":"auto"}');
  });

  test.each([
    ['no rows', { rows: [] }],
    ['no CSV', { csv: '' }],
    ['a header alone', { csv: 'a,b\n' }],
    ['blank lines', { ndjson: '\n \n' }],
  ])('nothing is no PASS: %s', async (_, input) => {
    const all = Array.fromAsync(serving().client.screenAll({ source: 's', ...input }));
    expect((await failure(all)).code).toBe('INVALID_ROWS');
  });

  test('a batch that is too large for the server is sent in halves, and a repeated call gets the same answers', async () => {
    const wide = Array.from({ length: 900 }, (_, row) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, row * i])),
    );
    const { client, exchanges, service } = serving({}, new Service({ maxBodyBytes: 64 * 1024 }));
    const send = () =>
      Array.fromAsync(client.screenAll({ source: 'wide', rows: wide }, { idempotencyKey: 'load-7' }));
    const first = await send();
    expect(exchanges.map(({ status }) => status)).toContain(413);
    expect(first.length).toBeGreaterThan(1);
    expect(first.map(({ firstRow }) => firstRow)).toEqual([
      1,
      ...first.slice(0, -1).map(({ lastRow }) => lastRow + 1),
    ]);
    expect([first.at(-1)!.lastRow, first.map(({ last }) => last).indexOf(true)]).toEqual([
      900,
      first.length - 1,
    ]);
    const again = await send();
    expect(again).toEqual(first.map(part => ({ ...part, replayed: true })));
    expect(await service.counted('scaler')).toBe(900);
  });

  test('a batch that is too large for a proxy is sent in halves too', async () => {
    const { service, client: direct } = serving();
    const { client } = serving({
      fetch: (url, init) =>
        (init.body as Uint8Array).length > 500
          ? Promise.resolve(new Response('<h1>Request Entity Too Large</h1>', { status: 413 }))
          : (service.app.handle(new Request(url, init)) as Promise<Response>),
    });
    const parts = await Array.fromAsync(client.screenAll({ source: 's', rows }));
    expect([parts.length > 1, parts.at(-1)!.lastRow, await service.counted('scaler')]).toEqual([
      true,
      60,
      60,
    ]);
    expect((await direct.listJobs()).jobs).toHaveLength(parts.length);
  });

  test('an error names its rows; the rows before it were screened', async () => {
    const { client } = serving();
    const bad = `${'{"a":1}\n'.repeat(10_000)}{"a":}\n`;
    const parts: number[] = [];
    const error = await failure(
      (async () => {
        for await (const { lastRow } of client.screenAll({ source: 's', ndjson: bad })) parts.push(lastRow);
      })(),
    );
    expect([parts, error.place, error.code]).toEqual([
      [10_000],
      { firstRow: 10_001, lastRow: 10_001 },
      'INVALID_JSON',
    ]);
    expect(error.requestId).toMatch(/^req_/);
  });

  test('stops sending and cancels the stream when the reader stops', async () => {
    const { client, exchanges } = serving();
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(encoder.encode('{"a":1}\n'.repeat(6000))),
      cancel() {
        cancelled = true;
      },
    });
    for await (const { last } of client.screenAll({ source: 's', ndjson: stream })) {
      expect(last).toBe(false);
      break;
    }
    expect([cancelled, exchanges.length]).toEqual([true, 1]);
  });
});

/** The smallest valid report. */
const VERDICT = {
  status: 'PASS',
  health_score: 1,
  decision: { action: 'PASS', reason: 'fine' },
  stats: { source: 's', rows_received: 60 },
};

describe('an abort while the input is read', () => {
  const reason = new Error('enough');
  /** A piece, and then nothing, not even an end. */
  const stalling = (piece: Uint8Array<ArrayBuffer>, onCancel: () => void) =>
    new ReadableStream<Uint8Array>({
      start: controller => controller.enqueue(piece),
      pull: () => new Promise(() => {}),
      cancel: onCancel,
    });
  async function* blankLines() {
    for (;;) yield await new Promise<string>(resolve => setImmediate(resolve, '\n'));
  }
  async function* stallingRows() {
    yield { a: 1 };
    await new Promise(() => {});
  }
  const abortSoon = () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 5);
    return controller.signal;
  };

  test.each([
    ['a stream', undefined],
    ['a compressed stream', 'gzip'],
  ] as const)('calls %s off', async (_, contentEncoding) => {
    const { client, exchanges } = serving();
    const csv = encoder.encode('a\n1\n');
    const piece = contentEncoding ? Bun.gzipSync(csv).slice(0, 15) : csv;
    let cancelled = 0;
    const input = () => ({ source: 's', csv: stalling(piece, () => cancelled++), contentEncoding });
    expect(await client.screen(input(), { signal: abortSoon() }).catch(e => e)).toBe(reason);
    const all = client.screenAll(input(), { signal: abortSoon() });
    expect(await all.next().catch(e => e)).toBe(reason);
    expect([cancelled, exchanges.length]).toEqual([2, 0]);
  });

  test('does not wait for the next row', async () => {
    const { client } = serving();
    const input = () => ({ source: 's', rows: stallingRows() });
    expect(await client.screen(input(), { signal: abortSoon() }).catch(e => e)).toBe(reason);
    const all = client.screenAll(input(), { signal: abortSoon() });
    expect(await all.next().catch(e => e)).toBe(reason);
  });

  test('ends an input that never fills a batch', async () => {
    const all = serving().client.screenAll({ source: 's', ndjson: blankLines() }, { signal: abortSoon() });
    expect(await all.next().catch(e => e)).toBe(reason);
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const listening = spyOn(signal, 'addEventListener');
    const leaving = spyOn(signal, 'removeEventListener');
    await serving().client.screen({ source: 's', csv: each(['a\n', '1\n']) }, { signal });
    await serving().client.screen({ source: 's', rows: each(rows) }, { signal });
    expect(listening.mock.calls.length).toBeGreaterThan(rows.length);
    expect(leaving.mock.calls).toEqual(listening.mock.calls);
  });
});

describe('retries', () => {
  const answering = (...answers: (Response | Error)[]) => {
    let sent = 0;
    const made = serving({
      fetch: async () => {
        const answer = answers[Math.min(sent++, answers.length - 1)]!;
        if (answer instanceof Error) throw answer;
        return answer.clone() as Response;
      },
    });
    return { ...made, sent: () => sent };
  };
  const refusal = (status: number, code: string, retryAfter?: string) =>
    Response.json(
      { code, message: code },
      { status, headers: retryAfter ? { 'Retry-After': retryAfter } : {} },
    );
  const ok = Response.json(VERDICT);
  const afterTurns = async (aborted: () => boolean) => {
    await Bun.sleep(20);
    return Response.json({ ...VERDICT, aborted: aborted() });
  };
  const batch = { source: 's', rows };

  test.each([
    ['a connection that broke', new TypeError('fetch failed')],
    ['503', refusal(503, 'SERVICE_UNAVAILABLE', '1')],
    ['429 RATE_LIMITED', refusal(429, 'RATE_LIMITED', '1')],
    ['409 while the first one runs', refusal(409, 'IDEMPOTENCY_CONFLICT', '1')],
    ['408', refusal(408, 'REQUEST_TIMEOUT')],
    ['500', refusal(500, 'INTERNAL')],
    ['502 of a proxy', new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ])('%s', async (_, answer) => {
    const { client, sent, pauses } = answering(answer, answer, ok);
    expect((await client.screen(batch)).report.status).toBe('PASS');
    expect([sent(), pauses.length]).toEqual([3, 2]);
  });

  test.each([
    ['429 PLAN_LIMIT_EXCEEDED', refusal(429, 'PLAN_LIMIT_EXCEEDED', '1')],
    ['409 with a key of another request', refusal(409, 'IDEMPOTENCY_CONFLICT')],
    ['503 where nothing is sold', refusal(503, 'BILLING_NOT_CONFIGURED', '1')],
    ['a Retry-After that is too long', refusal(429, 'RATE_LIMITED', '61')],
    ['401', refusal(401, 'AUTH_INVALID')],
    ['400', refusal(400, 'INVALID_ROWS')],
    ['a page with status 200', new Response('<h1>Hello</h1>')],
    [
      'a redirect, which might give the key away',
      new Response(null, { status: 307, headers: { Location: 'http://x/' } }),
    ],
  ])('not %s', async (_, answer) => {
    const { client, sent, pauses } = answering(answer, ok);
    await failure(client.screen(batch));
    expect([sent(), pauses]).toEqual([1, []]);
  });

  test('wait for Retry-After, in seconds or as a date; otherwise pauses double', async () => {
    const seconds = answering(refusal(503, 'SERVICE_UNAVAILABLE', '7'), ok);
    await seconds.client.screen(batch);
    expect(seconds.pauses[0]).toBeWithin(7000, 7251);
    const date = answering(refusal(429, 'RATE_LIMITED', new Date(Date.now() + 20_000).toUTCString()), ok);
    await date.client.screen(batch);
    expect(date.pauses[0]).toBeWithin(10_000, 20_251);
    const broken = answering(new TypeError('fetch failed'));
    await failure(broken.client.screen(batch));
    expect(broken.pauses).toHaveLength(5);
    for (const [i, pause] of broken.pauses.entries())
      expect(pause).toBeWithin(125 * 2 ** i, 250 * 2 ** i + 1);
  });

  test('repeat a write only if it surely was not carried out', async () => {
    const unsure = answering(new TypeError('fetch failed'), ok);
    expect((await failure(unsure.client.createKey())).code).toBe('UNREACHABLE');
    const limited = answering(refusal(429, 'RATE_LIMITED', '1'), ok);
    await limited.client.createKey();
    const reading = answering(new TypeError('fetch failed'), ok);
    await reading.client.listKeys();
    expect([unsure.sent(), limited.sent(), reading.sent()]).toEqual([1, 2, 2]);
  });

  test('send the same bytes and the same key', async () => {
    let refused = 0;
    const service = new Service();
    const made = serving({}, service);
    const flaky = serving({
      fetch: async (url, init) => {
        const request = new Request(url, init);
        made.exchanges.push({
          method: 'POST',
          url,
          headers: request.headers,
          body: (await request.clone().bytes()) as never,
          status: 0,
        });
        return refused++ < 2 ? refusal(503, 'SERVICE_UNAVAILABLE', '1') : service.app.handle(request);
      },
    });
    await flaky.client.screen({ source: 's', csv: new Blob([csvOf(rows)]).stream() });
    const [first, second, third] = made.exchanges.map(({ headers, body }) => [
      headers.get('idempotency-key'),
      decoder.decode(body),
    ]);
    expect([second, third]).toEqual([first!, first!]);
    expect(first![0]).toMatch(/^[0-9a-f]{32}$/);
  });

  test('end with the reason of an abort: before, during a try, during a pause', async () => {
    const reason = new Error('enough');
    const { client, sent } = answering(ok);
    expect(client.screen(batch, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const hanging = serving({
      fetch: (_, { signal }) =>
        new Promise((_, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason));
          controller.abort(reason);
        }),
    });
    expect(hanging.client.screen(batch, { signal: controller.signal })).rejects.toBe(reason);
    const pausing = new AbortController();
    const refusing = serving({
      fetch: async () => {
        queueMicrotask(() => pausing.abort(reason));
        return refusal(503, 'SERVICE_UNAVAILABLE', '29');
      },
      wait: undefined,
    });
    expect(refusing.client.screen(batch, { signal: pausing.signal })).rejects.toBe(reason);
    await refusing.client.screen(batch, { signal: pausing.signal }).catch(() => {});
    expect(sent()).toBe(0);
  });

  test.each([[null], [[]], ['PASS'], [{}], [{ status: 'ok' }], [{ status: ['PASS'] }]])(
    'what has no verdict is no answer: %j',
    async answer => {
      const { client } = answering(Response.json(answer));
      expect(await failure(client.screen(batch))).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 200 });
    },
  );

  test('an endless answer does not fill the memory', async () => {
    const endless = () => {
      const body = new ReadableStream({ pull: stream => stream.enqueue(new Uint8Array(8 * 1024 * 1024)) });
      return Promise.resolve(new Response(body));
    };
    const { code, message } = await failure(serving({ fetch: endless }).client.screen(batch));
    expect([code, message]).toEqual(['UNEXPECTED_ANSWER', expect.stringContaining('67108864 bytes')]);
  });

  test('accept times that are too long for a timer', async () => {
    const forever = { timeoutMs: Number.POSITIVE_INFINITY, maxPauseMs: Number.POSITIVE_INFINITY };
    const patient = serving({ ...forever, fetch: (_, { signal }) => afterTurns(() => signal!.aborted) });
    expect((await patient.client.screen(batch)).report).toMatchObject({ aborted: false });
    const controller = new AbortController();
    let sent = 0;
    const { client } = serving({
      ...forever,
      wait: undefined,
      fetch: async () => {
        sent++;
        setTimeout(() => controller.abort(), 20);
        return refusal(429, 'RATE_LIMITED', '9'.repeat(10));
      },
    });
    await client.screen(batch, { signal: controller.signal }).catch(() => {});
    expect(sent).toBe(1);
  });

  test('give UNREACHABLE without an answer in time', async () => {
    const { client } = serving({
      timeoutMs: 5,
      maxRetries: 1,
      fetch: (_, { signal }) =>
        new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason))),
    });
    const { code, message } = await failure(client.screen(batch));
    expect([code, message]).toEqual([
      'UNREACHABLE',
      'http://localhost does not answer: no answer within 0.005 s',
    ]);
  });
});

describe('with connections that break', () => {
  test.each(['before', 'after'] as const)(
    '%s the server has answered, a batch is one job and counts once',
    async when => {
      const service = new Service();
      const server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: request => service.app.handle(request),
      });
      using proxy = await FlakyProxy.to(server.port!, connection => (connection <= 2 ? when : null));
      const { client, pauses } = serving({ url: proxy.url, fetch: undefined }, service);
      const { report, replayed } = await client.screen({ source: 'flaky', rows });
      expect([proxy.connections, pauses.length]).toEqual([3, 2]);
      const { jobs } = await client.listJobs({ source: 'flaky' });
      expect(jobs.map(({ id }) => id)).toEqual([report.request_id]);
      expect([replayed, await service.counted('scaler')]).toEqual([when === 'after', 60]);
      await server.stop(true);
    },
  );
});

describe('the other operations', () => {
  test('jobs, statistics, baselines', async () => {
    const { client } = serving();
    const source = 'a/b ü?';
    const { report } = await client.screen({ source, rows });
    await client.screen({ source: 'other', rows });
    const { jobs } = await client.listJobs({ source, limit: 5 });
    expect(jobs).toMatchObject([{ id: report.request_id, rows_received: 60 }]);
    const job = await client.findJob(report.request_id);
    expect([job.report, Object.keys(job.profile.fields)]).toEqual([report, ['id', 'city', 'note']]);
    expect((await client.statistics({ days: 7 })).totalRows).toBe(120);
    expect((await client.sourceHistory(source, { limit: 1 })).batches).toMatchObject([
      { job_id: report.request_id },
    ]);
    const page = await client.listBaselines({ limit: 1 });
    const next = await client.listBaselines({ limit: 1, after: page.next });
    expect([...page.sources, ...next.sources].map(each => each.source).sort()).toEqual([source, 'other']);
    expect((await client.describeBaseline(source)).fields.city!.type).toBe('string');
    expect((await client.resetBaseline(source)).reset).toBe(source);
    expect((await failure(client.describeBaseline(source))).code).toBe('NOT_FOUND');
    expect((await client.listBaselines()).sources).toHaveLength(1);
    expect((await client.resetAllBaselines()).reset).toBe('all');
    expect((await client.listBaselines()).sources).toEqual([]);
  });

  test('settings, feedback and versions', async () => {
    const { client } = serving();
    const usual = (await client.screen({ source: 'taught', rows })).report;
    const changed = rows.map(row => ({ ...row, id: `no ${row.id}` }));
    const refused = (await client.screen({ source: 'taught', rows: changed })).report;
    expect(refused.status).toBe('BLOCK');
    expect((await client.acceptBatch('taught', refused.request_id)).changed).toBe(true);
    const passed = (await client.screen({ source: 'taught', rows: changed })).report;
    expect([passed.status, passed.decision]).toEqual([usual.status, usual.decision]);
    expect((await client.giveFeedback('taught', passed.request_id, 'bad')).changed).toBe(true);
    const { versions } = await client.listVersions('taught');
    expect(versions.map(({ reason }) => reason)).toEqual(['before_feedback', 'before_accept']);
    expect(await client.rollBack('taught', versions[1]!.version)).toMatchObject({ ok: true, batches: 1 });
    expect((await client.pinBaseline('taught', true)).pinned).toBe(true);
    await client.putSettings('taught', { mode: 'adaptive', false_alarm_rate: 0.05 });
    expect(await client.getSettings('taught')).toMatchObject({ mode: 'adaptive', thresholds: null });
  });

  test('settings, changed only from the version that they have', async () => {
    const { client } = serving();
    const [first, second] = [{ mode: 'adaptive' }, { mode: 'contract' }] as const;
    expect((await client.putSettings('set', first, { ifVersion: 0 })).version).toBe(1);
    expect((await failure(client.putSettings('set', second, { ifVersion: 0 }))).code).toBe(
      'VERSION_CONFLICT',
    );
    expect((await client.putSettings('set', second)).version).toBe(2);
    expect(await client.getSettings('set')).toMatchObject({ mode: 'contract', version: 2 });
  });

  test('rules, changed only from the version that they have', async () => {
    const { client } = serving();
    const [first, second] = [{ rows: { min: 1 } }, { rows: { min: 2 } }];
    expect((await client.putRules('ruled', first, { ifVersion: 0 })).version).toBe(1);
    expect((await failure(client.putRules('ruled', second, { ifVersion: 0 }))).code).toBe('VERSION_CONFLICT');
    expect((await failure(client.deleteRules('ruled', { ifVersion: 2 }))).code).toBe('VERSION_CONFLICT');
    expect((await client.putRules('ruled', second)).version).toBe(2);
    expect((await client.getRules('ruled')).rules).toEqual(second);
    expect((await client.deleteRules('ruled', { ifVersion: 2 })).ok).toBe(true);
  });

  test('alert channels', async () => {
    const { client } = serving();
    const { secret, ...made } = await client.createAlertChannel({ type: 'webhook', url: 'https://a.test/' });
    expect(secret).toStartWith('whsec_');
    expect(await client.findAlertChannel(made.id)).toEqual(made);
    expect((await client.changeAlertChannel(made.id, { on: 'block' })).on).toBe('block');
    await client.deleteAlertChannel(made.id);
    expect((await failure(client.findAlertChannel(made.id))).code).toBe('NOT_FOUND');
  });

  test('keys, plan, health', async () => {
    const { client, service } = serving();
    const made = await client.createKey({ name: 'nightly' });
    const other = serving({ key: made.key }, service).client;
    expect((await other.listKeys()).keys.map(({ name }) => name)).toContain('nightly');
    expect((await failure(other.deleteKey(made.id))).code).toBe('KEY_IN_USE');
    expect((await client.deleteKey(made.id)).id).toBe(made.id);
    expect(await failure(other.listKeys())).toMatchObject({ code: 'AUTH_INVALID', status: 401 });
    expect((await client.showBilling()).plan).toBe('scale');
    for (const call of [client.startCheckout('growth'), client.openPortal()])
      expect((await failure(call)).code).toBe('BILLING_NOT_CONFIGURED');
    const nobody = serving({ key: undefined }).client;
    expect([(await nobody.health()).version, (await nobody.ready()).status]).toEqual(['1.0.0', 'ready']);
  });

  test('sign-in and sign-out', async () => {
    const { client, service } = serving({ key: undefined });
    await client.sendCode('ann@corp.com');
    await service.deps.signIn.sent();
    const { token } = await client.openSession('ann@corp.com', service.mailed.get('ann@corp.com')![0]!);
    const ann = serving({ key: undefined, token }, service).client;
    expect((await ann.screen({ source: 's', rows })).plan).toBe('developer');
    expect(await ann.endSession()).toEqual({ ok: true });
    expect((await failure(ann.listJobs())).code).toBe('AUTH_INVALID');
  });

  test('errors', async () => {
    const { client } = serving({ key: KEY });
    const { service, client: poor } = serving({ key: KEY });
    await service.count('owner', 499_990);
    const error = await failure(poor.screen({ source: 's', rows }));
    expect(error).toMatchObject({
      name: 'PlanLimitExceeded',
      code: 'PLAN_LIMIT_EXCEEDED',
      status: 429,
      details: {},
    });
    // Nobody should sleep until the next month.
    expect(error.retryAfterSeconds).toBeNull();
    expect(JSON.stringify(error) + String(error)).not.toContain(KEY);
    const invalid = await failure(
      client.screen({ source: 's', rows, options: { thresholds: { health_warn: 2 } } }),
    );
    expect([invalid.code, invalid.message]).toEqual([
      'INVALID_OPTIONS',
      expect.stringContaining('health_warn'),
    ]);
    const check = () => Promise.reject(new Rejection('SERVICE_UNAVAILABLE', 'gone'));
    const away = serving({}, new Service({ dependencies: [{ name: 'redis', check }] }));
    const notReady = await failure(away.client.ready());
    expect([notReady.code, notReady.details, away.pauses]).toEqual([
      'SERVICE_UNAVAILABLE',
      { missing: ['redis'] },
      [],
    ]);
  });
});

test.each(['', 'localhost:8080', 'ftp://localhost', '/v1'])('%p is an invalid address', url => {
  expect(() => serving({ url })).toThrow(TypeError);
});

test('an address may have a path, and end with /v1/', async () => {
  for (const url of ['http://localhost/sluice', 'http://localhost/sluice/', 'http://localhost/sluice/v1/']) {
    const { client, exchanges } = serving({ url });
    await failure(client.health());
    expect(exchanges.map(each => each.url)).toEqual(['http://localhost/sluice/v1/health']);
  }
  expect(SCALE_KEY).toStartWith('sluice_live_');
});

describe('arguments that no request can carry are named before anything is sent', () => {
  const refused = async (call: (client: Sluice) => Promise<unknown>) => {
    const { client, exchanges, pauses } = serving();
    const error = await call(client).then(String, (reason: Error) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect([exchanges, pauses]).toEqual([[], []]);
    return (error as Error).message;
  };

  test.each([
    ['X-API-Key', { key: 'sluice_live_secret\nvalue' }],
    ['X-API-Key', { key: 'sluice_live_secret…value' }],
    ['Authorization', { token: 'secret\0value' }],
  ])('credentials, and never their value: %s', (name, settings) => {
    let error: unknown;
    try {
      serving(settings);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(name);
    expect((error as Error).message).not.toMatch(/secret|value$/);
  });

  test('an idempotency key', async () => {
    const screen = (idempotencyKey: string) => (client: Sluice) =>
      client.screen({ source: 's', rows }, { idempotencyKey });
    expect(await refused(screen('Größe…'))).toContain('Idempotency-Key');
    expect(await refused(screen(''))).toContain('idempotencyKey');
    const all = (client: Sluice) => client.screenAll({ source: 's', rows }, { idempotencyKey: '' }).next();
    expect(await refused(all)).toContain('idempotencyKey');
  });

  test.each(['', '.', '..', undefined as never])('an address: %p', async name => {
    for (const call of [
      'findJob',
      'deleteKey',
      'describeBaseline',
      'resetBaseline',
      'sourceHistory',
    ] as const)
      expect(await refused(client => client[call](name))).toContain('address');
  });

  test('a missing source, and a missing input', async () => {
    for (const input of [{ rows }, { csv: 'a\n1\n' }, { ndjson: '{}' }] as const) {
      const nameless = { source: undefined as never, ...input };
      expect(await refused(client => client.screen(nameless))).toContain('source');
      expect(await refused(client => client.screenAll(nameless).next())).toContain('source');
    }
    for (const input of [{}, { csv: undefined }, { ndjson: null }, { tsv: 5 }]) {
      const empty = { source: 's', ...input } as never;
      expect(await refused(client => client.screen(empty))).toContain('rows, csv, tsv, ndjson');
      expect(await refused(client => client.screenAll(empty).next())).toContain('rows, csv, tsv');
    }
  });

  test('an input that cannot be divided', async () => {
    for (const [name, input] of Object.entries({ json: '[{"a":1}]', arrow: 'x', parquet: 'x' })) {
      const whole = { source: 's', [name]: input } as never;
      const said = `screenAll, gateAll and stream take rows, csv, tsv or ndjson: send ${name} with screen or gate`;
      for (const call of ['screenAll', 'gateAll'] as const)
        expect(await refused(client => client[call](whole).next())).toBe(said);
    }
    expect(await refused(client => client.screenAll({ source: 's' } as never).next())).toBe(
      'There is nothing to screen: give rows, csv, tsv or ndjson',
    );
  });

  test.each(['br', 'zstd'] as const)('%s, which cannot be divided', async contentEncoding => {
    const input = { source: 's', csv: 'a\n1\n', contentEncoding };
    expect(await refused(client => client.screenAll(input).next())).toBe(
      `screenAll, gateAll and stream read gzip and deflate, not ${contentEncoding}: decompress it first, or send it with screen or gate`,
    );
  });
});
