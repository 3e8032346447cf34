/** A batch that comes in slices, as far as one thread has measured it. */
import type { Baseline } from '../baseline/baseline.ts';
import { pastColumnsOf } from '../baseline/past-columns.ts';
import type { BatchRecord } from '../engine/records.ts';
import type { Sign } from '../table/sign.ts';
import type { Engine } from '../engine/engine.ts';
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { Finding } from '../findings/kinds.ts';
import { quarantineOfSlice } from '../judge/slice-quarantine.ts';
import type { RowList } from '../engine/queries.ts';
import type { SliceKeys } from '../engine/row-keys.ts';
import type { Quarantine } from '../report-schema/report.ts';
import { readProfile } from '../profile/read.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import type { PatternCache } from '../rules/declared/patterns.ts';
import { chooseRows, talliesOf } from '../rules/violations/check.ts';
import { GrowingState } from '../states/growing-state.ts';
import { type RepeatedRows, uniqueRules } from '../states/repeated-rows.ts';
import type { HeldKeys } from '../states/keys/key-set.ts';
import { talliesOfSlice } from '../states/rule-tallies.ts';
import type { SlicePlace } from '../states/slice-rows.ts';
import { type State, stateOfSlice } from '../states/state.ts';
import type { ScreenOptions } from '../options/options.ts';
import { ROWS_LISTED } from '../terms/policy.ts';
import type { SourceOrder } from './source-tasks.ts';

/** What its slices are compared with while the engine holds them. */
export interface SliceTerms {
  /** As it was when the batch began; null for a new source. */
  baseline: Baseline | null;
  rules: DeclaredRules | null;
  patterns: PatternCache;
  /** In ms. */
  now: number;
  /** Of the whole, which has been judged: slices come once more for their rows. Null before that. */
  findings: readonly Finding[] | null;
  /** Rows to hold back are numbered by their index, also of CSV. */
  isByIndex: boolean;
}

/** What a batch in slices is judged by later: slices are compared with it while they are here. */
export interface BeginOrder extends SourceOrder {
  options: ScreenOptions;
  /** In ms. */
  at: number;
  /** Rows are numbered by their index in the part, also of CSV. */
  isByIndex?: boolean;
  /** The batch has been judged with row verdicts: these are its findings, and its slices come once more. */
  findings?: readonly Finding[];
}

export class WholeBatch {
  readonly #slices = new GrowingState();

  /** `terms`: null for a batch that is only described. `repeated`: collects the keys of rows; null: they are returned. */
  constructor(
    readonly terms: SliceTerms | null,
    readonly repeated: RepeatedRows | null = null,
  ) {}

  /** The slice that the engine holds. Returns keys of its rows: of whole rows, and of each `unique` rule. Throws `Rejection` for a name that is too long, or if the disk takes no more keys. */
  add(engine: Engine, place: SlicePlace, signs: readonly Sign[]): SliceKeys[] {
    const record = { ...engine.measurePart(this.#slices.takersOf), signs };
    const state = this.terms ? this.#judged(engine, record, place, this.terms) : stateOfSlice(record, place);
    const names = [...state.columns.keys()];
    this.#slices.add(state);
    if (this.terms === null) return [];
    const keys = keysOf(engine, names, this.terms.rules);
    if (this.repeated === null) return keys;
    this.repeated.add(keys, place);
    return [];
  }

  /** The rows to hold back of the slice that the engine holds; null unless the whole has been judged. `repeats`: its rows that repeat others, by their keys. */
  hold(engine: Engine, repeats: readonly RowList[]): Quarantine | null {
    if (!this.terms?.findings) return null;
    const { baseline, rules, patterns, now, findings, isByIndex } = this.terms;
    const { ruleChecks: checks, rowQueries } = engine;
    const profile = readProfile(engine.measure(MAX_ROWS, pastColumnsOf(baseline)));
    const batch = { profile, checks, patterns, now, rowsListed: MAX_ROWS };
    const tallies = rules ? [...talliesOf(batch, rules)] : [];
    const failing = new Map(tallies.flatMap(([{ rule }, { rows }]) => (rows ? [[rule, rows] as const] : [])));
    const [duplicates, ...ofRules] = repeats;
    for (const [i, { rule }] of uniqueRules(rules).entries()) failing.set(rule, ofRules[i]!);
    const queries = {
      ...rowQueries,
      duplicated: (limit: number) => duplicates!.slice(0, limit),
      ...(isByIndex && { lines: () => null }),
    };
    return quarantineOfSlice(findings, { profile, rowQueries: queries, baseline, failing });
  }

  /** What all slices say; null without one. Nothing can be added any more. */
  end(): State | null {
    return this.#slices.end();
  }

  /** The keys that were collected here. */
  handOver(): HeldKeys[] {
    return this.repeated?.handOver() ?? [];
  }

  #judged(
    engine: Engine,
    record: BatchRecord,
    place: SlicePlace,
    { baseline, rules, patterns, now }: SliceTerms,
  ): State {
    const { ruleChecks: checks, rowQueries } = engine;
    // Before the state, which keeps parts of the record.
    const batch = rules && { profile: readProfile(record), checks, patterns, now, rowsListed: ROWS_LISTED };
    const tallies = batch && talliesOfSlice(talliesOf(batch, rules), rules, place, rowQueries);
    return stateOfSlice(record, place, this.#slices.known, { engine, baseline }, tallies);
  }
}

/** `names`: of the columns of the slice. */
function keysOf(engine: Engine, names: readonly string[], rules: DeclaredRules | null): SliceKeys[] {
  const { keyQueries, ruleChecks } = engine;
  const columns = new Map(names.map((name, column) => [name, column]));
  const fieldOf = (name: string) => ({ name, column: columns.get(name) ?? null });
  const ofRules = uniqueRules(rules).map(({ fields, condition }) => {
    chooseRows(
      ruleChecks,
      name => columns.get(name) ?? null,
      condition === null ? null : rules!.conditions[condition]!,
    );
    return keyQueries.ofValues(fields.map(fieldOf));
  });
  return [keyQueries.ofRows(names.map(fieldOf)), ...ofRules];
}
