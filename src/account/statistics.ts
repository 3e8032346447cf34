/** Sums the statistics of an account's sources. */
import type { Totals } from '../stores/ports.ts';

/** `avgHealth` is weighted by jobs. `avgHealth` and `lastRun` are 0 without jobs. */
export function totalOf(sources: readonly Totals[]): Totals {
  const sum = (value: (source: Totals) => number) => sources.reduce((total, each) => total + value(each), 0);
  const totalJobs = sum(source => source.totalJobs);
  const health = sum(source => source.avgHealth * source.totalJobs);
  return {
    totalJobs,
    passCount: sum(source => source.passCount),
    warnCount: sum(source => source.warnCount),
    blockCount: sum(source => source.blockCount),
    avgHealth: totalJobs === 0 ? 0 : health / totalJobs,
    totalRows: sum(source => source.totalRows),
    totalDrift: sum(source => source.totalDrift),
    lastRun: sources.reduce((last, source) => Math.max(last, source.lastRun), 0),
  };
}
