/** The gate as a source meets it: engine, judge and baseline in one process, without HTTP and stores. */
import type { Baseline } from '../../src/baseline/baseline.ts';
import { freshValues } from '../../src/baseline/fresh.ts';
import { mergeState } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { type BaselineRecord, EMPTY_RECORD } from '../../src/baseline/record.ts';
import { stateOf } from '../../src/baseline/state.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { judgeAdaptively } from '../../src/judge/adaptive/judge.ts';
import { judge } from '../../src/judge/judge.ts';
import { type Mode, parseOptions } from '../../src/judge/options.ts';
import type { Judgement } from '../../src/judge/report.ts';
import { screenJson } from '../in-process.ts';
import type { Batch } from './rows.ts';

const encoder = new TextEncoder();
const HOUR_MS = 3_600_000;

/** A source that learns what is not BLOCK. */
export class Gate {
  readonly #engine: Engine;
  readonly #mode: Mode;
  readonly #everyHours: number;
  readonly #begin: number;
  #record: BaselineRecord = EMPTY_RECORD;
  #baseline: Baseline | null = null;
  #batches = 0;

  /** `begin`: when the first batch comes, in ms; the others follow every so many hours. */
  constructor(engine: Engine, mode: Mode, everyHours = 24, begin = Date.UTC(2026, 0, 1, 6)) {
    this.#engine = engine;
    this.#mode = mode;
    this.#everyHours = everyHours;
    this.#begin = begin;
  }

  /** `learn`: whether the batch is to join the history, unless it is BLOCK and not the first. */
  judge(rows: Batch, learn = true, asked: object = {}): Judgement {
    const profile = screenJson(this.#engine, encoder.encode(JSON.stringify({ source: 's', rows })));
    const baseline = this.#baseline;
    const { queries: look } = this.#engine;
    const at = this.#begin + this.#batches * this.#everyHours * HOUR_MS;
    const facts = { id: `b${String(this.#batches).padStart(5, '0')}`, at, chunk: false, provisional: false };
    const fresh = freshValues(profile, look, baseline);
    const state = stateOf(profile, { ...facts, verdict: 'PASS', health: 1 }, baseline, fresh);
    const options = parseOptions({ mode: this.#mode, ...asked });
    const judgement =
      options.mode === 'contract'
        ? judge(profile, look, baseline, options)
        : judgeAdaptively(profile, look, baseline, options, state);
    if (learn && (judgement.status !== 'BLOCK' || this.#batches === 0)) this.#learn(state);
    return judgement;
  }

  get baseline(): Baseline | null {
    return this.#baseline;
  }

  #learn(state: Parameters<typeof mergeState>[1]): void {
    this.#record = mergeState(this.#record, state);
    this.#baseline = baselineOf({ record: this.#record, provisional: false });
    this.#batches++;
  }
}
