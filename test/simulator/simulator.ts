/** Runs seeds, one after another, on the same files and engines. */
import { drainMicrotasks } from 'bun:jsc';
import { type Content, contentFrom, NOTHING } from '../../src/baseline/source-content.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import { SqlLedger } from '../../src/stores/sql/ledger.ts';
import { runBatches } from './batch-run.ts';
import { runStream } from './stream-run.ts';
import { takeAllBack } from './engines.ts';
import { ACCOUNT, Files } from './files.ts';
import type { Plant } from './plants.ts';
import { Connected } from './stores.ts';
import { World } from './world.ts';

export interface Result {
  seed: number;
  /** What the run was and did: equal for equal seeds. */
  line: string;
  violations: string[];
  trace: readonly string[];
}

/** What a run reports, but for the seed. */
export interface Outcome {
  facts: string;
  violations: string[];
}

export class Simulator {
  readonly files = new Files();
  readonly #free: Connected[] = [];
  readonly #taken: Connected[] = [];
  readonly #own = this.files.take();
  readonly jobs = new SqlJobs(this.#own.database);
  readonly ledger = new SqlLedger(this.#own.database);
  readonly allowance = new SqlAllowance(this.#own.database);
  readonly baselines = this.#own.baselines;

  /** `plant`: a fault of the stores that the run must find. */
  run(seed: number, plant: Plant | null = null): Result {
    const world = new World(seed);
    const { facts, violations } = world.within(() =>
      seed % 3 === 0 ? runStream(world, this, plant) : runBatches(world, this, plant),
    );
    this.#free.push(...this.#taken.splice(0));
    takeAllBack();
    const said = violations.length === 0 ? 'ok' : `FAILED: ${violations.join('; ')}`;
    const line = `seed ${seed}: ${facts}, trace ${Bun.hash(world.trace.join('\n')).toString(36)}: ${said}`;
    return { seed, line, violations, trace: world.trace };
  }

  /** Stores of a process that starts: nothing in their memory is of this run. */
  connect(): Connected {
    const connected = this.#free.pop() ?? new Connected(this.files.take());
    this.#taken.push(connected);
    return connected;
  }

  /** A fresh view of the baselines. */
  content(source: string): Content {
    return contentFrom(NOTHING, now(this.baselines.read(ACCOUNT.id, source)));
  }

  close(): void {
    this.files.giveBack([this.#own, ...this.#free.map(({ connection }) => connection)]);
    this.files.remove();
  }
}

/** The outcome of a promise that waits for nothing but other promises. */
export function now<T>(promise: Promise<T>): T {
  let outcome: { value: T } | { error: unknown } | undefined;
  promise.then(
    value => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  drainMicrotasks();
  if (outcome === undefined) throw new Error('the promise waits for something');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
