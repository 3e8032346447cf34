/** Sums the statistics of an account's sources. */
import { setImmediate } from 'node:timers/promises';
import type { Job, JobFacts } from '../stores/ports.ts';

export interface Totals {
  totalJobs: number;
  passCount: number;
  warnCount: number;
  blockCount: number;
  avgHealth: number;
  totalRows: number;
  totalDrift: number;
  /** In ms; 0 without jobs. */
  lastRun: number;
  /** Of the newest job; null without jobs. */
  lastStatus: Job['status'] | null;
}

export interface Statistics {
  total: Totals;
  sourceCount: number;
  /** The sources that were screened last, newest first. */
  sources: [source: string, totals: Totals][];
  /** All others together. */
  others: Totals;
}

/** Jobs that are read at once: few enough that no request waits for them. */
const PART = 1000;

/**
 * Sums up the jobs that `read` returns, newest first, with at most `most` sources one by one. Other requests run between two parts. To let the
 * database group the jobs takes longer: with many sources a part has as many groups as jobs.
 */
export async function sumUp(
  read: (before: string | null, limit: number) => Promise<JobFacts[]>,
  most: number,
): Promise<Statistics> {
  const shown = new Map<string, Sums>();
  const names = new Set<string>();
  const [total, others] = [new Sums(), new Sums()];
  for (let before: string | null = null; ; ) {
    const part = await read(before, PART);
    for (const job of part) {
      names.add(job.source);
      total.add(job);
      const known = shown.get(job.source);
      if (known) known.add(job);
      else if (shown.size < most) shown.set(job.source, new Sums().add(job));
      else others.add(job);
    }
    if (part.length < PART) break;
    before = part.at(-1)!.id;
    await setImmediate();
  }
  const sources = Array.from(shown, ([source, sums]): Entry => [source, sums.totals()]).sort(lastRunFirst);
  return { total: total.totals(), sourceCount: names.size, sources, others: others.totals() };
}

/** Jobs are added newest first. */
class Sums {
  #counts = { PASS: 0, WARN: 0, BLOCK: 0 };
  #health = 0;
  #rows = 0;
  #drift = 0;
  #lastRun = 0;
  #lastStatus: Job['status'] | null = null;

  add({ status, healthScore, rowsReceived, driftCount, createdAt }: JobFacts): this {
    this.#counts[status]++;
    this.#health += healthScore;
    this.#rows += rowsReceived;
    this.#drift += driftCount;
    this.#lastRun = Math.max(this.#lastRun, createdAt);
    this.#lastStatus ??= status;
    return this;
  }

  totals(): Totals {
    const { PASS: passCount, WARN: warnCount, BLOCK: blockCount } = this.#counts;
    const totalJobs = passCount + warnCount + blockCount;
    const avgHealth = totalJobs === 0 ? 0 : this.#health / totalJobs;
    const sums = { avgHealth, totalRows: this.#rows, totalDrift: this.#drift };
    const last = { lastRun: this.#lastRun, lastStatus: this.#lastStatus };
    return { totalJobs, passCount, warnCount, blockCount, ...sums, ...last };
  }
}

type Entry = [source: string, totals: Totals];

/** Newest first, then by name, so that the order is deterministic. */
const lastRunFirst = ([a, { lastRun: x }]: Entry, [b, { lastRun: y }]: Entry): number =>
  y - x || (a < b ? -1 : 1);
