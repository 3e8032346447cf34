/** What was unusual about a BLOCKed batch, to tell whether the next one agrees with it. */
import type { Finding } from '../findings/kinds.ts';
import { figuresOf } from '../findings/unusual-statistic.ts';
import { statisticById } from '../statistics/registry.ts';

/** By statistic: what was observed, and what was usual. */
export type Levels = Record<string, [observed: number, usual: number]>;

export function levelsOf(findings: readonly Finding[]): Levels {
  const levels: Levels = {};
  for (const finding of findings) {
    if (finding.kind !== 'unusual_statistic' || finding.severity !== 'block') continue;
    const figures = figuresOf(finding.evidence);
    if (figures) levels[finding.evidence.statistic] = [figures.observed, figures.usual];
  }
  return levels;
}

/** A statistic that both have is nearer to the batch before than to what was usual. A mixture only has to be unusual again. */
export const agrees = (before: Levels = {}, now: Levels): boolean =>
  Object.entries(now).some(([id, [observed, usual]]) => {
    const known = before[id];
    if (known === undefined) return false;
    if (statisticById(id)?.kind === 'distribution') return true;
    return 2 * Math.abs(observed - known[0]) <= Math.abs(observed - usual);
  });
