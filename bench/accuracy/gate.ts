/** Engine, judge and baseline in one process, without HTTP and stores. */
import { Format } from '../../assembly/abi.ts';
import type { Baseline } from '../../src/baseline/baseline.ts';
import { mergeState } from '../../src/baseline/merge.ts';
import { baselineOf } from '../../src/baseline/merged.ts';
import { countNewValues } from '../../src/baseline/new-values.ts';
import { pastColumnsOf } from '../../src/baseline/past-columns.ts';
import { type BaselineRecord, EMPTY_RECORD } from '../../src/baseline/record.ts';
import { stateOf } from '../../src/baseline/state-of-batch.ts';
import type { Report } from '../../src/report-schema/report.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { type Assessment, assess } from '../../src/judge/assess.ts';
import { type KeptRun, runOf } from '../../src/judge/blocked-run.ts';
import { type Mode, parseOptions } from '../../src/options/options.ts';
import { SETTLE_AFTER } from '../../src/terms/policy.ts';
import { reportOf } from '../../src/report/report.ts';
import { fitHistory, type History } from '../../src/rules/learned/history.ts';
import { RULES } from '../../src/rules/rules.ts';
import { fullProfile } from '../in-process.ts';
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
  /** Of the baseline that it was last asked for. */
  #history: History | undefined;
  #fittedTo: Baseline | null = null;
  #batches = 0;
  #asked = 0;
  #hours = 0;
  #run: KeptRun | null = null;

  /** `begin`: when the first batch comes, in ms; the others follow every so many hours. */
  constructor(engine: Engine, mode: Mode, everyHours = 24, begin = Date.UTC(2026, 0, 1, 6)) {
    this.#engine = engine;
    this.#mode = mode;
    this.#everyHours = everyHours;
    this.#begin = begin;
  }

  /** No batch comes for so many hours. */
  wait(hours: number): void {
    this.#hours += hours;
  }

  /** `learn`: whether the batch is to join the history, unless it is BLOCK and not the first. */
  judge(rows: Batch, learn = true, asked: object = {}): Report {
    return this.#judge(Format.JSON, JSON.stringify({ source: 's', rows }), learn, asked);
  }

  /** The same for a body of CSV. */
  judgeCsv(text: string, learn = true, asked: object = {}): Report {
    return this.#judge(Format.CSV, text, learn, asked);
  }

  #judge(format: Format, body: string, learn: boolean, asked: object): Report {
    const options = parseOptions({ mode: this.#mode, ...asked });
    const baseline = this.#baseline;
    const profile = fullProfile(this.#engine, format, encoder.encode(body), pastColumnsOf(baseline));
    const { queries, rowQueries } = this.#engine;
    const at = this.#begin + this.#hours * HOUR_MS;
    const id = `req_${String(this.#asked++).padStart(26, '0')}`;
    const facts = { id, at, chunk: options.chunk, provisional: false, verdict: 'PASS', health: 1 } as const;
    const newValues = countNewValues(profile, queries, baseline);
    const state = stateOf(profile, facts, baseline, newValues);
    const batch = { profile, queries, rowQueries, state };
    const history = this.#historyOf(baseline);
    const assessment = assess(batch, { baseline, history, run: this.#run }, RULES, options);
    // A batch that is not learned came at its time, too.
    if (learn) {
      this.#hours += this.#everyHours;
      this.#noteRun(id, assessment);
    }
    if (learn && (assessment.status !== 'BLOCK' || this.#batches === 0))
      this.#learn({
        ...state,
        verdict: assessment.status,
        health: assessment.health,
        ...(assessment.newNormal && { proposed: true }),
      });
    const screening = { id, source: 's', at, latencyMs: 0, dryRun: false };
    return reportOf({ screening, profile, baseline, assessment, run: null, advice: [], pinned: false });
  }

  #noteRun(id: string, { status, causes, newNormal }: Assessment): void {
    if (status !== 'BLOCK' && !newNormal) return;
    const run = runOf(id, causes, this.#run, this.#baseline);
    this.#run = { ...run, causes: JSON.stringify(run.causes) };
  }

  get baseline(): Baseline | null {
    return this.#baseline;
  }

  #learn(state: Parameters<typeof mergeState>[1]): void {
    this.#record = mergeState(this.#record, state);
    this.#baseline = baselineOf({ record: this.#record, provisional: false });
    this.#batches++;
  }

  #historyOf(baseline: Baseline | null): History | null {
    if (!baseline) return null;
    if (baseline !== this.#fittedTo) this.#history = fitHistory(baseline, SETTLE_AFTER, this.#history);
    this.#fittedTo = baseline;
    return this.#history!;
  }
}
