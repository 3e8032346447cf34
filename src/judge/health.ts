/**
 * Health, calibrated to the thresholds: every rate and event has a penalty in 0..1 that is 0.2 at its warn line and
 * 0.5 at its block line, the worst one counts, and each further kind of finding takes a tenth of what is left.
 */
import { quoted } from '../errors.ts';
import type { Profile } from '../profile/profile.ts';
import { crossing, type Limits, mismatchLimits, nullLimits } from './crossing.ts';
import type { Thresholds } from './options.ts';
import type { FieldOutliers } from './outliers.ts';
import { HEALTH_STEPS, OTHER_KIND_FACTOR, OUTLIER_PENALTY, OUTLIER_PENALTY_CAP, PENALTY } from './policy.ts';
import { type FieldRates, raggedRate } from './rates.ts';
import type { DriftEvent, DriftKind } from './report.ts';
import { percent } from '../wording.ts';

/** One thing that lowers health. */
export interface Signal {
  kind: 'null_rates' | 'type_mismatches' | 'ragged_rows' | 'outliers' | 'anomalies' | DriftKind;
  /** 0..1, above 0. */
  penalty: number;
  /** `warn` and `block` are findings: a crossed threshold or a drift event of that severity. */
  level: 'info' | 'warn' | 'block';
  /** The cause, in words a person acts on. */
  describe(): string;
}

export const isFinding = (signal: Signal): boolean => signal.level !== 'info';

export function collectSignals(
  profile: Profile,
  thresholds: Thresholds,
  rates: readonly FieldRates[],
  outliers: readonly FieldOutliers[],
  events: readonly DriftEvent[],
): Signal[] {
  return [
    ...rates.map(rate => nullSignal(rate, nullLimits(thresholds))),
    ...rates.map(rate => mismatchSignal(rate, mismatchLimits(thresholds))),
    raggedSignal(profile, mismatchLimits(thresholds)),
    ...outliers.map(outlierSignal),
    ...events.map(driftSignal),
  ].filter(signal => signal.penalty > 0);
}

/** 0..1, four decimals; 1 is perfect. */
export function healthScore(signals: readonly Signal[]): number {
  const worst = signals.reduce((most, signal) => Math.max(most, signal.penalty), 0);
  const kinds = new Set(signals.filter(isFinding).map(signal => signal.kind));
  // A finding is never cheaper than what is none, so the worst penalty's kind is one of these if there are any.
  const otherKinds = Math.max(0, kinds.size - 1);
  return Math.round((1 - worst) * OTHER_KIND_FACTOR ** otherKinds * HEALTH_STEPS) / HEALTH_STEPS;
}

/** From 0 at 0 by way of 0.2 at warn and 0.5 at block to 1 at 1; an interval without length is never reached. */
export function ratePenalty(rate: number, { warn, block }: Limits): number {
  if (rate === 0) return 0;
  if (rate <= warn) return PENALTY.warn * (rate / warn);
  if (rate <= block) return PENALTY.warn + (PENALTY.block - PENALTY.warn) * ((rate - warn) / (block - warn));
  return PENALTY.block + (1 - PENALTY.block) * ((rate - block) / (1 - block));
}

export const nullSignal = ({ field, nullRate }: FieldRates, limits: Limits): Signal =>
  rateSignal('null_rates', nullRate, limits, high => {
    return `${high ? 'High null rate' : 'Null rate'} in ${quoted(field.name)} (${percent(nullRate)})`;
  });

export const mismatchSignal = ({ field, expected, mismatchRate }: FieldRates, limits: Limits): Signal =>
  rateSignal('type_mismatches', mismatchRate, limits, () => {
    return `Type mismatch in ${quoted(field.name)} (${percent(mismatchRate)} not ${expected})`;
  });

export const raggedSignal = (profile: Profile, limits: Limits): Signal =>
  rateSignal('ragged_rows', raggedRate(profile), limits, () => {
    const { count, firstLine } = profile.ragged;
    return `Ragged rows (${percent(raggedRate(profile))}: ${count}, the first at line ${firstLine})`;
  });

function rateSignal(
  kind: Signal['kind'],
  rate: number,
  limits: Limits,
  words: (high: boolean) => string,
): Signal {
  const severity = crossing(rate, limits)?.severity;
  const level = severity === 'critical' ? 'block' : severity === 'warning' ? 'warn' : 'info';
  return { kind, penalty: ratePenalty(rate, limits), level, describe: () => words(level !== 'info') };
}

const outlierSignal = ({ name, share }: FieldOutliers): Signal => ({
  kind: 'outliers',
  penalty: Math.min(OUTLIER_PENALTY_CAP, OUTLIER_PENALTY * share),
  level: 'info',
  describe: () => `Outliers in ${quoted(name)} (${percent(share)} of its numbers)`,
});

export const driftSignal = ({ kind, severity, detail }: DriftEvent): Signal => ({
  kind,
  penalty: PENALTY[severity],
  level: severity,
  describe: () => detail,
});
