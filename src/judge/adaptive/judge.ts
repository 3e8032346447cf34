/**
 * The verdict by what the source was like: structural breaks as in contract mode, everything else by how unusual it is. Thresholds
 * that the request gave count on top. Pure.
 */
import type { Baseline } from '../../baseline/baseline.ts';
import type { BatchState } from '../../baseline/state.ts';
import { type BatchStatistics, statisticsOf } from '../../baseline/statistics.ts';
import { quoted } from '../../errors.ts';
import { valuesIn } from '../../profile/field-type.ts';
import type { ColumnQueries } from '../../engine/queries.ts';
import { type FieldProfile, type Profile, VALUE_TYPES } from '../../profile/profile.ts';
import { findDrift } from '../drift.ts';
import { newEnumValues } from '../drift/enums.ts';
import {
  driftSignal,
  healthScore,
  isFinding,
  mismatchSignal,
  nullSignal,
  raggedSignal,
  type Signal,
} from '../health.ts';
import { reportIssues } from '../issues.ts';
import type { ScreenOptions, Thresholds } from '../options.ts';
import { outsideBaseline } from '../outliers.ts';
import { ANOMALIES_LISTED, HEALTH_STEPS, LEARNED_BATCHES, PENALTY, THRESHOLDS } from '../policy.ts';
import { type FieldRates, measureRates } from '../rates.ts';
import type { Anomaly, DriftEvent, DriftKind, Gate, Issues, Judgement, TypeMismatch } from '../report.ts';
import { byName, STRUCTURAL_KINDS } from '../report.ts';
import { MOST_UNUSUAL, repeatAnomaly, repeatedBatch, repeatWords } from '../repeats.ts';
import { expectedType, fingerprint, inferSchema } from '../schema.ts';
import { decide, explain } from '../verdict.ts';
import { percent } from '../wording.ts';
import { type Assessment, assess, expectedRange, type Finding } from './anomalies.ts';
import { type History, historyOf } from './history.ts';
import { type Measure, PAIR_MEASURES, ROW_COUNT, VALUE_STATISTICS } from './measures.ts';
import { wordsFor } from './words.ts';

/** `state`: the batch as the baseline would keep it, but for the verdict. `known`: the fitted history of the baseline. */
export function judgeAdaptively(
  profile: Profile,
  look: ColumnQueries,
  baseline: Baseline | null,
  options: ScreenOptions,
  state: BatchState,
  known: History | null = baseline && historyOf(baseline),
): Judgement {
  const batch = statisticsOf(state, baseline?.recent.at(-1)?.places);
  const history = known?.batches ?? [];
  const learning = history.length < LEARNED_BATCHES;
  const thresholds = thresholdsOf(options, learning);
  const rates = measureRates(profile, baseline);
  const structure = findDrift(profile, look, baseline, options.chunk);
  structure.events = structure.events.filter(event => STRUCTURAL_KINDS.has(event.kind));
  const assessment = learning ? null : assess(known!, batch, options.falseAlarmRate);
  const found = assessment ? crossed(assessment, structure.events, profile) : [];
  const repeated = learning ? null : repeatedBatch(history, state);
  const named = nameInContract(found, profile, look, baseline);
  const drift = [...structure.events, ...named.events];
  const issues = mergeIssues(
    reportIssues(profile, look, thresholds, rates, [], { events: drift, newValues: named.newValues }),
    named.issues,
  );
  const signals = [
    ...givenSignals(profile, rates, thresholds),
    ...structure.events.map(driftSignal),
    ...(assessment ? anomalySignals(found, assessment) : []),
    ...(repeated ? [repeatedSignal(repeated)] : []),
  ].filter(signal => signal.penalty > 0);
  const schema = inferSchema(profile);
  const health_score = healthScore(signals);
  const status = decide(signals, health_score, options.thresholds);
  const anomalies = [
    ...(repeated ? [repeatAnomaly(repeated, 'warn')] : []),
    ...found.map(({ anomaly }) => anomaly),
  ];
  return {
    status,
    health_score,
    reason: explain(status, signals, health_score, options.thresholds),
    schema,
    schema_fingerprint: fingerprint(schema),
    issues,
    drift,
    gate: gateOf(history.length, learning, options.falseAlarmRate, assessment),
    ...(anomalies.length > 0 && { anomalies: anomalies.slice(0, ANOMALIES_LISTED) }),
  };
}

function gateOf(
  history: number,
  learning: boolean,
  false_alarm_rate: number,
  assessment: Assessment | null,
): Gate {
  const expected = assessment && Math.round(assessment.expectedFalseAlarmRate * HEALTH_STEPS) / HEALTH_STEPS;
  return {
    mode: 'adaptive',
    history,
    learning,
    false_alarm_rate,
    ...(expected !== null && { expected_false_alarm_rate: expected }),
  };
}

// ---- thresholds ----

