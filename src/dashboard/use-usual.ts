/** What was usual before a batch: the profiles of the batches of its source before it that passed, or where none did, were not BLOCKed. */
import { job, jobs, sourceChanges } from './api.ts';
import type { Job, Report, SourceChange } from './contract.ts';
import { useLoaded } from './use-loaded.ts';
import { acceptsBefore, changedIn, type KnownBatch, type Usual, usualOf } from './usual.ts';

const MOST_BATCHES = 12;
/** Fields of all profiles together: a batch of 2,000 fields is compared with the four before it. */
const MOST_FIELDS = 8_000;
/** Among how many earlier jobs they are looked for. */
const LOOKED_AT = 60;

export interface Past {
  usual: Usual;
  /** The jobs of the source before this one, newest first. */
  earlier: readonly Job[];
  /** The last accept among the batches before this one; null without one. */
  accept: SourceChange | null;
}

/** Null while it is loaded, and where it cannot be: the report is complete without it. `isAccepted`: whether this batch was. */
export function useUsual(report: Report, isAccepted: boolean): Past | null {
  const [loaded] = useLoaded(signal => pastOf(report, isAccepted, signal), [report.request_id, isAccepted]);
  return loaded.value ?? null;
}

async function pastOf(report: Report, isAccepted: boolean, signal: AbortSignal): Promise<Past> {
  const { request_id: before, schema, timestamp, stats } = report;
  const [earlier, changes] = await Promise.all([
    jobs({ limit: LOOKED_AT, source: stats.source, before }, signal),
    sourceChanges(stats.source, signal),
  ]);
  const accepts = acceptsBefore(changes, timestamp).filter(({ job_id }) =>
    earlier.some(({ id }) => id === job_id),
  );
  const acceptedJobs = new Set(accepts.map(({ job_id }) => job_id));
  const passed = earlier.filter(({ status }) => status === 'PASS');
  const usable = passed.length > 0 ? passed : earlier.filter(({ status }) => status !== 'BLOCK');
  const most = Math.min(MOST_BATCHES, Math.ceil(MOST_FIELDS / Math.max(1, Object.keys(schema).length)));
  const used = [
    ...usable
      .filter(({ id }) => !acceptedJobs.has(id))
      .map(({ id, created_at: at }) => ({ id, at, accept: null })),
    ...accepts.map(accept => ({ id: accept.job_id!, at: accept.at, accept })),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, most);
  const known = await Promise.all(
    used.map(async ({ id, accept }): Promise<KnownBatch> => {
      const { profile, report } = await job(id, signal);
      return { profile, ...(accept && { changed: changedIn(report) }) };
    }),
  );
  const usual = usualOf(known, isAccepted ? changedIn(report) : undefined);
  return { usual, earlier, accept: used.find(({ accept }) => accept)?.accept ?? null };
}
