/** The benches by name, and the facts that every run reports about itself. */
import { benchAccuracy } from './accuracy.ts';
import { benchCli } from './cli.ts';
import { benchAging } from './aging.ts';
import { benchColumns } from './columns.ts';
import { benchCold } from './cold.ts';
import { benchEngine } from './engine.ts';
import { benchGuesses } from './guesses.ts';
import { benchHttp } from './http.ts';
import { benchLoad } from './load.ts';
import { type Machine, machine } from './machine.ts';
import { benchMemory } from './memory.ts';
import { benchReplicas } from './replicas.ts';
import { benchRows } from './rows.ts';
import { benchRulePeers } from './rule-peers.ts';
import { benchRules } from './rules.ts';
import { benchStatistics } from './statistics.ts';
import { benchStream } from './stream.ts';
import { benchThroughput } from './throughput.ts';

export const BENCHES = {
  engine: benchEngine,
  http: benchHttp,
  load: benchLoad,
  throughput: benchThroughput,
  memory: benchMemory,
  cold: benchCold,
  guesses: benchGuesses,
  statistics: benchStatistics,
  replicas: benchReplicas,
  cli: benchCli,
  aging: benchAging,
  accuracy: benchAccuracy,
  rows: benchRows,
  rules: benchRules,
  columns: benchColumns,
  stream: benchStream,
  'rule-peers': benchRulePeers,
};

export type BenchName = keyof typeof BENCHES;
type Result<N extends BenchName> = Awaited<ReturnType<(typeof BENCHES)[N]>>;
export type Run<N extends BenchName = BenchName> = RunFacts & Result<N>;

export interface RunFacts {
  bench: BenchName;
  seed: number;
  /** RFC 3339, UTC. */
  date: string;
  machine: Machine;
}

export const isBenchName = (name: string): name is BenchName => Object.hasOwn(BENCHES, name);

export async function runBench(name: BenchName, seed: number): Promise<Run> {
  const facts = { bench: name, seed, date: new Date().toISOString(), machine: machine() };
  return { ...facts, ...(await BENCHES[name](seed)) };
}
