/** A rate against its pair of thresholds. */
import type { Thresholds } from './options.ts';
import type { IssueSeverity } from './report.ts';

/** Fractions in 0..1, `warn` at most `block`. */
export interface Limits {
  warn: number;
  block: number;
}

export interface Crossing {
  severity: IssueSeverity;
  /** The threshold that was crossed. */
  threshold: number;
}

export const nullLimits = (thresholds: Thresholds): Limits => ({
  warn: thresholds.null_rate_warn,
  block: thresholds.null_rate_block,
});

/** Also for ragged rows. */
export const mismatchLimits = (thresholds: Thresholds): Limits => ({
  warn: thresholds.type_mismatch_warn,
  block: thresholds.type_mismatch_block,
});

/** Crossing means being strictly above; null when not even `warn` is crossed. */
export function crossing(rate: number, limits: Limits): Crossing | null {
  if (rate > limits.block) return { severity: 'critical', threshold: limits.block };
  if (rate > limits.warn) return { severity: 'warning', threshold: limits.warn };
  return null;
}

/** `part` of `whole`; 0 of nothing. */
export const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
