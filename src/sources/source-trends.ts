/** The statistics of a source's newest batches, one field at a time, with what was expected and the alarms. For charts. Rules over ports. */
import { setImmediate } from 'node:timers/promises';
import type { Baselines } from './baselines.ts';
import type { Anomaly, Report } from '../report-schema/report.ts';
import { type Job, type JobStore, TOO_LARGE } from '../stores/ports.ts';
import type { TrendResult } from '../threads/source-tasks.ts';

export interface TrendDependencies {
  baselines: Pick<Baselines, 'summary' | 'trend'>;
  jobs: Pick<JobStore, 'list' | 'find' | 'keptState'>;
}

/** Newest jobs in which batches that the baseline did not learn are looked for. */
const JOBS = 60;
/** Batches that the baseline did not learn, the newest ones. Each is read from its job. */
export const MAX_UNLEARNED = 16;
/** Reports that are read for their alarms, the newest ones. */
export const MAX_ALARMED = 32;

export interface SourceTrends extends TrendResult {
  /** By the id of the batch: what its report called unusual in the field. Absent where the report was not read. */
  anomalies: ReadonlyMap<string, readonly Anomaly[]>;
}

/** `field`: null for the batch as a whole. */
export async function trendsOf(
  account: string,
  source: string,
  field: string | null,
  deps: TrendDependencies,
): Promise<SourceTrends> {
  const { baseline } = await deps.baselines.summary(account, source);
  const jobs = await deps.jobs.list(account, { source, limit: JOBS });
  const learned = new Set(baseline?.recent.map(({ id }) => id));
  const unlearned = await unlearnedOf(account, jobs, learned, deps);
  const result = await deps.baselines.trend(account, source, { field, unlearned });
  return { ...result, anomalies: await anomaliesOf(account, field, result.batches, deps) };
}

/** States of BLOCKed batches, which are kept with their jobs. */
async function unlearnedOf(
  account: string,
  jobs: readonly Job[],
  learned: ReadonlySet<string>,
  deps: TrendDependencies,
): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  const blocked = jobs.filter(({ id, status }) => status === 'BLOCK' && !learned.has(id));
  for (const { id } of blocked.slice(0, MAX_UNLEARNED)) {
    await setImmediate();
    const kept = await deps.jobs.keptState(account, id);
    if (kept) found.push(kept);
  }
  return found;
}

async function anomaliesOf(
  account: string,
  field: string | null,
  batches: TrendResult['batches'],
  deps: TrendDependencies,
): Promise<ReadonlyMap<string, readonly Anomaly[]>> {
  const alarmed = batches.filter(({ verdict }) => verdict !== 'PASS').slice(-MAX_ALARMED);
  const anomalies = new Map<string, readonly Anomaly[]>();
  for (const { id } of alarmed) {
    // An embedded store answers within this turn of the event loop.
    await setImmediate();
    const found = await deps.jobs.find(account, id);
    if (found === null || found.document === TOO_LARGE) continue;
    const { anomalies: all = [] } = JSON.parse(found.document.report) as Report;
    anomalies.set(
      id,
      all.filter(each => (each.field ?? null) === field),
    );
  }
  return anomalies;
}
