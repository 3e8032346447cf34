/** What a rate below its thresholds still says. */
import type { Severity } from '../../contract/report.ts';
import type { Scope } from '../../findings/finding.ts';
import type { Facts } from '../facts.ts';

/**
 * In contract mode every rate lowers health in proportion. In adaptive mode a rate below a threshold may be usual for the
 * source: it only marks rows.
 */
export const scopeOf = (severity: Severity, { options }: Pick<Facts, 'options'>): Scope =>
  severity === 'info' && options.mode === 'adaptive' ? 'rows' : 'field';
