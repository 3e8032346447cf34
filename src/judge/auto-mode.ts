import type { ScreenOptions } from '../options/options.ts';
import type { BlockedBefore } from '../rules/facts.ts';
import { MIN_BATCHES } from '../terms/policy.ts';

/**
 * Auto mode becomes adaptive mode once three batches of the source were seen. BLOCKed ones count too: what all of them have, such as a
 * field that is empty by design, is usual.
 */
export function settledMode(
  options: ScreenOptions,
  baseline: { provisional: boolean; recent: readonly unknown[] } | null,
  run: BlockedBefore | null,
): ScreenOptions {
  if (!options.isAuto) return options;
  // The batch of a provisional baseline is the first of its run.
  const learned = baseline === null || baseline.provisional ? 0 : baseline.recent.length;
  const isKnown = learned + (run?.batches ?? 0) >= MIN_BATCHES;
  return isKnown ? { ...options, mode: 'adaptive', isAuto: false } : options;
}