/** A rate is never above 1: what was not given crosses nothing. While little is known the contract's thresholds hold for types. */
function thresholdsOf({ given, thresholds }: ScreenOptions, learning: boolean): Thresholds {
  const types = learning || 'type_mismatch_warn' in given || 'type_mismatch_block' in given;
  return {
    ...thresholds,
    null_rate_warn: given.null_rate_warn ?? Math.min(1, given.null_rate_block ?? 1),
    null_rate_block: given.null_rate_block ?? 1,
    type_mismatch_warn: types ? thresholds.type_mismatch_warn : 1,
    type_mismatch_block: types ? thresholds.type_mismatch_block : 1,
  };
}

/** Only what crosses: below a threshold a rate that is usual here says nothing. Ragged rows are not learned: the contract's thresholds hold. */
function givenSignals(profile: Profile, rates: readonly FieldRates[], thresholds: Thresholds): Signal[] {
  const nulls = { warn: thresholds.null_rate_warn, block: thresholds.null_rate_block };
  const mismatches = { warn: thresholds.type_mismatch_warn, block: thresholds.type_mismatch_block };
  const ragged = { warn: THRESHOLDS.type_mismatch_warn, block: THRESHOLDS.type_mismatch_block };
  return [
    ...rates.map(rate => nullSignal(rate, nulls)),
    ...rates.map(rate => mismatchSignal(rate, mismatches)),
    raggedSignal(profile, ragged),
  ].filter(isFinding);
}

// ---- anomalies ----

interface Found {
  finding: Finding;
  anomaly: Anomaly;
}

/** A structural break says what a field's statistics would say once more. */
function crossed(assessment: Assessment, structure: readonly DriftEvent[], profile: Profile): Found[] {
  const broken = new Set(structure.map(event => event.field));
  return assessment.findings
    .filter(({ unusual }) => unusual > assessment.warn)
    .flatMap(finding => ofBoth(finding, profile))
    .filter(({ field }) => field === null || !broken.has(field))
    .map(finding => ({ finding, anomaly: anomalyOf(finding, assessment) }));
}

/** Where a field no longer goes with the one before it either may be at fault. */
function ofBoth(finding: Finding, { fields, rows }: Profile): Finding[] {
  if (!PAIR_MEASURES.includes(finding.measure)) return [finding];
  const place = fields.findIndex(({ name }) => name === finding.field);
  const beside = fields.slice(0, place).findLast(({ present }) => present === rows);
  return beside ? [finding, { ...finding, field: beside.name }] : [finding];
}

function anomalyOf(finding: Finding, assessment: Assessment): Anomaly {
  const { field, measure, unusual, forecast } = finding;
  const line = forecast.surprise * (assessment.warn / Math.max(unusual, assessment.warn));
  return {
    field: field ?? '*',
    statistic: measure.name,
    observed: rounded(knownOf(measure, finding.observed)),
    expected: expectedRange(finding, line).map(rounded) as [number, number],
    unusual: Math.min(MOST_UNUSUAL, Math.round(unusual * 100) / 100),
    severity: unusual > assessment.block ? 'block' : 'warn',
    detail: describe(finding),
  };
}

const rounded = (value: number): number => Number(value.toPrecision(6));

const knownOf = ({ known }: Measure, value: number): number => known?.(value) ?? value;

/** What stands behind the colon may be values of the payload: `redact.ts` cuts it off. */
function describe({ field, measure, observed, forecast }: Finding): string {
  const figure = (value: number) => String(Number(knownOf(measure, value).toPrecision(4)));
  if (field === null) {
    const direction = forecast.distance > 0 ? 'above' : 'below';
    return `Row count ${Math.round(Math.exp(observed))} is far ${direction} the usual ${Math.round(Math.exp(forecast.expected))}`;
  }
  const what = `Unusual ${wordsFor(measure.name)} of ${quoted(field)}`;
  if (measure.kind === 'mix') return `${what}: ${percent(observed)} of it lies elsewhere than usual`;
  if (measure.kind === 'level')
    return `${what}: ${figure(observed)}, usually about ${figure(forecast.expected)}`;
  return `${what}: ${percent(observed)}, usually ${percent(forecast.expected)}`;
}

/** The most unusual statistic counts even where it is no finding: so health has an order among batches that pass. */
function anomalySignals(found: readonly Found[], assessment: Assessment): Signal[] {
  const worst = assessment.findings[0];
  // It is not among what was found where its field has broken by itself.
  const others = found.map(({ finding }) => finding).filter(finding => finding !== worst);
  return [...(worst ? [worst] : []), ...others].map(finding => anomalySignal(finding, assessment));
}

/** 0.2 at the line of WARN, 0.5 at that of BLOCK, as for every other signal; in between and below in proportion, above towards 1. */
function anomalySignal(finding: Finding, { warn, block }: Assessment): Signal {
  const { unusual } = finding;
  // What is no more unusual than half of all clean batches still has an order.
  const below = PENALTY.warn * Math.min(1, 1 / (1 + Math.max(0, warn - unusual)));
  const between = PENALTY.warn + ((PENALTY.block - PENALTY.warn) * (unusual - warn)) / (block - warn);
  const penalty =
    unusual <= warn ? below : unusual <= block ? between : 1 - (1 - PENALTY.block) * (block / unusual);
  const level = unusual > block ? 'block' : unusual > warn ? 'warn' : 'info';
  return { kind: 'anomalies', penalty, level, describe: () => describe(finding) };
}

