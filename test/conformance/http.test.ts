/** Runs every case of the pack over HTTP, in process, with the body whole and in pieces. */
import { describe, expect, test } from 'bun:test';
import { type Answer, NOW, Service } from '../http/service.ts';
import { type Case, casesOf, packFiles } from './pack.ts';

/** The clock advances with every read: thousands of requests at one instant would exceed any rate. */
let clock = NOW;
const service = new Service({ maxBodyBytes: 8 * 1024 * 1024, now: () => ++clock });

const PIECE_BYTES = 7;
/** Larger bodies arrive in larger pieces; `parser.test.ts` runs all cases in small ones. */
const MOST_PIECES = 4096;

for (const file of packFiles())
  describe(`POST /v1/screen on ${file}`, () => {
    for (const one of casesOf(file))
      test(one.id, async () => {
        expectAnswer(await post(one, one.bytes), one.expect);
        expectAnswer(await post(one, inPieces(one.bytes)), one.expect);
      });
  });

const post = (one: Case, body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>): Promise<Answer> =>
  service.post(body, { ...one.headers, 'Content-Type': one.contentType });

function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const length = Math.max(PIECE_BYTES, Math.ceil(bytes.length / MOST_PIECES));
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + length));
      at += length;
    },
  });
}

function expectAnswer({ status, body }: Answer, want: Case['expect']): void {
  expect(status).toBe(want.status);
  if (want.code) expect(want.code).toContain(body.code);
  if (status !== 200) return;
  expect(body.stats.rows_received).toBe(want.rows);
  if (want.source !== undefined) expect(body.stats.source).toBe(want.source);
  if (want.fields) expect(Object.keys(body.schema).sort()).toEqual([...want.fields].sort());
  if (want.ragged) expect(body.issues.ragged_rows.count).toBe(want.ragged);
  if (want.type) expectField(body.schema.v, { type: want.type, confidence: want.confidence! });
  if (!want.schema) return;
  expect(Object.keys(body.schema).sort()).toEqual(want.schema.map(([name]) => name).sort());
  for (const [name, field] of want.schema) expectField(body.schema[name], field);
}

function expectField(got: { type: string; confidence: number }, want: typeof got): void {
  expect(got.type).toBe(want.type);
  expect(Math.abs(got.confidence - want.confidence)).toBeLessThan(0.001);
}
