/** Sums the statistics of an account's sources. */
import { setImmediate } from 'node:timers/promises';
import type { StatisticsPart, Totals } from '../stores/ports.ts';

export interface Statistics {
  total: Totals;
  sourceCount: number;
  /** The sources that were screened last, newest first. */
  sources: [source: string, totals: Totals][];
  /** All others together. */
  others: Totals;
}

/** Sums up the parts that `read` returns, with at most `most` sources one by one. Other requests run between two parts. */
export async function sumUp(
  read: (before: string | null) => Promise<StatisticsPart>,
  most: number,
): Promise<Statistics> {
  const shown = new Map<string, Totals>();
  const names = new Set<string>();
  let others = NOTHING;
  for (let before: string | null = null, isLast = false; !isLast; isLast = before === null) {
    const part: StatisticsPart = await read(before);
    before = part.next;
    for (const [source, totals] of part.sources) {
      names.add(source);
      const known = shown.get(source);
      if (known || shown.size < most) shown.set(source, known ? sum(known, totals) : totals);
      else others = sum(others, totals);
    }
    await setImmediate();
  }
  const sources = [...shown].sort(lastRunFirst);
  const total = sources.reduce((all, [, totals]) => sum(all, totals), others);
  return { total, sourceCount: names.size, sources, others };
}

const NOTHING: Totals = {
  totalJobs: 0,
  passCount: 0,
  warnCount: 0,
  blockCount: 0,
  avgHealth: 0,
  totalRows: 0,
  totalDrift: 0,
  lastRun: 0,
  newestJob: '',
};

/** `avgHealth` is weighted by jobs. `avgHealth` and `lastRun` are 0 without jobs. */
function sum(a: Totals, b: Totals): Totals {
  const totalJobs = a.totalJobs + b.totalJobs;
  const health = a.avgHealth * a.totalJobs + b.avgHealth * b.totalJobs;
  return {
    totalJobs,
    passCount: a.passCount + b.passCount,
    warnCount: a.warnCount + b.warnCount,
    blockCount: a.blockCount + b.blockCount,
    avgHealth: totalJobs === 0 ? 0 : health / totalJobs,
    totalRows: a.totalRows + b.totalRows,
    totalDrift: a.totalDrift + b.totalDrift,
    lastRun: Math.max(a.lastRun, b.lastRun),
    // biome-ignore lint/complexity/useMathMinMax: these are texts
    newestJob: a.newestJob > b.newestJob ? a.newestJob : b.newestJob,
  };
}

type Entry = [source: string, totals: Totals];

/** Newest first, then by name, so that the order is deterministic. */
const lastRunFirst = ([a, { lastRun: x }]: Entry, [b, { lastRun: y }]: Entry): number =>
  y - x || (a < b ? -1 : 1);
