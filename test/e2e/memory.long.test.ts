/** The most memory that uploads at once can make a process take, on which the limits of deployments rest. */
import { expect, test } from 'bun:test';
import { MIB, mostMemoryBytes, peakBytesOf } from './most-memory.ts';
import { KEY, Server } from './server.ts';

const MAX_BODY_BYTES = 32 * MIB;
/** More than have a thread or room to wait for one. */
const UPLOADS = 40;
const THREADS = 2;

const rowOf = (cells: string[]): string => `{${cells.map((cell, i) => `"f${i}":${cell}`).join()}}`;

/** The largest batches there are: many bytes in few cells, and as many cells and fields as are allowed. */
const BODIES: Record<string, (row: number) => string> = {
  'long texts': row => rowOf([String(row), `"${'x'.repeat(3000)}"`]),
  '2,000 fields of texts': row =>
    rowOf(Array.from({ length: 2000 }, (_, i) => `"${(row * 7919 + i * 104_729) % 1_000_003}"`)),
  '200 fields of numbers': row =>
    rowOf(Array.from({ length: 200 }, (_, i) => String(((row * 7919 + i * 104_729) % 1_000_003) / 7))),
};

function bodyOf(row: (row: number) => string): Uint8Array {
  // 2,000,000 cells and 10,000 rows are allowed.
  const mostRows = Math.min(10_000, 2_000_000 / Object.keys(JSON.parse(row(0))).length);
  const head = '{"source":"memory","options":{"full_scan":true},"rows":[';
  const rows: string[] = [];
  for (let bytes = head.length + 2; rows.length < mostRows; ) {
    const next = row(rows.length);
    bytes += next.length + 1;
    if (bytes > MAX_BODY_BYTES) break;
    rows.push(next);
  }
  return new TextEncoder().encode(`${head}${rows.join()}]}`);
}

const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux.each(Object.keys(BODIES))(
  `${UPLOADS} uploads of 32 MiB at once take no more than the stated memory: %s`,
  async name => {
    await using server = await Server.start({ ENGINE_THREADS: String(THREADS) });
    const body = bodyOf(BODIES[name]!);
    const post = () =>
      fetch(`${server.url}/v1/screen`, {
        method: 'POST',
        body,
        headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json' },
      }).then(response => response.text().then(() => response.status));
    const statuses = await Promise.all(Array.from({ length: UPLOADS }, post));
    expect(statuses.filter(status => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(8);
    const peak = peakBytesOf(server.child.pid);
    console.info(`${name}: ${Math.round(peak / MIB)} MiB`);
    expect(peak).toBeLessThan(mostMemoryBytes({ maxBodyBytes: MAX_BODY_BYTES, engineThreads: THREADS }));
  },
  240_000,
);
