/**
 * Feedback on a screened batch: accept it as the new normal, or call it expected or bad. Rules over ports. Giving the same
 * feedback again changes nothing.
 */
import type { BaselineCache } from './baseline/baseline-cache.ts';
import type { BaselineEditor } from './baseline/editor.ts';
import { jobTooLarge, quoted, Rejection } from './errors.ts';
import type { Advice } from './contract/report.ts';
import { changedFields, type KeptReport, stillCrossing } from './judge/stored-differences.ts';
import type { Mode } from './options/options.ts';
import { settingsIn, settledOptions } from './options/settings.ts';
import { MIN_BATCHES, type Thresholds } from './policy.ts';
import { mismatchLimits, nullLimits } from './rules/thresholds/limits.ts';
import {
  type Bounds,
  type ChangeStore,
  type Job,
  type JobStore,
  MAX_KEPT_STATE_BYTES,
  type Said,
  TOO_LARGE,
} from './stores/ports.ts';

export interface FeedbackDependencies {
  editor: BaselineEditor;
  baselines: Pick<BaselineCache, 'know'>;
  jobs: Pick<JobStore, 'find' | 'keptState' | 'keepState' | 'keepFeedback'>;
  changes: Pick<ChangeStore, 'add'>;
  defaultMode: Mode;
}

/** A job of a source. */
export interface JobReference {
  account: string;
  /** Of the account. */
  bounds: Bounds;
  source: string;
  job: string;
  /** Id of the API key; null: a session. */
  by: string | null;
  /** Who that is, in words: `who` of `Identity`. */
  who: string;
  /** In ms. */
  at: number;
}

export interface FeedbackResult {
  /** Whether the baseline has changed. */
  changed: boolean;
  message: string;
  /** Settings that such batches still need to pass. */
  advice: Advice[];
}

/** Makes the batch the new normal. Throws `Rejection` NOT_FOUND, TOO_LATE, SERVICE_UNAVAILABLE. */
export async function acceptBatch(
  reference: JobReference,
  deps: FeedbackDependencies,
): Promise<FeedbackResult> {
  const { account, source, job: id, bounds, at } = reference;
  const { job, report } = await jobOf(reference, deps);
  if (job.status === 'PASS') return unchanged('The batch passed: there is nothing to accept');
  const advice = stillCrossing(report, await thresholdsOf(reference, deps));
  const place = await deps.editor.placeOf(account, source, id);
  if (place === 'accepted') return { ...unchanged('The batch is the normal already'), advice };
  const state = (await deps.editor.stateOf(account, source, id)) ?? (await deps.jobs.keptState(account, id));
  if (state === null) throw notKept(job);
  const changed = await deps.editor.accept(account, source, state, changedFields(report), at, bounds);
  if (changed) await keep(reference, 'accepted', deps);
  const message = changed ? accepted(job, advice) : 'The batch is the normal already';
  return { changed, message, advice };
}

function accepted({ source, status }: Job, advice: readonly Advice[]): string {
  const is = `The batch is the normal of ${quoted(source)} now`;
  if (advice.length > 0) return `${is}. It still crosses a threshold: see advice`;
  // The rows of a WARN were loaded.
  const rows = status === 'BLOCK' ? `. ${SEND_AGAIN}` : '';
  return `${is}: its fields are expected as they are in it${rows}`;
}

const SEND_AGAIN =
  'Its rows are not stored here: send them again, with a new Idempotency-Key if they had one, since the old one still gets the old answer';

/** Adds the batch to the history, or takes it out. Throws `Rejection` NOT_FOUND, TOO_LATE, SERVICE_UNAVAILABLE. */
export const recordFeedback = (
  reference: JobReference,
  verdict: 'expected' | 'bad',
  deps: FeedbackDependencies,
): Promise<FeedbackResult> => (verdict === 'expected' ? admit(reference, deps) : dismiss(reference, deps));

async function admit(reference: JobReference, deps: FeedbackDependencies): Promise<FeedbackResult> {
  const { account, source, job: id, bounds, at } = reference;
  const { job } = await jobOf(reference, deps);
  const isPart = unchanged('The batch is part of the history already');
  if ((await deps.editor.placeOf(account, source, id)) !== 'none') return isPart;
  const state = await deps.jobs.keptState(account, id);
  if (state === null) throw notKept(job);
  const changed = await deps.editor.admit(account, source, state, at, bounds);
  if (!changed) return isPart;
  await keep(reference, 'expected', deps);
  const message =
    'The batch is part of the history now. Types that changed and fields that are gone need to be accepted';
  return { changed, message, advice: [] };
}

