/**
 * How much processor time does a batch of ten rows take while several clients post at once, compared with handlers that do less?
 *
 * Over loopback. Each server is a process of its own, and its threads are what is measured: the clients are in this process. A round
 * posts the same number of batches to each server, one server after the other, so that a slow moment of the machine affects all.
 */
import { Child, postHead } from './child.ts';
import { cpuSeconds } from './cpu.ts';
import { named, type Payload, payloadsOf } from './payloads.ts';
import { rounded, shareOf } from './race.ts';
import { narrowTable } from './tables.ts';

export interface LoadEffort {
  /** Batches of a round. At most the burst of the plan: a refusal would end the bench. */
  batches: number;
  /** Code is still being compiled. */
  warmRounds: number;
  rounds: number;
}

export const LOAD_EFFORT: LoadEffort = { batches: 1000, warmRounds: 3, rounds: 10 };

interface LoadFigure {
  /** Processor time of a batch, all threads: median over the rounds, the least and the most. */
  core_ms: number;
  core_ms_least: number;
  core_ms_most: number;
  /** With the clients on the same machine. */
  per_s: number;
}

export interface LoadResult {
  /** Core time / that of the handler that only writes what it must, with as many clients. */
  ratios: { one_client: number; one_source: number; eight_sources: number; one_source_echo: number };
  one_client: LoadFigure;
  one_source: LoadFigure;
  eight_sources: LoadFigure;
  durable_one_client: LoadFigure;
  durable: LoadFigure;
  echo: LoadFigure;
}

const ROWS = 10;
const CLIENTS = 8;
const PAYLOADS = 3;
/** Of the plan. */
const PER_SECOND = 1000;

export async function benchLoad(seed: number, effort = LOAD_EFFORT): Promise<LoadResult> {
  await using servers = new AsyncDisposableStack();
  const opened = async (starting: Promise<Child>, clients: number, sources: number) =>
    new Server(servers.use(await starting), clients, sources, seed);
  const contestants = {
    one_client: await opened(Child.sluice(), 1, 1),
    one_source: await opened(Child.sluice(), CLIENTS, 1),
    eight_sources: await opened(Child.sluice(), CLIENTS, CLIENTS),
    durable_one_client: await opened(Child.peer('durable'), 1, 1),
    durable: await opened(Child.peer('durable'), CLIENTS, CLIENTS),
    echo: await opened(Child.peer('elysia_echo'), CLIENTS, 1),
  };
  for (let round = 0; round < effort.warmRounds + effort.rounds; round++)
    for (const server of Object.values(contestants))
      await server.round(effort.batches, round >= effort.warmRounds);
  const figures = Object.fromEntries(
    Object.entries(contestants).map(([name, server]) => [name, server.figure()]),
  ) as Record<keyof typeof contestants, LoadFigure>;
  const ratio = (ours: keyof typeof figures, theirs: keyof typeof figures) =>
    rounded(figures[ours].core_ms / figures[theirs].core_ms);
  return {
    ratios: {
      one_client: ratio('one_client', 'durable_one_client'),
      one_source: ratio('one_source', 'durable'),
      eight_sources: ratio('eight_sources', 'durable'),
      one_source_echo: ratio('one_source', 'echo'),
    },
    ...figures,
  };
}

class Server {
  readonly #coreMs: number[] = [];
  readonly #perSecond: number[] = [];
  readonly #begun = performance.now();
  #posted = 0;

  /** By source. */
  readonly #payloads: readonly Payload[][];

  constructor(
    readonly child: Child,
    readonly clients: number,
    sources: number,
    seed: number,
  ) {
    this.#payloads = Array.from({ length: sources }, (_, i) =>
      payloadsOf(seed + i, { payloads: PAYLOADS, rows: ROWS }, narrowTable, named(`bench-${i}`)),
    );
  }

  async round(batches: number, counts: boolean): Promise<void> {
    await this.#stayWithinPlan(batches);
    // A server may close a connection that was idle while others had their turn.
    const connections = await Promise.all(Array.from({ length: this.clients }, () => this.child.connect()));
    const before = cpuSeconds(this.child.pid);
    const since = performance.now();
    let left = batches;
    await Promise.all(
      connections.map(async (connection, i) => {
        const payloads = this.#payloads[i % this.#payloads.length]!;
        for (; left > 0; ) {
          const { bytes } = payloads[left-- % payloads.length]!;
          await connection.ok(postHead(bytes.length), bytes);
        }
      }),
    );
    const took = performance.now() - since;
    const used = cpuSeconds(this.child.pid) - before;
    for (const connection of connections) connection.close();
    if (!counts) return;
    this.#perSecond.push((1000 * batches) / took);
    this.#coreMs.push((1000 * used) / batches);
  }

  figure(): LoadFigure {
    return {
      core_ms: rounded(shareOf(this.#coreMs, 0.5)),
      core_ms_least: rounded(Math.min(...this.#coreMs)),
      core_ms_most: rounded(Math.max(...this.#coreMs)),
      per_s: rounded(shareOf(this.#perSecond, 0.5)),
    };
  }

  /** A fast server would answer more than the plan allows. */
  async #stayWithinPlan(batches: number): Promise<void> {
    const dueMs = (1000 * this.#posted) / PER_SECOND;
    this.#posted += batches;
    await Bun.sleep(Math.max(0, this.#begun + dueMs - performance.now()));
  }
}
