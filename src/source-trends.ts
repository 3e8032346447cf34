/** The statistics of a source's newest batches, one field at a time, with what was expected and the alarms. For charts. Rules over ports. */
import type { BaselineCache } from './baseline/baseline-cache.ts';
import type { BatchStatistics } from './baseline/batch-statistics.ts';
import { statisticsOf } from './baseline/collect-statistics.ts';
import { decodingState } from './baseline/encode-state.ts';
import type { Anomaly, Report } from './contract/report.ts';
import { CooperativeTask } from './intake/cooperative-scheduler.ts';
import type { Mode } from './options/options.ts';
import { settingsIn, settledOptions } from './options/settings.ts';
import { MAX_JOB_BYTES } from './report/bounds.ts';
import { surpriseAtWarn } from './rules/learned/compare.ts';
import type { History } from './rules/learned/history.ts';
import { type Trend, trending } from './rules/learned/trend.ts';
import { type Job, type JobStore, TOO_LARGE } from './stores/ports.ts';

export interface TrendDependencies {
  baselines: Pick<BaselineCache<History>, 'know' | 'historyOf'>;
  jobs: Pick<JobStore, 'list' | 'find' | 'keptState'>;
  defaultMode: Mode;
}

/** Newest jobs in which batches that the baseline did not learn are looked for. */
const JOBS = 60;
/** Batches that the baseline did not learn, the newest ones. Each is read from its job. */
export const MAX_UNLEARNED = 16;
/** Reports that are read for their alarms, the newest ones. */
export const MAX_ALARMED = 32;

export interface SourceTrends {
  /** In the order of time. */
  batches: (BatchStatistics & { learned: boolean })[];
  trends: Trend[];
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
  const { baseline, notes } = await deps.baselines.know(account, source);
  const jobs = await deps.jobs.list(account, { source, limit: JOBS });
  const learned = baseline?.recent ?? [];
  const unlearned = await unlearnedOf(account, jobs, new Set(learned.map(({ id }) => id)), deps);
  const batches = [
    ...learned.map(batch => ({ ...batch, learned: true })),
    ...unlearned.map(batch => ({ ...batch, learned: false })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { settleAfter, falseAlarmRate } = settledOptions(settingsIn(notes.settings), deps.defaultMode);
  const history = baseline && (await deps.baselines.historyOf(account, source, baseline, settleAfter));
  const line = history ? surpriseAtWarn(history, falseAlarmRate) : () => 0;
  const task = new CooperativeTask();
  const trends = await task.runPieces(
    trending(baseline, batches, { field, settleAfter, surpriseAtWarn: line }),
  );
  return { batches, trends, anomalies: await anomaliesOf(account, field, batches, deps) };
}

/** BLOCKed batches: their states are kept with their jobs. */
async function unlearnedOf(
  account: string,
  jobs: readonly Job[],
  learned: ReadonlySet<string>,
  deps: TrendDependencies,
): Promise<BatchStatistics[]> {
  const found: BatchStatistics[] = [];
  const blocked = jobs.filter(({ id, status }) => status === 'BLOCK' && !learned.has(id));
  for (const { id } of blocked.slice(0, MAX_UNLEARNED)) {
    const task = new CooperativeTask();
    const kept = await task.run(() => deps.jobs.keptState(account, id));
    if (kept) found.push(statisticsOf(await task.runPieces(decodingState(kept))));
  }
  return found;
}

async function anomaliesOf(
  account: string,
  field: string | null,
  batches: readonly BatchStatistics[],
  deps: TrendDependencies,
): Promise<ReadonlyMap<string, readonly Anomaly[]>> {
  const alarmed = batches.filter(({ verdict }) => verdict !== 'PASS').slice(-MAX_ALARMED);
  const anomalies = new Map<string, readonly Anomaly[]>();
  for (const { id } of alarmed) {
    // Each read of a large job has a turn of the event loop for itself.
    const found = await new CooperativeTask().run(() => deps.jobs.find(account, id), MAX_JOB_BYTES);
    if (found === null || found.document === TOO_LARGE) continue;
    const { anomalies: all = [] } = JSON.parse(found.document.report) as Report;
    anomalies.set(
      id,
      all.filter(each => (each.field ?? null) === field),
    );
  }
  return anomalies;
}
