/** Judges one measured batch by the past of its source, and makes everything that is said and kept of it. The engine must still hold the batch. */
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { Baseline } from '../baseline/baseline.ts';
import { encodeState } from '../baseline/encode-state.ts';
import { countNewValues } from '../baseline/new-values.ts';
import type { BatchState } from '../baseline/state.ts';
import { stateOf } from '../baseline/state-of-batch.ts';
import type { Report } from '../report-schema/report.ts';
import { advise } from '../judge/advice.ts';
import { type Assessment, assess } from '../judge/assess.ts';
import { settledMode } from '../judge/auto-mode.ts';
import { type BlockedRun, runOf } from '../judge/blocked-run.ts';
import type { AskedMode, ScreenOptions } from '../options/options.ts';
import { settingsIn, withSettings } from '../options/settings.ts';
import { ROWS_LISTED } from '../terms/policy.ts';
import { describe, type ProfileDescription } from '../profile/describe.ts';
import type { Profile } from '../profile/profile.ts';
import type { ReportHead } from '../report/response.ts';
import { keptOf, type KeptOfBatch } from '../report/completion.ts';
import { type ReportInput, reportOf, reportWithoutValues } from '../report/report.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import { compilePatterns } from '../rules/declared/parse.ts';
import { fitForFirstLarge, type History } from '../rules/learned/history.ts';
import { RULES, RULES_WITHOUT_PAST } from '../rules/rules.ts';
import { type CheckedRules, decided } from '../rules/violations/check.ts';
import type { SourceNotes } from '../stores/ports.ts';
import type { Evidence } from './evidence.ts';

/** A batch that is parsed and measured, with its identity. */
export interface MeasuredBatch {
  /** The request's, and its job's. */
  id: string;
  source: string;
  /** In ms. */
  at: number;
  /** Of the request. */
  options: ScreenOptions;
  profile: Profile;
}

/** What is known of its source. */
export interface Past {
  baseline: Baseline | null;
  notes: SourceNotes;
  /** Fits what rules learned; asked for only with a baseline. */
  history(baseline: Baseline, settleAfter: number): History;
}

export interface JudgingContext {
  evidence: Evidence;
  /** Those of sources, by their stored text. */
  rulesOf(text: string | null): DeclaredRules | null;
  /** The mode where neither the request nor the source's settings give one. */
  defaultMode: AskedMode;
  /** Whether a job is kept of the batch. */
  isKept: boolean;
}

/** A batch with all that is found of it. */
export interface JudgedBatch extends MeasuredBatch {
  /** As the baseline keeps it. */
  state: BatchState;
  assessment: Assessment;
  baseline: Baseline | null;
  notes: SourceNotes;
  /** The run of BLOCKed batches that this one continues; null unless it is BLOCK. */
  run: BlockedRun | null;
  /** Null where no job keeps it. */
  description: ProfileDescription | null;
  /** Whether its source is to learn it. */
  isLearned: boolean;
}

/** What a state says until the verdict is known. */
const UNJUDGED = { provisional: false, verdict: 'PASS', health: 1 } as const;

export function judgeBatch(measured: MeasuredBatch, past: Past, context: JudgingContext): JudgedBatch {
  const { id, at } = measured;
  const { baseline, notes } = past;
  const { evidence, isKept } = context;
  const { queries, rowQueries } = evidence;
  const asked = withSettings(measured.options, settingsIn(notes.settings), context.defaultMode);
  const options = settledMode(asked, baseline, notes.run);
  const { profile, ...checked } = checkedBatch({ ...measured, options }, notes, context);
  const newValues = countNewValues(profile, queries, baseline);
  const state = stateOf(profile, { id, at, chunk: options.chunk, ...UNJUDGED }, baseline, newValues);
  const history =
    baseline &&
    (fitForFirstLarge(baseline, state, options.settleAfter) ?? past.history(baseline, options.settleAfter));
  const batch = { profile, queries, rowQueries, state, ...checked };
  const known = { baseline, history, run: notes.pinned ? null : notes.run };
  const assessment = assess(batch, known, RULES, options);
  const { status, health, newNormal, causes } = assessment;
  const run = status === 'BLOCK' || newNormal ? runOf(id, causes, notes.run, baseline) : null;
  const description = isKept && !options.dryRun ? describe(profile, queries) : null;
  // Only the first batch is learned in spite of a BLOCK: it counts until a better one comes.
  const isLearned = baseline === null || (status !== 'BLOCK' && !isPinned(baseline, notes));
  const provisional = isLearned && status === 'BLOCK';
  const judged = { ...state, provisional, verdict: status, health, ...(newNormal && { proposed: true }) };
  return {
    ...measured,
    options,
    profile,
    state: judged,
    assessment,
    baseline,
    notes,
    run,
    description,
    isLearned,
  };
}

