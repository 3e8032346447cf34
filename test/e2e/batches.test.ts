/** Batches of any length, in the real program: what docs/batches.md shows, a kill between two parts, and memory that does not grow with the body. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Folder } from '../cli/sluice.ts';
import { blocksIn } from '../docs/blocks.ts';
import { MIB, peakBytesOf } from './most-memory.ts';
import { KEY, newFolder, Server } from './server.ts';

const PAGE = join(import.meta.dir, '../../docs/batches.md');
const CSV = { 'X-API-Key': KEY, 'Content-Type': 'text/csv' };
const JSON_TYPE = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };

const lines = (from: number, to: number): string => {
  const rows = Array.from(
    { length: to - from },
    (_, i) => `${from + i},${((from + i) * 7919) % 1000},town ${i % 50}\n`,
  );
  return `id,amount,town\n${rows.join('')}`;
};

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests ask
type Json = Record<string, any>;

async function json(answer: Promise<Response>): Promise<Json> {
  const response = await answer;
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

describe('the commands of docs/batches.md', () => {
  const folder = new Folder();
  let server: Server;
  beforeAll(async () => {
    server = await Server.start();
    await folder.write('orders.csv', lines(0, 30_000));
    await folder.write('orders-0.csv', lines(0, 12_000));
    await folder.write('orders-1.csv', lines(12_000, 30_000));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    folder.remove();
  });

  const blocks = blocksIn('docs/batches.md', readFileSync(PAGE, 'utf8')).filter(
    ({ language, text }) => language === 'sh' && text.includes('/v1/batches'),
  );
  test.each(blocks.map(({ text }) => [text.split('\n')[0]!, text] as const))('%s', async (_, text) => {
    const script = text.replaceAll('http://127.0.0.1:8080', server.url);
    const child = Bun.spawn(['bash', '-eo', 'pipefail', '-c', script], {
      cwd: folder.path,
      env: { ...process.env, SLUICE_KEY: KEY },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const output = await new Response(child.stdout).text();
    const report = JSON.parse(output.slice(output.lastIndexOf('{"request_id"')));
    expect([await child.exited, report.status, report.stats.rows_received]).toEqual([0, 'PASS', 30_000]);
  });
});

test('parts that were answered outlive a kill, and the verdict is that of an undisturbed batch', async () => {
  const parts = [0, 1, 2, 3].map(part => lines(part * 6000, part * 6000 + 6000));
  const folder = newFolder();
  const opened = async (server: Server): Promise<string> =>
    (
      await json(
        fetch(`${server.url}/v1/batches`, { method: 'POST', headers: JSON_TYPE, body: '{"source":"s"}' }),
      )
    ).batch_id!;
  const put = (server: Server, id: string, part: number) =>
    json(
      fetch(`${server.url}/v1/batches/${id}/parts/${part}`, {
        method: 'PUT',
        headers: CSV,
        body: parts[part]!,
      }),
    );
  const finish = (server: Server, id: string) =>
    json(
      fetch(`${server.url}/v1/batches/${id}/finish`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: '{"parts":4}',
      }),
    );
  const judged = ({
    request_id: _,
    batch_id: __,
    stats,
    timestamp: ___,
    latency_ms: ____,
    ...report
  }: Json) => ({
    ...report,
    stats: { ...stats, latency_ms: 0 },
  });

  const first = await Server.start({}, folder);
  const id = await opened(first);
  await Promise.all([put(first, id, 2), put(first, id, 0)]);
  // This one breaks off.
  void put(first, id, 1).catch(() => {});
  await first.kill('SIGKILL');
  await using second = await Server.start({}, folder);
  for (const part of [0, 1, 2, 3]) await put(second, id, part);
  const disturbed = await finish(second, id);

  await using calm = await Server.start();
  const undisturbed = await opened(calm);
  for (const part of [0, 1, 2, 3]) await put(calm, undisturbed, part);
  expect(judged(disturbed)).toEqual(judged(await finish(calm, undisturbed)));
}, 60_000);

/** Of a body of 120 MB. */
const MOST_BYTES = 700 * MIB;

test('memory does not grow with the body', async () => {
  await using server = await Server.start({ ENGINE_THREADS: '2' });
  const piece = new TextEncoder().encode(lines(0, 40_000).slice('id,amount,town\n'.length));
  const pieces = Math.ceil((120 * 1_000_000) / piece.length);
  async function* body() {
    yield new TextEncoder().encode('id,amount,town\n');
    for (let i = 0; i < pieces; i++) yield piece;
  }
  const answer = await json(
    fetch(`${server.url}/v1/batches/whole`, {
      method: 'POST',
      headers: { ...CSV, 'X-Source': 's' },
      body: body() as never,
    }),
  );
  expect(answer.stats.rows_received).toBe(pieces * 40_000);
  expect(peakBytesOf(server.child.pid)).toBeLessThan(MOST_BYTES);
}, 60_000);

test.skipIf(process.platform !== 'linux')(
  'Parquet of any length is cut in a thread of its own, and leaves no file open',
  async () => {
    await using server = await Server.start();
    const body = await Bun.file(join(import.meta.dir, '../columns/files/groups.parquet')).arrayBuffer();
    const headers = {
      'X-API-Key': KEY,
      'Content-Type': 'application/vnd.apache.parquet',
      'X-Source': 'groups',
      'X-Options': '{"row_verdicts":true}',
    };
    const sent = (bytes: ArrayBuffer) =>
      fetch(`${server.url}/v1/batches/whole`, { method: 'POST', headers, body: bytes });
    const [report, refused] = [await json(sent(body)), await sent(body.slice(0, -10))];
    expect([report.stats.rows_received, report.quarantine.whole_batch]).toEqual([12_345, []]);
    expect([refused.status, (await refused.json()) as Json]).toEqual([
      400,
      expect.objectContaining({ code: 'INVALID_ROWS', message: expect.stringContaining('cut') }),
    ]);
    const open = readdirSync(`/proc/${server.child.pid}/fd`).flatMap(fd => {
      try {
        return [readlinkSync(`/proc/${server.child.pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    expect(open.filter(path => path.includes('sluice-') && path.endsWith('(deleted)'))).toEqual([]);
  },
);
