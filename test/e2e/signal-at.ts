/**
 * Loaded before the program: sends it a signal right before or after a call of a store, such as `append after SIGKILL`, once the file
 * SIGNAL_FILE says so. CLOCK_AHEAD_MS sets the program's clock ahead, so that nobody waits for a lease to end.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { SqliteBaselines } from '../../src/stores/sqlite/baselines.ts';
import { RedisBaselines } from '../../src/stores/redis/baselines.ts';
import { SqlIdempotency } from '../../src/stores/sql/idempotency.ts';
import { SqlJobs } from '../../src/stores/sql/jobs.ts';

/** Set by the test that starts the program: they are no variables of the tests. */
const { env } = process;
const file = env.SIGNAL_FILE!;
const aheadMs = Number(env.CLOCK_AHEAD_MS);
const { now } = Date;
Date.now = () => now() + aheadMs;

function signalIf(place: string): void {
  const [operation, when, signal] = existsSync(file) ? readFileSync(file, 'utf8').split(' ') : [];
  if (`${operation} ${when}` !== place) return;
  rmSync(file);
  process.kill(process.pid, signal);
}

type Method = (...args: unknown[]) => Promise<unknown>;

for (const { prototype } of [SqliteBaselines, RedisBaselines, SqlIdempotency, SqlJobs]) {
  const methods = prototype as unknown as Record<string, Method>;
  for (const operation of ['claim', 'callOff', 'forgetUnfinished', 'append', 'complete']) {
    const method = methods[operation];
    if (!method) continue;
    methods[operation] = async function (this: unknown, ...args) {
      signalIf(`${operation} before`);
      const result = await method.apply(this, args);
      signalIf(`${operation} after`);
      return result;
    };
  }
}
