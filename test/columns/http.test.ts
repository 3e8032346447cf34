/** Columnar bodies over HTTP in process. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Dictionary, Float64, Int32, Utf8 } from 'apache-arrow';
import { get } from '../http/asking.ts';
import { MAX_BODY_BYTES, SCALE_KEY, Service } from '../http/service.ts';
import { arrowOf, jsonOf, type RandomTable } from './tables.ts';

const STREAM = { 'Content-Type': 'application/vnd.apache.arrow.stream', 'X-Source': 'orders' };
const FILE = { 'Content-Type': 'application/vnd.apache.arrow.file', 'X-Source': 'orders' };

const column = (type: RandomTable[string]['type'], cells: RandomTable[string]['cells']) => ({ type, cells });
const rows = (count: number): RandomTable => ({
  id: column(
    () => new Int32(),
    Array.from({ length: count }, (_, i) => i),
  ),
  amount: column(
    () => new Float64(),
    Array.from({ length: count }, (_, i) => (i % 7 === 0 ? null : i * 1.5)),
  ),
  status: column(
    () => new Utf8(),
    Array.from({ length: count }, (_, i) => ['new', 'paid', 'sent'][i % 3]!),
  ),
});

const bodyOf = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;

describe('POST /v1/screen with an Arrow body', () => {
  test('answers as for the same rows as JSON', async () => {
    const answers = [];
    for (const [bytes, headers] of [
      [jsonOf(rows(500)), { 'Content-Type': 'application/json' }],
      [arrowOf(rows(500)), STREAM],
      [arrowOf(rows(500), true), FILE],
      [arrowOf(rows(500), true), STREAM],
      [Bun.gzipSync(bodyOf(arrowOf(rows(500)))), { ...STREAM, 'Content-Encoding': 'gzip' }],
    ] as const) {
      const service = new Service();
      const { status, body } = await service.post(bodyOf(bytes), headers);
      expect(status).toBe(200);
      const { request_id: _, batch_id: __, latency_ms: ___, timestamp: ____, stats, ...rest } = body;
      answers.push({ ...rest, stats: { ...stats, source: 's', row_numbers: null } });
    }
    for (const answer of answers.slice(1)) expect(answer).toEqual(answers[0]!);
  });

  test('shows the declared types in the profile of the job', async () => {
    const service = new Service();
    const { body } = await service.post(bodyOf(arrowOf(rows(5))), STREAM);
    const job = (await get(service, `/v1/jobs/${body.request_id}`, SCALE_KEY)).body;
    expect(job.profile.fields.id.physical_type).toBe('int32');
    expect(job.profile.fields.status.physical_type).toBe('string');
  });

  test('takes 10,000 rows and refuses 10,001', async () => {
    const service = new Service();
    expect((await service.post(bodyOf(arrowOf(rows(10_000))), STREAM)).status).toBe(200);
    const { status, body } = await service.post(bodyOf(arrowOf(rows(10_001))), STREAM);
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(body.message).toBe(
      'Too large: a request may have at most 10,000 rows; send the rest in more batches',
    );
  });

  test('takes 2,000 columns and refuses 2,001', async () => {
    const service = new Service();
    const wide = (count: number) =>
      arrowOf(
        Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`c${i}`, column(() => new Int32(), [i])]),
        ),
      );
    expect((await service.post(bodyOf(wide(2000)), STREAM)).status).toBe(200);
    const { status, body } = await service.post(bodyOf(wide(2001)), STREAM);
    expect([status, body.message]).toEqual([413, 'Too large: a request may have at most 2,000 fields']);
  });

  test('takes texts of four times the bytes of a body, those of a dictionary in each row, and refuses more', async () => {
    const service = new Service();
    const repeated = (length: number) =>
      arrowOf({
        a: column(() => new Dictionary(new Utf8(), new Int32()), Array(10_000).fill('x'.repeat(length))),
      });
    const most = Math.floor((4 * MAX_BODY_BYTES) / 10_000);
    expect((await service.post(bodyOf(repeated(most)), STREAM)).status).toBe(200);
    const { status, body } = await service.post(bodyOf(repeated(most + 1)), STREAM);
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(body.message).toContain("up to those of the column 'a', take more bytes than a body may have");
  });

  test.each([
    ['bytes.parquet', /^The column 'a' has a page of [\d,]+ bytes; at most 1,048,576 are read: /],
    [
      'values.parquet',
      /^The column 'a.list.element' has a page of [\d,]+ values; at most 2,000,000 are read: /,
    ],
  ])('refuses %s before it is unpacked', async (name, reason) => {
    const bytes = await Bun.file(join(import.meta.dir, 'files', name)).bytes();
    const headers = { 'Content-Type': 'application/vnd.apache.parquet', 'X-Source': 'orders' };
    const { status, body } = await new Service().post(bodyOf(bytes), headers);
    expect([status, body.code]).toEqual([400, 'INVALID_ROWS']);
    expect(body.message).toMatch(reason);
  });

  test('refuses a stream of more than 100,000 messages', async () => {
    const none = arrowOf({ a: column(() => new Int32(), []) });
    const one = arrowOf({ a: column(() => new Int32(), [1]) });
    // The schema, then a record batch, then the end, each of its own length.
    const END = 8;
    const schema = none.subarray(0, 8 + new DataView(one.buffer, one.byteOffset).getUint32(4, true));
    const empty = none.subarray(schema.length, none.length - END);
    const messages = (count: number) =>
      Buffer.concat([schema, ...Array(count).fill(empty), one.subarray(schema.length)]);
    const service = new Service({ maxBodyBytes: 32 * MAX_BODY_BYTES });
    expect(empty.length).toBeGreaterThan(0);
    expect((await service.post(bodyOf(messages(1000)), STREAM)).status).toBe(200);
    const { status, body } = await service.post(bodyOf(messages(100_001)), STREAM);
    expect([status, body.message]).toEqual([400, expect.stringContaining('messages')]);
  });

  test('refuses a name of more than 1,024 bytes', async () => {
    const named = (length: number) => arrowOf({ ['n'.repeat(length)]: column(() => new Int32(), [1]) });
    const service = new Service();
    expect((await service.post(bodyOf(named(1024)), STREAM)).status).toBe(200);
    expect((await service.post(bodyOf(named(1025)), STREAM)).body.message).toContain(
      'that of column 1 is longer',
    );
  });

  test.each([
    ['no row', arrowOf(rows(0)), STREAM, 'The Arrow data has no rows: at least one is needed'],
    ['no column', arrowOf({}), STREAM, 'The Arrow schema has no columns: at least one is needed'],
    ['nothing', new Uint8Array(), STREAM, 'The Arrow stream has no schema'],
    [
      'half a file',
      arrowOf(rows(9), true).subarray(0, 400),
      FILE,
      'The Arrow file is cut: it does not end with its footer',
    ],
    [
      'JSON',
      jsonOf(rows(9)),
      STREAM,
      'The body is JSON, not an Arrow stream; send Content-Type: application/json, or if each line is one object, send Content-Type: application/x-ndjson',
    ],
    [
      'gzip data',
      Bun.gzipSync(bodyOf(arrowOf(rows(9)))),
      STREAM,
      'The body is gzip data, not an Arrow stream; send Content-Encoding: gzip',
    ],
  ])('refuses %s', async (_, bytes, headers, message) => {
    const { status, body } = await new Service().post(bodyOf(bytes), headers);
    expect([status, body.code, body.message]).toEqual([400, 'INVALID_ROWS', message]);
  });

  test('reads one that arrives byte by byte', async () => {
    const bytes = await Bun.file(join(import.meta.dir, 'files/all.arrows')).bytes();
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, ++at));
      },
    });
    expect((await new Service().post(body, STREAM)).status).toBe(200);
  });
});
