/**
 * Servers under load, in turns: a round posts the same number of batches to each contestant, one after the other, so that a slow moment of the machine
 * affects all. Servers are processes of their own; all clients are in this one, and do nothing but write prepared bytes and read answers.
 */
import { type Child, postHead } from './child.ts';
import { cpuSeconds } from './cpu.ts';
import type { Payload } from './payloads.ts';
import { rounded, shareOf } from './race.ts';

export interface RoundsEffort {
  /** Batches of a round. At most the burst of the plan: a refusal would end the bench. */
  batches: number;
  /** Code is still being compiled. */
  warmRounds: number;
  rounds: number;
}

export interface LoadFigure {
  /** Processor time of a batch, all threads: median over the rounds, the least and the most. */
  core_ms: number;
  core_ms_least: number;
  core_ms_most: number;
  /** Processor time of the clients a batch, on the same machine. */
  client_core_ms: number;
  per_s: number;
}

/** Of the plan. */
const PER_SECOND = 1000;

export class LoadedServer {
  readonly #coreMs: number[] = [];
  readonly #clientMs: number[] = [];
  readonly #perSecond: number[] = [];
  readonly #begun = performance.now();
  #posted = 0;

  /** `payloads`: those of a round, by source; the clients share the sources out. */
  constructor(
    readonly child: Child,
    readonly clients: number,
    readonly payloads: (round: number) => readonly Payload[][],
  ) {}

  async round(round: number, batches: number, counts: boolean): Promise<void> {
    const sources = this.payloads(round);
    await this.#stayWithinPlan(batches);
    // A server may close a connection that was idle while others had their turn.
    const connections = await Promise.all(Array.from({ length: this.clients }, () => this.child.connect()));
    const before = cpuSeconds(this.child.pid);
    const own = process.cpuUsage();
    const since = performance.now();
    let left = batches;
    await Promise.all(
      connections.map(async (connection, i) => {
        const payloads = sources[i % sources.length]!;
        for (; left > 0; ) {
          const { bytes } = payloads[left-- % payloads.length]!;
          await connection.ok(postHead(bytes.length), bytes);
        }
      }),
    );
    const took = performance.now() - since;
    const { user, system } = process.cpuUsage(own);
    const used = cpuSeconds(this.child.pid) - before;
    for (const connection of connections) connection.close();
    if (!counts) return;
    this.#perSecond.push((1000 * batches) / took);
    this.#coreMs.push((1000 * used) / batches);
    this.#clientMs.push((user + system) / 1000 / batches);
  }

  figure(): LoadFigure {
    return {
      core_ms: rounded(shareOf(this.#coreMs, 0.5)),
      core_ms_least: rounded(Math.min(...this.#coreMs)),
      core_ms_most: rounded(Math.max(...this.#coreMs)),
      client_core_ms: rounded(shareOf(this.#clientMs, 0.5)),
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

/** Contestants may share a server: only one of them has its turn. */
export async function inRounds<Name extends string>(
  servers: Record<Name, LoadedServer>,
  { batches, warmRounds, rounds }: RoundsEffort,
): Promise<Record<Name, LoadFigure>> {
  const all = Object.entries<LoadedServer>(servers);
  for (let round = 0; round < warmRounds + rounds; round++)
    for (const [, server] of all) await server.round(round, batches, round >= warmRounds);
  return Object.fromEntries(all.map(([name, server]) => [name, server.figure()])) as Record<Name, LoadFigure>;
}
