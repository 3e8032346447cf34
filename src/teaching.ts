/**
 * What a person says of a batch that was screened: it is the new normal, it was expected, it was bad. Rules over ports. Saying it
 * again changes nothing.
 */
import type { BaselineKeeper } from './baseline/keeper.ts';
import type { BaselineEditor } from './baseline/editor.ts';
import { quoted, Rejection } from './errors.ts';
import type { Advice } from './judge/advice.ts';
import { changedFields, type KeptReport, stillCrossing } from './judge/changes.ts';
import type { Mode } from './judge/options.ts';
import { settingsIn, settledOptions } from './judge/settings.ts';
import { type Job, type JobStore, MAX_KEPT_STATE_BYTES } from './stores/ports.ts';

export interface TeachingDependencies {
  editor: BaselineEditor;
  baselines: Pick<BaselineKeeper, 'know'>;
  jobs: Pick<JobStore, 'find' | 'keptState' | 'keepState'>;
  defaultMode: Mode;
  now: () => number;
}

/** A batch that is spoken of. */
export interface Spoken {
  account: string;
  source: string;
  job: string;
}

export interface Taught {
  /** Whether the baseline is another now. */
  changed: boolean;
  message: string;
  /** What has to be set besides for such batches to pass. */
  advice: Advice[];
}

/** Makes the batch the new normal. Throws `Rejection` NOT_FOUND, TOO_LATE, SERVICE_UNAVAILABLE. */
export async function acceptBatch(spoken: Spoken, deps: TeachingDependencies): Promise<Taught> {
  const { account, source, job: id } = spoken;
  const { job, report } = await jobOf(spoken, deps);
  if (job.status === 'PASS') return unchanged('The batch passed: there is nothing to accept');
  const advice = stillCrossing(report, await thresholdsOf(spoken, deps));
  const place = await deps.editor.placeOf(account, source, id);
  if (place === 'accepted') return { ...unchanged('The batch is the normal already'), advice };
  const state = (await deps.editor.stateOf(account, source, id)) ?? (await deps.jobs.keptState(account, id));
  if (state === null) throw notKept(job);
  const changed = await deps.editor.accept(account, source, state, changedFields(report), deps.now());
  const message = changed ? accepted(source, advice) : 'The batch is the normal already';
  return { changed, message, advice };
}

const accepted = (source: string, advice: readonly Advice[]): string =>
  advice.length === 0
    ? `The batch is the normal of ${quoted(source)} now: its fields are expected as they are in it`
    : `The batch is the normal of ${quoted(source)} now, and yet crosses a threshold, which holds whatever is normal: see advice`;

/** Lets the batch join the history, or leave it. Throws `Rejection` NOT_FOUND, TOO_LATE, SERVICE_UNAVAILABLE. */
export const speakOf = (
  spoken: Spoken,
  verdict: 'expected' | 'bad',
  deps: TeachingDependencies,
): Promise<Taught> => (verdict === 'expected' ? admit(spoken, deps) : dismiss(spoken, deps));

async function admit(spoken: Spoken, deps: TeachingDependencies): Promise<Taught> {
  const { account, source, job: id } = spoken;
  const { job } = await jobOf(spoken, deps);
  const isPart = unchanged('The batch is part of the history already');
  if ((await deps.editor.placeOf(account, source, id)) !== 'none') return isPart;
  const state = await deps.jobs.keptState(account, id);
  if (state === null) throw notKept(job);
  const changed = await deps.editor.admit(account, source, state, deps.now());
  if (!changed) return isPart;
  const message =
    'The batch is part of the history now. Types that changed and fields that are gone need to be accepted';
  return { changed, message, advice: [] };
}

async function dismiss(spoken: Spoken, deps: TeachingDependencies): Promise<Taught> {
  const { account, source, job: id } = spoken;
  const { job, report } = await jobOf(spoken, deps);
  const state = await deps.editor.stateOf(account, source, id);
  if (state !== null) {
    // It may be called expected again.
    await deps.jobs.keepState(account, id, state);
    if (await deps.editor.dismiss(account, source, id, deps.now()))
      return { changed: true, message: 'The batch is no longer part of the history', advice: [] };
  }
  // Another may have said the same meanwhile.
  const place = await deps.editor.placeOf(account, source, id);
  const wasLearnt = job.status !== 'BLOCK' && !report.stats.pinned;
  if (place === 'none' && (!wasLearnt || (await deps.jobs.keptState(account, id)) !== null))
    return unchanged('The batch is not part of the history');
  throw tooLate(await wayBack(spoken, job, deps));
}

const unchanged = (message: string): Taught => ({ changed: false, message, advice: [] });

type ReadReport = KeptReport & { stats: { pinned?: true } };

async function jobOf(
  { account, source, job: id }: Spoken,
  { jobs }: TeachingDependencies,
): Promise<{ job: Job; report: ReadReport }> {
  const found = await jobs.find(account, id);
  if (found === null || found.job.source !== source)
    throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no job of that id`);
  return { job: found.job, report: JSON.parse(found.document.report) as ReadReport };
}

async function thresholdsOf({ account, source }: Spoken, { baselines, defaultMode }: TeachingDependencies) {
  const { settings } = (await baselines.know(account, source)).notes;
  const { mode, given, thresholds } = settledOptions(settingsIn(settings), defaultMode);
  if (mode === 'contract') return thresholds;
  // There a threshold holds that was set.
  return {
    ...thresholds,
    null_rate_warn: given.null_rate_warn ?? given.null_rate_block ?? 1,
    type_mismatch_warn: given.type_mismatch_warn ?? given.type_mismatch_block ?? 1,
  };
}

function notKept({ status }: Job): Rejection {
  if (status !== 'BLOCK')
    return tooLate('The batch was learnt long ago and is kept no longer: speak of a newer one');
  const mib = MAX_KEPT_STATE_BYTES / 1024 / 1024;
  return tooLate(
    `Nothing of the batch is kept that could be learnt: it takes more than ${mib} MiB, or is of an older release. Send it again, or reset the source`,
  );
}

/** What to do about a batch that is part of the averages. */
async function wayBack({ account, source, job: id }: Spoken, job: Job, { editor }: TeachingDependencies) {
  const versions = await editor.versions(account, source);
  // A BLOCKed batch came in by being spoken of, and the first time by itself.
  const spokenOf = job.status === 'BLOCK' ? versions.findLast(({ job_id }) => job_id === id) : undefined;
  const before = spokenOf ?? versions.find(({ made_at }) => Date.parse(made_at) < job.createdAt);
  const way = before ? `Roll back to version ${before.version}, which is without it` : 'Reset the source';
  return `The batch is part of the averages and cannot be taken out alone. ${way}`;
}

const tooLate = (message: string) => new Rejection('TOO_LATE', message);
