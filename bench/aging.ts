/**
 * Does a source get slower with age?
 *
 * Many clients send small batches to one source, at most 500 a second, like an endless stream. Runs with Redis and Postgres, and with
 * the embedded stores. Compares the processor time of a batch in the last tenth with the first tenth. Latency is compared at the
 * end, in turn with a source as old as the first tenth, since the load of the machine may have changed during the run.
 */
import { loadavg } from 'node:os';
import { Child, postHead } from './child.ts';
import type { Connection } from './connection.ts';
import { cpuSeconds } from './cpu.ts';
import { named, type Payload, payloadsOf } from './payloads.ts';
import { rounded, shareOf } from './race.ts';
import { onBoth, startServers, stopServers, versionsOf } from './replicas.ts';
import { narrowTable } from './tables.ts';

export interface AgingEffort {
  /** Batches to another source first, while code is still being compiled. */
  warmBatches: number;
  /** A multiple of 10. */
  batches: number;
  clients: number;
  /** With Redis and Postgres. */
  threads: number;
}

export const AGING_EFFORT: AgingEffort = { warmBatches: 2000, batches: 20_000, clients: 8, threads: 4 };

export interface AgingResult {
  /** Versions. */
  servers: { redis: string; postgres: string };
  /** Load average of the last minute before the run. */
  load: number;
  /** Small batches to one source. */
  batches: number;
  embedded: Aging;
  redis_postgres: Aging;
}

interface Aging {
  /** Processor time of a batch: of Sluice, and of Redis if it is used. */
  cpu_ms: { first: number; last: number; ratio: number };
  redis_cpu_ms?: { first: number; last: number; ratio: number };
  /** Latency at the end, in turn. */
  p50_ms: { young: number; old: number; ratio: number };
  batches_per_s: number;
}

const ROWS = 10;
const PAYLOADS = 3;
const MOST_PER_SECOND = 500;

export async function benchAging(seed: number, effort = AGING_EFFORT): Promise<AgingResult> {
  const [load] = loadavg() as [number];
  const servers = await startServers();
  try {
    const environment = { ...(await onBoth(servers)), ENGINE_THREADS: String(effort.threads) };
    const redis_postgres = await agingOf(environment, seed, effort, servers.redis.process.pid);
    const embedded = await agingOf({}, seed, effort, null);
    const facts = { servers: await versionsOf(servers), load: rounded(load), batches: effort.batches };
    return { ...facts, embedded, redis_postgres };
  } finally {
    await stopServers(servers);
  }
}

async function agingOf(
  environment: Record<string, string>,
  seed: number,
  { warmBatches, batches, clients }: AgingEffort,
  redis: number | null,
): Promise<Aging> {
  await using sluice = await Child.sluice(environment);
  const connections = await Promise.all(Array.from({ length: clients }, () => sluice.connect()));
  const [warm, old, young] = ['warm', 'old', 'young'].map(source => payloadsFor(seed, source));
  const tenth = batches / 10;
  await postAll(connections, warmBatches, () => warm!);
  const spent = () => [sluice.pid, ...(redis === null ? [] : [redis])].map(cpuSeconds);
  const spentOn = async (count: number): Promise<number[]> => {
    const before = spent();
    await postAll(connections, count, () => old!);
    return spent().map((seconds, i) => (1000 * (seconds - before[i]!)) / count);
  };
  const begun = performance.now();
  const first = await spentOn(tenth);
  await postAll(connections, batches - 2 * tenth, () => old!);
  const last = await spentOn(tenth);
  const ms = performance.now() - begun;
  const [cpu_ms, redis_cpu_ms] = first.map((cpu, i) => ({
    ...{ first: rounded(cpu), last: rounded(last[i]!), ratio: rounded(last[i]! / cpu) },
  }));
  const p50_ms = await inTurn(connections, tenth, young!, old!);
  const batches_per_s = rounded((1000 * batches) / ms);
  return { cpu_ms: cpu_ms!, ...(redis_cpu_ms && { redis_cpu_ms }), p50_ms, batches_per_s };
}

const payloadsFor = (seed: number, source: string): Payload[] =>
  payloadsOf(seed, { payloads: PAYLOADS, rows: ROWS }, narrowTable, named(source));

/** Latency of a batch of each source; every second batch goes to the young one. */
async function inTurn(
  connections: readonly Connection[],
  count: number,
  young: Payload[],
  old: Payload[],
): Promise<Aging['p50_ms']> {
  const times = await postAll(connections, 2 * count, turn => (turn % 2 === 0 ? young : old));
  const median = (parity: number) =>
    shareOf(
      times.filter((_, turn) => turn % 2 === parity),
      0.5,
    );
  const [youngMs, oldMs] = [median(0), median(1)];
  return { young: rounded(youngMs), old: rounded(oldMs), ratio: rounded(oldMs / youngMs) };
}

/** Posts this many batches, each at its time if a client is free. Returns how long each took, in ms. */
async function postAll(
  connections: readonly Connection[],
  count: number,
  payloadsAt: (turn: number) => Payload[],
): Promise<number[]> {
  const times: number[] = [];
  const begun = performance.now();
  let next = 0;
  const client = async (connection: Connection): Promise<void> => {
    for (let turn = next++; turn < count; turn = next++) {
      const early = begun + (1000 * turn) / MOST_PER_SECOND - performance.now();
      if (early > 0) await Bun.sleep(early);
      const payloads = payloadsAt(turn);
      const { bytes } = payloads[turn % payloads.length]!;
      const sent = performance.now();
      await connection.ok(postHead(bytes.length), bytes);
      times[turn] = performance.now() - sent;
    }
  };
  await Promise.all(connections.map(client));
  return times;
}
