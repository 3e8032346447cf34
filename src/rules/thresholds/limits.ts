/** Which thresholds of the contract hold for a batch. */
import type { ScreenOptions } from '../../options/options.ts';
import type { Limits } from '../../findings/rates.ts';

/** A limit of 1 is never crossed. */
const NEVER: Limits = { warn: 1, block: 1 };

/** In adaptive mode only where the request or the source's settings give one. */
export function nullLimits({ mode, given, thresholds }: ScreenOptions): Limits {
  if (mode === 'contract') return limitsOf(thresholds, 'null_rate');
  const { null_rate_warn: warn, null_rate_block: block } = given;
  return { warn: warn ?? Math.min(1, block ?? 1), block: block ?? 1 };
}

/** In adaptive mode only where one is given, and while the source is `learning`: too little is known of it. */
export function mismatchLimits({ mode, given, thresholds }: ScreenOptions, learning: boolean): Limits {
  const isGiven = given.type_mismatch_warn !== undefined || given.type_mismatch_block !== undefined;
  const holds = mode === 'contract' || isGiven || learning;
  return holds ? limitsOf(thresholds, 'type_mismatch') : NEVER;
}

/** Those of types, in both modes: ragged rows are not learned. */
export const raggedLimits = ({ thresholds }: ScreenOptions): Limits => limitsOf(thresholds, 'type_mismatch');

const limitsOf = (thresholds: ScreenOptions['thresholds'], name: 'null_rate' | 'type_mismatch'): Limits => ({
  warn: thresholds[`${name}_warn`],
  block: thresholds[`${name}_block`],
});
