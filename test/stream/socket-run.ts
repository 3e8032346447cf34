/**
 * One WebSocket to the real program, as a command:
 *
 *     npm run stream-socket -- --rows 1000000 --cuts 50 --seed 1
 *
 * First all rows over one connection, while the memory of the server is watched; then half as many with the connection cut at random.
 * Each row must be judged once, by what the client was told and by what the server counted.
 */
import '../../scripts/built.ts';
import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Random } from '../../bench/random.ts';
import { Sluice } from '../../src/client/index.ts';
import { KEY, Server } from '../e2e/server.ts';
import { CuttingProxy } from './cutting-proxy.ts';

const WINDOW = { rows: 2000, ms: 60_000 };
/** The rows of the first part warm the server up. */
const WARM = 0.2;
const MIB = 1024;

export interface SocketRun {
  rows: number;
  cuts: number;
  seed: number;
  report?: (line: string) => void;
}

export interface SocketRunResult {
  rowsPerSecond: number;
  /** Resident memory of the server in MiB: the median after the warm-up, and how far single looks were from it. */
  memory: { median: number; least: number; most: number; end: number };
  connections: number;
  /** What does not add up; empty in a run that held. */
  wrong: string[];
}

function* rowsOf(count: number) {
  for (let i = 0; i < count; i++)
    yield {
      order_id: `ORD-${i}`,
      customer: `C${(i * 7919) % 10_007}`,
      amount: ((i * 37) % 100_000) / 100,
      quantity: 1 + (i % 9),
      status: ['new', 'paid', 'sent'][i % 3],
      country: ['DE', 'FR', 'US', 'JP'][i % 4],
      paid: i % 2 === 0,
      note: null,
      discount: (i % 50) / 100,
      at: new Date(1_700_000_000_000 + i * 1000).toISOString(),
    };
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / MIB;

export async function socketRun({
  rows,
  cuts,
  seed,
  report = () => {},
}: SocketRun): Promise<SocketRunResult> {
  const server = await Server.start();
  const proxy = await CuttingProxy.start(server.port);
  const wrong: string[] = [];
  try {
    const since = performance.now();
    const looks: number[] = [];
    await stream(new Sluice({ url: server.url, key: KEY }), 'whole', rows, wrong, last => {
      const memory = memoryOf(server.child.pid);
      if (last > rows * WARM) looks.push(memory);
      if (last % (5 * WINDOW.rows) === 0) report(`${last} rows, ${Math.round(memory)} MiB`);
    });
    const rowsPerSecond = Math.round(rows / ((performance.now() - since) / 1000));
    const random = new Random(seed);
    const half = rows / 2;
    const places = Array.from({ length: cuts }, () => Math.floor(random.unit() * half)).sort((a, b) => a - b);
    const cutting = new Sluice({ url: proxy.url, key: KEY, maxRetries: 20 });
    await stream(cutting, 'cut', half, wrong, last => {
      while (places.length > 0 && places[0]! <= last) {
        places.shift();
        setTimeout(() => proxy.cut(), random.unit() * 50);
      }
    });
    report(`${proxy.connections} connections`);
    for (const [source, count] of [
      ['whole', rows],
      ['cut', half],
    ] as const) {
      const judged = await judgedRows(server.url, source);
      if (judged !== count) wrong.push(`${source}: the jobs have ${judged} rows, and there were ${count}`);
    }
    const sorted = looks.toSorted((a, b) => a - b).map(Math.round);
    const [least, median, most] = [sorted[0]!, sorted[sorted.length >> 1]!, sorted.at(-1)!];
    const memory = { median, least, most, end: Math.round(looks.at(-1)!) };
    return { rowsPerSecond, memory, connections: proxy.connections, wrong };
  } finally {
    proxy.stop();
    await server.kill('SIGKILL');
    rmSync(server.folder, { recursive: true, force: true });
  }
}

async function stream(
  client: Sluice,
  source: string,
  count: number,
  wrong: string[],
  each: (last: number) => void,
): Promise<void> {
  let next = 1;
  for await (const { firstRow, lastRow, report } of client.stream({
    source,
    rows: rowsOf(count),
    window: WINDOW,
  })) {
    if (firstRow !== next) wrong.push(`${source}: a window begins at row ${firstRow}, not ${next}`);
    if (report.stats.rows_received !== lastRow - firstRow + 1)
      wrong.push(`${source}: rows ${firstRow} to ${lastRow} were judged as ${report.stats.rows_received}`);
    next = lastRow + 1;
    each(lastRow);
  }
  if (next !== count + 1) wrong.push(`${source}: the last row was ${next - 1} of ${count}`);
}

async function judgedRows(url: string, source: string): Promise<number> {
  let rows = 0;
  for await (const job of new Sluice({ url, key: KEY }).jobs({ source })) rows += job.rows_received;
  return rows;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '1000000' },
      cuts: { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [rows, cuts, seed] = [values.rows, values.cuts, values.seed].map(Number) as [number, number, number];
  const result = await socketRun({ rows, cuts, seed, report: console.error });
  console.log(JSON.stringify(result, null, 2));
  process.exit(result.wrong.length === 0 ? 0 : 1);
}
