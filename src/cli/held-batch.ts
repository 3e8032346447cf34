/** A batch that the engine has parsed when it was cut, as an engine that is given it again and need not parse it. */
import { Status } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import type { EnginePool } from '../engine/pool.ts';
import type { Engines } from '../intake/engine-lease.ts';
import type { BatchEngine } from '../screen/dependencies.ts';

/** The only engine of the pool, for a batch that it may still hold: `held` is its `begun` then. */
export function enginesOf(pool: EnginePool, held: number | null): Engines<BatchEngine> {
  let lent: Engine;
  return {
    waiting: 0,
    async lend() {
      lent = await pool.lend();
      return lent.begun === held ? holding(lent) : lent;
    },
    giveBack: () => pool.giveBack(lent),
    giveUp: () => pool.giveUp(lent),
  };
}

const holding = (engine: Engine): BatchEngine => ({
  begin() {},
  write: () => Status.MORE,
  flush: () => Status.MORE,
  behind: false,
  reading: () => engine.reading(),
  end: () => Status.DONE,
  *ending() {
    yield;
    return Status.DONE;
  },
  refusal: () => engine.refusal(),
  received: (from, to) => engine.received(from, to),
  // Asked when the file was cut.
  otherDelimiter: 0,
  envelope: () => engine.envelope(),
  rows: engine.rows,
  measuring: sampleRows => engine.measuring(sampleRows),
  queries: engine.queries,
  rowQueries: engine.rowQueries,
  ruleChecks: engine.ruleChecks,
});