const repeatedSignal = (repeated: BatchStatistics): Signal => ({
  kind: 'anomalies',
  penalty: PENALTY.warn,
  level: 'warn',
  describe: () => repeatWords(repeated),
});

// ---- in the contract's words ----

interface Named {
  events: DriftEvent[];
  newValues: Map<string, string[]>;
  issues: Pick<Issues, 'type_mismatches' | 'outliers'>;
}

/** Each field's most unusual statistic of every kind, as the issue or the event of the contract that fits. */
function nameInContract(
  found: readonly Found[],
  profile: Profile,
  look: ColumnQueries,
  baseline: Baseline | null,
): Named {
  const fields = new Map(profile.fields.map(field => [field.name, field]));
  const events = new Map<string, DriftEvent>();
  const newValues = new Map<string, string[]>();
  const mismatches = new Map<string, TypeMismatch>();
  const outliers = new Map<string, NonNullable<Issues['outliers']>[string]>();
  for (const { finding, anomaly } of found) {
    const field = fields.get(anomaly.field);
    const before = baseline?.fields.get(anomaly.field);
    const far = field && isOfNumbers(finding) ? outsideBaseline(field.column, look, before) : null;
    if (far && far.count > 0) {
      if (!outliers.has(anomaly.field)) {
        outliers.set(anomaly.field, {
          ...far,
          severity: anomaly.severity === 'block' ? 'critical' : 'warning',
        });
      }
      continue;
    }
    const mismatch = field && isOfTypes(finding) ? mismatchOf(field, look, baseline, anomaly) : null;
    if (mismatch) {
      mismatches.set(anomaly.field, mismatches.get(anomaly.field) ?? mismatch);
      continue;
    }
    const fresh =
      isOfNewValues(finding) && field && before
        ? newEnumValues(field, before, look, profile.analysedRows)
        : null;
    const kind = fresh ? 'new_enum_value' : kindOf(finding);
    const key = `${kind} ${anomaly.field}`;
    if (events.has(key)) continue;
    if (fresh) newValues.set(anomaly.field, fresh.values);
    events.set(key, fresh ? { ...fresh.event, severity: anomaly.severity } : eventOf(kind, finding, anomaly));
  }
  const issues = {
    ...(mismatches.size > 0 && { type_mismatches: byName(mismatches) }),
    ...(outliers.size > 0 && { outliers: byName(outliers) }),
  };
  return { events: [...events.values()], newValues, issues };
}

const isOfNumbers = ({ measure }: Finding): boolean => VALUE_STATISTICS.has(measure.name);

const isOfNewValues = ({ measure }: Finding): boolean => measure.name === 'new_value_share';

/** The measures of type shares are named after the types. */
const isOfTypes = ({ measure }: Finding): boolean =>
  VALUE_TYPES.some(type => measure.name === `${type}_share`);

/** Null where all values have the expected type: then there are fewer mismatches than usual. */
function mismatchOf(
  field: FieldProfile,
  look: ColumnQueries,
  baseline: Baseline | null,
  { severity }: Anomaly,
): TypeMismatch | null {
  const expected = expectedType(field, baseline);
  const found = VALUE_TYPES.filter(type => type !== expected && field.counts[type] > 0);
  if (found.length === 0) return null;
  const values = valuesIn(field.counts);
  return {
    expected,
    found,
    sample_value: look.example(field.column, expected),
    rate: (values - field.counts[expected]) / values,
    severity: severity === 'block' ? 'critical' : 'warning',
  };
}

function kindOf({ field, measure, forecast }: Finding): DriftKind {
  if (field === null) return 'row_count_anomaly';
  if (measure.name === 'null_rate' && forecast.distance > 0) return 'null_spike';
  if (measure.name === 'empty_rate' && forecast.distance > 0) return 'empty_string_spike';
  return 'cardinality_change';
}

function eventOf(kind: DriftKind, { measure, observed, forecast }: Finding, anomaly: Anomaly): DriftEvent {
  const { field, severity, detail } = anomaly;
  const isShare = measure.kind === 'share';
  const said = (value: number): string =>
    measure === ROW_COUNT ? String(Math.round(Math.exp(value))) : isShare ? percent(value) : 'usual';
  const current =
    isShare || measure === ROW_COUNT ? said(observed) : forecast.distance > 0 ? 'above' : 'below';
  return { field, kind, severity, detail, previous: said(forecast.expected), current };
}

const mergeIssues = (issues: Issues | undefined, more: Named['issues']): Issues | undefined =>
  Object.keys(more).length > 0 ? { ...issues, ...more } : issues;
