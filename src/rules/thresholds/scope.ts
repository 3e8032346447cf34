/** What a rate below its thresholds still says. */
import type { Severity } from '../../report-schema/report.ts';
import type { Scope } from '../../findings/finding.ts';
import { MIN_BATCHES } from '../../terms/policy.ts';
import type { Facts } from '../facts.ts';
import { areFixed } from './limits.ts';

/**
 * In contract mode every rate lowers health in proportion, until the source's past says which rate is usual. Then, in adaptive mode, and for a rate of too few `cells`,
 * a rate below its thresholds only marks rows: a column that is a quarter empty every day is not what is wrong with today.
 */
export const scopeOf = (
  severity: Severity,
  { options, comparison }: Pick<Facts, 'options' | 'comparison'>,
  cells: number,
): Scope =>
  severity === 'info' && (!areFixed(options, cells) || (comparison?.history ?? 0) >= MIN_BATCHES)
    ? 'rows'
    : 'field';
