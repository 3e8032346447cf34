/** A rate against its pair of thresholds: when it is `info`, `warn` or `block`, and what it costs health. */
import type { Severity } from '../report-schema/report.ts';
import { PENALTY } from '../terms/policy.ts';

/** Fractions in 0..1, `warn` at most `block`. A limit of 1 is never crossed. */
export interface Limits {
  warn: number;
  block: number;
}

/** `part` of `whole`; 0 of nothing. */
export const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Crossing means being strictly above. */
export function severityAt(rate: number, { warn, block }: Limits): Severity {
  if (rate > block) return 'block';
  return rate > warn ? 'warn' : 'info';
}

/** The threshold that a rate of this severity has crossed. */
export const crossedLimit = (severity: Severity, { warn, block }: Limits): number =>
  severity === 'block' ? block : warn;

/** Piecewise linear: 0 at 0, 0.2 at warn, 0.5 at block, 1 at 1. */
export function ratePenalty(rate: number, { warn, block }: Limits): number {
  if (rate === 0) return 0;
  if (rate <= warn) return PENALTY.warn * (rate / warn);
  if (rate <= block) return PENALTY.warn + (PENALTY.block - PENALTY.warn) * ((rate - warn) / (block - warn));
  return PENALTY.block + (1 - PENALTY.block) * ((rate - block) / (1 - block));
}
