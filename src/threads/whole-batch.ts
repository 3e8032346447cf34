/** A batch that comes in slices, as far as one thread has measured it. */
import type { Baseline } from '../baseline/baseline.ts';
import type { Engine } from '../engine/engine.ts';
import { readProfile } from '../profile/read.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import type { PatternCache } from '../rules/declared/patterns.ts';
import { talliesOf } from '../rules/violations/check.ts';
import { talliesOfSlice } from '../states/rule-tallies.ts';
import type { SlicePlace } from '../states/slice-rows.ts';
import { mergeStates, type State, stateOfSlice } from '../states/state.ts';
import { ROWS_LISTED } from '../terms/policy.ts';

/** What its slices are compared with while the engine holds them. */
export interface SliceTerms {
  /** As it was when the batch began; null for a new source. */
  baseline: Baseline | null;
  rules: DeclaredRules | null;
  patterns: PatternCache;
  /** In ms. */
  now: number;
}

export class WholeBatch {
  #state: State | null = null;

  /** `terms`: null for a batch that is only described. */
  constructor(readonly terms: SliceTerms | null) {}

  /** The slice that the engine holds. Throws `Rejection` for a name that is too long. */
  add(engine: Engine, place: SlicePlace): void {
    const record = engine.measurePart();
    const state = this.terms
      ? this.#judged(engine, record, place, this.terms)
      : stateOfSlice(record, place, this.#state);
    this.#state = this.#state ? mergeStates(this.#state, state) : state;
  }

  /** Of all slices; null without one. */
  get state(): State | null {
    return this.#state;
  }

  #judged(
    engine: Engine,
    record: ReturnType<Engine['measurePart']>,
    place: SlicePlace,
    { baseline, rules, patterns, now }: SliceTerms,
  ): State {
    const { ruleChecks: checks, rowQueries } = engine;
    // Before the state, which keeps parts of the record.
    const batch = rules && { profile: readProfile(record), checks, patterns, now, rowsListed: ROWS_LISTED };
    const tallies = batch && talliesOfSlice(talliesOf(batch, rules), rules, place, rowQueries);
    return stateOfSlice(record, place, this.#state, { engine, baseline }, tallies);
  }
}
