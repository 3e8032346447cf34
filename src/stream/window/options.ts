/** Options of a stream: those of a batch, without the two that windows rule out. */
import { Rejection } from '../../terms/errors.ts';
import { parseOptions, type ScreenOptions } from '../../options/options.ts';

/** Throws `Rejection`. */
export function streamOptionsIn(given: unknown): ScreenOptions {
  const options = parseOptions(given);
  if (options.dryRun) throw new Rejection('INVALID_OPTIONS', 'options.dry_run: a stream keeps its verdicts');
  if (options.chunk)
    throw new Rejection('INVALID_OPTIONS', 'options.total_batches: windows are cut by `window`');
  return options;
}