/** By thresholds, structure and rules, as if there were no past. Its source does not learn it. */
export function judgeAlone(
  measured: MeasuredBatch,
  { settings, rules }: Pick<SourceNotes, 'settings' | 'rules'>,
  context: Omit<JudgingContext, 'isKept'>,
): JudgedBatch {
  const { id, at } = measured;
  const { queries, rowQueries } = context.evidence;
  const notes = { settings, rules, pinned: false, run: null };
  const options = withSettings(measured.options, settingsIn(settings), context.defaultMode);
  const { profile, ...checked } = checkedBatch({ ...measured, options }, notes, context);
  const { rows, duplicateRows } = profile;
  // A state takes as long as all else, and is for comparing with the past.
  const facts = { id, at, chunk: options.chunk, ...UNJUDGED };
  const state: BatchState = { ...facts, rows, duplicateRows, fields: new Map() };
  const batch = { profile, queries, rowQueries, state, ...checked };
  const assessment = assess(batch, { baseline: null, history: null }, RULES_WITHOUT_PAST, options);
  const nothing = { baseline: null, run: null, description: null, isLearned: false };
  return { ...measured, options, profile, state, assessment, notes, ...nothing };
}

/** Checks the rules that hold. */
function checkedBatch(
  { at, options, profile: measured }: MeasuredBatch,
  notes: SourceNotes,
  { evidence, rulesOf }: Pick<JudgingContext, 'evidence' | 'rulesOf'>,
): { profile: Profile } & Partial<CheckedRules> {
  const rules = rulesFor(options, notes, rulesOf);
  if (rules === null) return { profile: measured };
  const isSampled = measured.analysedRows < measured.rows;
  // Statistics that a rule bounds are of all rows.
  const needsAll = isSampled && rules.constraints.some(({ kind }) => kind === 'statistic');
  const profile = needsAll ? { ...evidence.measureAll(), signs: measured.signs } : measured;
  const rowsListed = options.rowVerdicts ? MAX_ROWS : ROWS_LISTED;
  const batch = { profile, now: at, rowsListed };
  return { profile, ...decided(evidence.tallies(rules, batch), batch, rules) };
}

/** The rules that hold: those of the request, else those of the source; null without one. Throws `Rejection` INVALID_RULES. */
export function rulesFor(
  { rules: own }: ScreenOptions,
  notes: SourceNotes,
  rulesOf: JudgingContext['rulesOf'],
): DeclaredRules | null {
  if (own) compilePatterns(own);
  const rules = own ?? rulesOf(notes.rules);
  return rules === null || rules.constraints.length === 0 ? null : rules;
}

/** A pin does not protect a provisional baseline. */
const isPinned = (baseline: Baseline | null, { pinned }: SourceNotes): boolean =>
  pinned && baseline?.provisional === false;

/** What is said of a batch and kept of it. */
export interface ReportedBatch {
  report: Report;
  /** The report as JSON. Its `latency_ms` is 0 until it is known. */
  body: string;
  /** Null where no job keeps it. */
  kept: KeptOfBatch | null;
  /** Of a batch that is not learned, but may be accepted yet; encoded. */
  unlearned: Uint8Array | null;
}

/** `storageFull`: the baseline had no room to learn the batch. `storeValues`: whether jobs keep values of the payload. */
export function reportBatch(judged: JudgedBatch, storageFull: boolean, storeValues: boolean): ReportedBatch {
  const reported = reportInputOf(judged, storageFull);
  const report = reportOf(reported);
  const body = JSON.stringify(report);
  const { description } = judged;
  const kept = description && keptOf({ reported, report, body, description }, storeValues);
  return { report, body, kept, unlearned: kept && unlearnedState(judged, storageFull) };
}

export const headOf = ({ status, health_score: health, gate }: Report): ReportHead => ({
  status,
  health,
  mode: gate?.mode ?? 'contract',
});

/** The report as JSON, without values of the payload. */
export const bodyWithoutValues = (judged: JudgedBatch): string =>
  JSON.stringify(reportWithoutValues(reportInputOf(judged, false)));

/** Of a BLOCKed batch, and of a WARN that was not learned. */
function unlearnedState(
  { state, assessment, isLearned }: JudgedBatch,
  storageFull: boolean,
): Uint8Array | null {
  const { status } = assessment;
  const isLost = status === 'WARN' && (storageFull || !isLearned);
  return status === 'BLOCK' || isLost ? encodeState({ ...state, provisional: false }) : null;
}

function reportInputOf(judged: JudgedBatch, storageFull: boolean): ReportInput {
  const { id, source, at, options, profile, baseline, notes, assessment, run } = judged;
  const crossing = assessment.findings.filter(crossesThreshold).map(({ field }) => field!);
  const { mode, thresholds, dryRun } = options;
  const advice = mode === 'contract' ? advise(new Set(crossing), baseline, run, thresholds) : [];
  const screening = { id, source, at, latencyMs: 0, dryRun };
  return {
    screening,
    profile,
    baseline,
    assessment,
    run,
    advice,
    pinned: isPinned(baseline, notes),
    storageFull,
  };
}

const crossesThreshold = ({ kind, severity }: Assessment['findings'][number]): boolean =>
  severity !== 'info' && (kind === 'null_rate' || kind === 'type_mismatch');
