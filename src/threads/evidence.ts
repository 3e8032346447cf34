/** What a batch is judged by: the engine that holds it, or the state of its slices. */
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { PastOf } from '../engine/reading.ts';
import type { Engine } from '../engine/engine.ts';
import type { ColumnQueries, RowQueries, ValueQueries } from '../engine/queries.ts';
import type { Profile } from '../profile/profile.ts';
import { readProfile } from '../profile/read.ts';
import type { Constraint, DeclaredRules } from '../rules/declared/constraint.ts';
import type { PatternCache } from '../rules/declared/patterns.ts';
import { talliesOf } from '../rules/violations/check.ts';
import type { Tally } from '../rules/violations/tally.ts';
import { columnQueriesOf, rowQueriesOf, valueQueriesOf } from '../states/queries.ts';
import { wholeTallies } from '../states/rule-tallies.ts';
import type { State } from '../states/state.ts';

export interface Evidence {
  queries: ColumnQueries & ValueQueries;
  rowQueries: RowQueries;
  /** What all rows say, where a sample was measured. */
  measureAll(): Profile;
  /** What rows say of these rules. `now`: in ms. */
  tallies(
    rules: DeclaredRules,
    batch: { profile: Profile; now: number; rowsListed: number },
  ): ReadonlyMap<Constraint, Tally>;
}

export function evidenceInEngine(engine: Engine, patterns: PatternCache): Evidence {
  const { queries, rowQueries, ruleChecks: checks } = engine;
  return {
    queries,
    rowQueries,
    measureAll: () => readProfile(engine.measure(MAX_ROWS)),
    tallies: (rules, batch) => talliesOf({ ...batch, checks, patterns }, rules),
  };
}

/** `profile`: of the state. Its rules are those that the slices were checked by. */
export function evidenceInState(state: State, profile: Profile, pastOf: PastOf | null): Evidence {
  const { rowQueries, list } = rowQueriesOf(state);
  return {
    queries: { ...columnQueriesOf(state, pastOf), ...valueQueriesOf(state, pastOf) },
    rowQueries,
    measureAll: () => profile,
    tallies: rules => wholeTallies(state.rules!, rules, list),
  };
}
