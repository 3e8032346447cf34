/**
 * The way between a gate and a store. Every call takes time that the seed decides, and may fail in the ways of its kind of store: it is refused,
 * its answer is lost, it runs after the caller has given up, or its gate is killed before or after it.
 */
import { Database, type SQLiteError } from 'bun:sqlite';
import { NoAnswer, notNow } from '../../src/stores/unavailable.ts';
import type { Life, World } from './world.ts';

/** `file`: a call always has an outcome. `server`: there is a network in between. */
export type StoreKind = 'file' | 'server';

/** Faults of a run. The simulator ends them by setting `left` to 0. */
export interface Faults {
  left: number;
  /** Of a fault at one call. */
  chance: number;
}

/** Longest wait for a server, in ms. */
const TIMEOUT_MS = 500;
/** A server runs a command at the latest so long after its caller has given up: it ends connections that are silent. */
const LATE_MS = 400;

type Fate = 'well' | 'refused' | 'lost' | 'late' | 'killed before' | 'killed after' | 'stopped';
const FATES: Record<StoreKind, readonly Fate[]> = {
  file: ['refused', 'killed before', 'killed after', 'killed after', 'stopped'],
  server: ['refused', 'lost', 'lost', 'late', 'killed before', 'killed after', 'stopped'],
};

/** What a wire needs of its gate. */
export interface Caller {
  readonly life: Life;
  kill(why: string): void;
}

export class Wire {
  constructor(
    readonly world: World,
    readonly caller: Caller,
    readonly kind: StoreKind,
    readonly faults: Faults,
  ) {}

  /** Calls a store. `name` is for the trace. */
  call<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    const { world, caller } = this;
    const { life } = caller;
    const fate = this.#fate(QUIET.test(name) ? READ_SHARE : 1);
    if (fate !== 'well') world.note(life.name, `${name}: ${fate}`);
    if (fate === 'stopped') life.stoppedUntil = world.now + world.random.int(500, 8000);
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void, ms = this.#delay()) => void world.after(ms, life, settle);
      const kill = () => void world.after(0, null, () => caller.kill(`${fate} ${name}`));
      const execute = async () => {
        // What a killed process has sent to a server still arrives.
        if (!life.isAlive && this.kind === 'file') return;
        const [value, error] = await outcome(run);
        if (!QUIET.test(name)) world.note(life.name, `  ${name} → ${said(value, error)}`);
        if (fate === 'killed after') kill();
        else answer(() => (error === undefined ? resolve(value as T) : reject(error)));
      };
      if (fate === 'killed before') return kill();
      if (fate === 'refused') return answer(() => reject(refusal(this.kind)));
      const isLate = fate === 'late';
      if (isLate || fate === 'lost') answer(() => reject(silence()), TIMEOUT_MS);
      world.after(
        isLate ? TIMEOUT_MS + world.random.int(0, LATE_MS) : this.#delay(),
        null,
        () => void execute(),
      );
    });
  }

  #fate(share: number): Fate {
    const { faults, world } = this;
    if (faults.left === 0 || !world.random.chance(faults.chance * share)) return 'well';
    faults.left--;
    return world.random.pick(FATES[this.kind]);
  }

  /** Mostly short, seldom long. */
  #delay(): number {
    const { random } = this.world;
    if (random.chance(0.6)) return random.next();
    return random.chance(0.9) ? random.next() * 20 : random.next() * 200;
  }
}

/** Calls that change nothing, and single statements of SQL, whose names say little. */
const QUIET = /statement|read|counted|versions?$/;

/** Faults of these are rarer. */
const READ_SHARE = 0.25;

const said = (value: unknown, error: unknown): string =>
  error === undefined ? (JSON.stringify(value) ?? 'done') : String(error).slice(0, 80);

async function outcome<T>(run: () => T | Promise<T>): Promise<[T | null, unknown]> {
  try {
    return [await run(), undefined];
  } catch (error) {
    return [null, error];
  }
}

/** SQLite's own error, SQLITE_FULL: nothing has happened. Its class has no constructor for us. */
const FULL = sqliteError();

function sqliteError(): SQLiteError {
  const database = new Database(':memory:');
  try {
    database.run('PRAGMA max_page_count = 1; CREATE TABLE full (n)');
  } catch (error) {
    return error as SQLiteError;
  }
  throw new Error('a database of one page is not full');
}

const refusal = (kind: StoreKind): Error =>
  Object.assign(notNow(), { cause: kind === 'file' ? FULL : new Error('the connection was refused') });

const silence = (): Error => Object.assign(notNow(), { cause: new NoAnswer() });

export const isSilence = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof NoAnswer;