async function dismiss(reference: JobReference, deps: FeedbackDependencies): Promise<FeedbackResult> {
  const { account, source, job: id, bounds, at } = reference;
  const { job, report } = await jobOf(reference, deps);
  const state = await deps.editor.stateOf(account, source, id);
  if (state !== null) {
    // So that it can be called expected again.
    await deps.jobs.keepState(account, id, state);
    if (await deps.editor.dismiss(account, source, id, at, bounds)) {
      await keep(reference, 'bad', deps);
      return { changed: true, message: 'The batch is no longer part of the history', advice: [] };
    }
  }
  // Another request may have given the same feedback.
  const place = await deps.editor.placeOf(account, source, id);
  const { pinned, storage_full: storageFull } = report.stats;
  const wasLearnt = job.status !== 'BLOCK' && !pinned && !storageFull;
  if (place === 'none' && (!wasLearnt || (await deps.jobs.keptState(account, id)) !== null))
    return unchanged('The batch is not part of the history');
  throw tooLate(await howToRemove(reference, job, deps));
}

async function keep(
  { account, source, job, by, who, at }: JobReference,
  said: Said,
  { jobs, changes }: FeedbackDependencies,
): Promise<void> {
  await jobs.keepFeedback(account, job, { said, by, at });
  await changes.add(account, { source, action: said, at, by: who, key: by, job });
}

const unchanged = (message: string): FeedbackResult => ({ changed: false, message, advice: [] });

type ReadReport = KeptReport & { stats: { pinned?: true; storage_full?: true } };

async function jobOf(
  { account, source, job: id }: JobReference,
  { jobs }: FeedbackDependencies,
): Promise<{ job: Job; report: ReadReport }> {
  const found = await jobs.find(account, id);
  if (found === null || found.job.source !== source)
    throw new Rejection('NOT_FOUND', `The source ${quoted(source)} has no job of that id`);
  if (found.document === TOO_LARGE) throw jobTooLarge();
  return { job: found.job, report: JSON.parse(found.document.report) as ReadReport };
}

/** The rates that batches of the source may have, by the rules that judge them. */
async function thresholdsOf(
  { account, source }: JobReference,
  { baselines, defaultMode }: FeedbackDependencies,
): Promise<Thresholds> {
  const { notes, baseline } = await baselines.know(account, source);
  const options = settledOptions(settingsIn(notes.settings), defaultMode);
  const learning = (baseline?.recent.length ?? 0) < MIN_BATCHES;
  const [nulls, mismatches] = [nullLimits(options), mismatchLimits(options, learning)];
  return {
    ...options.thresholds,
    null_rate_warn: nulls.warn,
    null_rate_block: nulls.block,
    type_mismatch_warn: mismatches.warn,
    type_mismatch_block: mismatches.block,
  };
}

function notKept({ status }: Job): Rejection {
  if (status !== 'BLOCK')
    return tooLate('The batch was learned long ago and is kept no longer: choose a newer one');
  const mib = MAX_KEPT_STATE_BYTES / 1024 / 1024;
  return tooLate(
    `The batch cannot be learned: its state takes more than ${mib} MiB or is from an older release. Send it again, or reset the source`,
  );
}

/** How to get rid of a batch that is part of the averages. */
async function howToRemove(
  { account, source, job: id }: JobReference,
  job: Job,
  { editor }: FeedbackDependencies,
) {
  const versions = await editor.versions(account, source);
  // A BLOCKed batch came in by feedback, or as the first of its source.
  const taughtIn = job.status === 'BLOCK' ? versions.findLast(({ job_id }) => job_id === id) : undefined;
  const before = taughtIn ?? versions.find(({ made_at }) => Date.parse(made_at) < job.createdAt);
  const way = before ? `Roll back to version ${before.version}, which is without it` : 'Reset the source';
  return `The batch is part of the averages and cannot be taken out alone. ${way}`;
}

const tooLate = (message: string) => new Rejection('TOO_LATE', message);
