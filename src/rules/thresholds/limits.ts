/** Which thresholds of the contract hold for a batch. */
import type { ScreenOptions } from '../../options/options.ts';
import type { Limits } from '../../findings/rates.ts';

/** A limit of 1 is never crossed. */
const NEVER: Limits = { warn: 1, block: 1 };

/** In auto mode a rate of fewer cells is not judged by the contract's thresholds. */
export const MIN_RATE_CELLS = 20;

/** Whether the contract's thresholds of nulls and types hold for a rate of so many cells, also where none is given. */
export const areFixed = ({ mode, isAuto }: ScreenOptions, cells: number): boolean =>
  mode === 'contract' && !(isAuto && cells < MIN_RATE_CELLS);

/** Otherwise those that the request or the source's settings give. `cells`: those that the rate is of. */
export function nullLimits(options: ScreenOptions, cells: number): Limits {
  const { given, thresholds } = options;
  if (areFixed(options, cells)) return limitsOf(thresholds, 'null_rate');
  const { null_rate_warn: warn, null_rate_block: block } = given;
  return { warn: warn ?? Math.min(1, block ?? 1), block: block ?? 1 };
}

/** In adaptive mode only where one is given, and while the source is `learning`: too little is known of it. `cells`: those that the rate is of. */
export function mismatchLimits(options: ScreenOptions, learning: boolean, cells: number): Limits {
  const { mode, given, thresholds } = options;
  const isGiven = given.type_mismatch_warn !== undefined || given.type_mismatch_block !== undefined;
  const holds = areFixed(options, cells) || isGiven || (mode === 'adaptive' && learning);
  return holds ? limitsOf(thresholds, 'type_mismatch') : NEVER;
}

/** Those of types, in all modes: ragged rows are not learned. */
export const raggedLimits = ({ thresholds }: ScreenOptions): Limits => limitsOf(thresholds, 'type_mismatch');

const limitsOf = (thresholds: ScreenOptions['thresholds'], name: 'null_rate' | 'type_mismatch'): Limits => ({
  warn: thresholds[`${name}_warn`],
  block: thresholds[`${name}_block`],
});
