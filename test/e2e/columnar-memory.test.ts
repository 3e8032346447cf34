/** Eight bodies of Parquet at once, each the worst of its kind: the process stays within its memory, and every answer says what to do. */
import { expect, test } from 'bun:test';
import { MAX_CELLS } from '../../assembly/abi.ts';
import { joined } from '../columns/parquet-bytes.ts';
import {
  BYTE_ARRAY,
  DELTA_LENGTHS,
  DELTAS,
  DOUBLE,
  FIXED,
  fileWith,
  INT64,
  INT96,
  PLAIN,
  PREFIXED,
  same,
  SPLIT,
} from '../columns/parquet-column.ts';
import { MIB, mostMemoryBytes, peakBytesOf } from './most-memory.ts';
import { KEY, Server } from './server.ts';

const THREADS = 2;
const MAX_RESIDENT_BYTES = mostMemoryBytes({ maxBodyBytes: 32 * MIB, engineThreads: THREADS });

const MOST = { count: MAX_CELLS, rows: 20 };
const lists = (type: number, encoding: number, data: Uint8Array) => ({ type, encoding, data, ...MOST });
const prefixes = joined([same(MAX_CELLS, 30), same(MAX_CELLS, 30)]);
const BODIES: Record<string, Parameters<typeof fileWith>[0]> = {
  'texts with prefixes': lists(BYTE_ARRAY, PREFIXED, prefixes),
  deltas: lists(INT64, DELTAS, same(MAX_CELLS, 64)),
  'deltas in the smallest blocks': lists(INT64, DELTAS, same(MAX_CELLS, 56, 8, 1)),
  'lengths as deltas': lists(BYTE_ARRAY, DELTA_LENGTHS, same(MAX_CELLS, 64)),
  'empty texts': lists(BYTE_ARRAY, PLAIN, new Uint8Array(MAX_CELLS * 4)),
  'times of 96 bits': lists(INT96, PLAIN, new Uint8Array(MAX_CELLS * 12)),
  'split doubles': lists(DOUBLE, SPLIT, new Uint8Array(MAX_CELLS * 8)),
  'bytes of fixed length': { ...lists(FIXED, PLAIN, new Uint8Array(MAX_CELLS * 12)), width: 12 },
};

const HEADERS = {
  'X-API-Key': KEY,
  'Content-Type': 'application/vnd.apache.parquet',
  'Content-Encoding': 'gzip',
};

const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux(
  'eight bodies of 2,000,000 values in lists stay within the memory of a process, and refusals say when to try again',
  async () => {
    await using server = await Server.start({ ENGINE_THREADS: String(THREADS) });
    const bodies = Object.values(BODIES).map(column => Bun.gzipSync(fileWith(column)));
    const post = async (body: Uint8Array<ArrayBuffer>, i: number) => {
      const headers = { ...HEADERS, 'X-Source': `source-${i}` };
      const response = await fetch(`${server.url}/v1/screen`, { method: 'POST', body, headers });
      await response.text();
      return { status: response.status, retry: response.headers.get('Retry-After') };
    };
    for (const round of [bodies, Array(8).fill(bodies[0]!)]) {
      const answers = await Promise.all(round.map(post));
      expect(answers.filter(({ status, retry }) => (status === 503) !== (retry !== null))).toEqual([]);
      expect(answers.filter(({ status }) => ![200, 413, 503].includes(status))).toEqual([]);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
    }
    const peak = peakBytesOf(server.child.pid);
    console.info(`eight Parquet bodies: ${Math.round(peak / MIB)} MiB`);
    expect(peak).toBeLessThan(MAX_RESIDENT_BYTES);
    expect((await fetch(`${server.url}/v1/health`)).status).toBe(200);
  },
  240_000,
);
