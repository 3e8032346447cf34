/**
 * The stores of one gate: the real ones of a single machine, on files that all gates share. The wire in between makes them behave like one
 * process's own files, like files that several processes share, or like servers. What makes Redis another store than a file with a network in
 * between is in `counter.ts` and `called-off.ts`.
 */
import { HeldAllowance } from '../../src/stores/sql/held-allowance.ts';
import { SqlAllowance } from '../../src/stores/sql/allowance.ts';
import { SqlChanges } from '../../src/stores/sql/changes.ts';
import {
  type Buildable,
  MaybeCommitted,
  type Queries,
  type SqlDatabase,
  type Statement,
  type Step,
  type Values,
} from '../../src/stores/sql/database.ts';
import { SqlIdempotency } from '../../src/stores/sql/idempotency.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';
import type { Rejection } from '../../src/terms/errors.ts';
import type {
  AllowanceStore,
  BaselineStore,
  ChangeStore,
  IdempotencyStore,
  JobStore,
} from '../../src/stores/ports.ts';
import type { CalledOff } from './called-off.ts';
import type { Counter } from './counter.ts';
import type { Connection } from './files.ts';
import { isSilence, type Wire } from './wire.ts';

/** `alone`: one process with its files. `shared`: several processes on the same files. `servers`: several machines, Redis and Postgres. */
export type Deployment = 'alone' | 'shared' | 'servers';

export interface Stores {
  baselines: BaselineStore;
  jobs: JobStore;
  idempotency: IdempotencyStore;
  allowance: AllowanceStore;
  changes: ChangeStore;
}

/** What Redis has and SQLite has not, of all processes. */
export interface Shared {
  counter: Counter;
  calledOff: CalledOff;
}

/**
 * A connection and the stores on it, which outlive a process: Drizzle takes longer to build their statements than a run takes. They keep
 * nothing of a request but what the database has.
 */
export class Connected {
  wire: Wire | null = null;
  readonly database: WiredDatabase;
  readonly jobs: SqlJobs;
  readonly idempotency: SqlIdempotency;
  readonly changes: SqlChanges;
  readonly sqlAllowance: SqlAllowance;
  #written: (account: string, periodStart: number, rows: number) => void = () => {};

  constructor(readonly connection: Connection) {
    this.database = new WiredDatabase(connection.database, () => this.wire!);
    this.jobs = new SqlJobs(this.database, (...rows) => this.#written(...rows));
    this.idempotency = new SqlIdempotency(this.database);
    this.changes = new SqlChanges(this.database);
    this.sqlAllowance = new SqlAllowance(this.database);
  }

  /** The stores of a process that starts. */
  stores(wire: Wire, deployment: Deployment, { counter, calledOff }: Shared): Stores {
    this.wire = wire;
    const held = deployment === 'alone' ? new HeldAllowance(this.connection.database) : null;
    this.#written = (...rows) => held?.written(...rows);
    const { jobs, idempotency, changes } = this;
    const { baselines: embedded } = this.connection;
    const baselines = deployment === 'servers' ? calledOff.added(embedded) : embedded;
    return {
      baselines: wiredStore('baselines', baselines, wire),
      jobs,
      idempotency,
      changes,
      allowance:
        deployment === 'servers'
          ? counter.connected(wire)
          : held
            ? heldInMemory(held, wire)
            : this.sqlAllowance,
    };
  }
}

/** Rows are held in memory: only what reads the ledger can fail. */
function heldInMemory(held: AllowanceStore, wire: Wire): AllowanceStore {
  const { reserve, counted } = wiredStore('allowance', held, wire);
  return { reserve, counted, release: (...asked) => held.release(...asked) };
}

/** A store whose methods go through the wire. */
export function wiredStore<T extends object>(name: string, store: T, wire: Wire): T {
  return new Proxy(store, {
    get(target, method) {
      const value = Reflect.get(target, method) as unknown;
      if (typeof value !== 'function') return value;
      return (...call: unknown[]) =>
        wire.call(`${name}.${String(method)}${idIn(call)}`, () =>
          (value as (...call: unknown[]) => unknown).apply(target, call),
        );
    },
  });
}

/** Of the batch that a call is about, for the trace. */
function idIn(call: readonly unknown[]): string {
  const id = call.find(each => typeof each === 'string' && each.startsWith('req_'));
  const entry = call.find(each => typeof each === 'object' && each !== null && 'id' in each) as
    | { id: string }
    | undefined;
  return (id ?? entry) ? ` ${String(id ?? entry!.id)}` : '';
}

/** SQL through the wire: each statement and each group of them is one call. */
class WiredDatabase implements SqlDatabase {
  readonly #database: SqlDatabase;
  readonly #wire: () => Wire;

  constructor(database: SqlDatabase, wire: () => Wire) {
    this.#database = database;
    this.#wire = wire;
  }

  statement<Row>(build: (queries: Queries) => Buildable<Row>): Statement<Row> {
    return new WiredStatement(this.#database.statement(build), this.#wire);
  }

  atomically(steps: readonly Step[]): Promise<boolean> {
    return this.#committed('sql.atomically', () => this.#database.atomically(steps.map(plain)));
  }

  together(steps: readonly Step[]): Promise<boolean> {
    return this.#committed(`sql.together${jobIn(steps)}`, () => this.#database.together(steps.map(plain)));
  }

  alone<Row>(names: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]> {
    const { inner } = statement as WiredStatement<Row>;
    return this.#wire().call('sql.alone', () => this.#database.alone(names, inner, values));
  }

  async #committed(name: string, run: () => Promise<boolean>): Promise<boolean> {
    try {
      return await this.#wire().call(name, run);
    } catch (error) {
      throw isSilence(error) ? new MaybeCommitted(error as Rejection) : error;
    }
  }
}

class WiredStatement<Row> implements Statement<Row> {
  readonly #wire: () => Wire;

  constructor(
    readonly inner: Statement<Row>,
    wire: () => Wire,
  ) {
    this.#wire = wire;
  }

  run(values: Values): Promise<Row[]> {
    return this.#wire().call('sql.statement', () => this.inner.run(values));
  }
}

function jobIn(steps: readonly Step[]): string {
  const job = steps.find(({ values }) => 'rowsReceived' in values);
  return job === undefined ? '' : ` ${String(job.values.id)}`;
}

const plain = (step: Step): Step => ({
  ...step,
  statement: (step.statement as WiredStatement<unknown>).inner,
});
