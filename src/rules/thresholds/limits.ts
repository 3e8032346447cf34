/** Which thresholds of the contract hold for a batch. */
import type { ScreenOptions } from '../../options/options.ts';
import type { Limits } from '../../findings/rates.ts';
import type { Facts } from '../facts.ts';

/** A limit of 1 is never crossed. */
const NEVER: Limits = { warn: 1, block: 1 };

type LimitFacts = Pick<Facts, 'options' | 'comparison'>;

/** In adaptive mode only where the request or the source's settings give one. */
export function nullLimits({ options: { mode, given, thresholds } }: LimitFacts): Limits {
  if (mode === 'contract') return limitsOf(thresholds, 'null_rate');
  const { null_rate_warn: warn, null_rate_block: block } = given;
  return { warn: warn ?? Math.min(1, block ?? 1), block: block ?? 1 };
}

/** In adaptive mode only where one is given, and while too little is known to learn from. */
export function mismatchLimits({ options: { mode, given, thresholds }, comparison }: LimitFacts): Limits {
  const isGiven = given.type_mismatch_warn !== undefined || given.type_mismatch_block !== undefined;
  const holds = mode === 'contract' || isGiven || comparison === null;
  return holds ? limitsOf(thresholds, 'type_mismatch') : NEVER;
}

/** Those of types, in both modes: ragged rows are not learned. */
export const raggedLimits = ({ options }: LimitFacts): Limits =>
  limitsOf(options.thresholds, 'type_mismatch');

const limitsOf = (thresholds: ScreenOptions['thresholds'], name: 'null_rate' | 'type_mismatch'): Limits => ({
  warn: thresholds[`${name}_warn`],
  block: thresholds[`${name}_block`],
});
