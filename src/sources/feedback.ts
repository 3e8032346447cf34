/**
 * Feedback on a screened batch: accept it as the new normal, or call it expected or bad. Rules over ports. Giving the same
 * feedback again changes nothing.
 */
import type { Baselines } from './baselines.ts';
import type { BaselineEditor, Place } from './editor.ts';
import { jobTooLarge, quoted, Rejection } from '../terms/errors.ts';
import type { Advice } from '../report-schema/report.ts';
import { changedFields, type KeptReport, stillCrossing } from '../judge/stored-differences.ts';
import { settledMode } from '../judge/auto-mode.ts';
import type { AskedMode } from '../options/options.ts';
import { settingsIn, settledOptions } from '../options/settings.ts';
import { MIN_BATCHES } from '../terms/policy.ts';
import { MIN_RATE_CELLS, mismatchLimits, nullLimits } from '../rules/thresholds/limits.ts';
import {
  type Bounds,
  type ChangeStore,
  type Job,
  type JobStore,
  MAX_KEPT_STATE_BYTES,
  type Said,
  TOO_LARGE,
} from '../stores/ports.ts';

export interface FeedbackDependencies {
  editor: BaselineEditor;
  baselines: Pick<Baselines, 'summary'>;
  jobs: Pick<JobStore, 'find' | 'keptState' | 'keepState' | 'feedback' | 'keepFeedback'>;
  changes: Pick<ChangeStore, 'add'>;
  defaultMode: AskedMode;
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
export const acceptBatch = (reference: JobReference, deps: FeedbackDependencies): Promise<FeedbackResult> =>
  inTurn(reference, deps, () => accept(reference, deps));

async function accept(reference: JobReference, deps: FeedbackDependencies): Promise<FeedbackResult> {
  const { account, source, job: id, bounds, at } = reference;
  const { job, report } = await jobOf(reference, deps);
  if (job.status === 'PASS') return unchanged('The batch passed: there is nothing to accept');
  const advice = await adviceOn(report, reference, deps);
  const place = await deps.editor.placeOf(account, source, id);
  const taught = await taughtBefore(place, reference, deps);
  if (place === 'accepted') await keepUnlisted(reference, 'accepted', deps);
  if (place === 'accepted' || taught === 'accepted')
    return { ...unchanged('The batch is the normal already'), advice };
  if (taught !== null) throw notKept(job, report, 'folded');
  const open = await deps.editor.stateOf(account, source, id);
  // Accepting merges it with others. After a rollback it can be accepted again.
  if (open !== null) await deps.jobs.keepState(account, id, open);
  const state = open ?? (await deps.jobs.keptState(account, id));
  if (state === null) throw notKept(job, report, place);
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
): Promise<FeedbackResult> =>
  inTurn(reference, deps, () => (verdict === 'expected' ? admit(reference, deps) : dismiss(reference, deps)));

/** Handles the feedback on a source one after the other, so that each finds what the one before has listed. */
const inTurn = <T>(
  { account, source }: JobReference,
  { editor }: FeedbackDependencies,
  give: () => Promise<T>,
): Promise<T> => editor.inTurn(account, source, give);

async function admit(reference: JobReference, deps: FeedbackDependencies): Promise<FeedbackResult> {
  const { account, source, job: id, bounds, at } = reference;
  const { job, report } = await jobOf(reference, deps);
  const isPart = unchanged('The batch is part of the history already');
  const place = await deps.editor.placeOf(account, source, id);
  const state = await deps.jobs.keptState(account, id);
  // The state of a batch is kept if the source did not learn it by itself, or if it was taken out.
  if (place !== 'none' && place !== 'accepted' && state !== null)
    await keepUnlisted(reference, 'expected', deps);
  if (place !== 'none' || (await taughtBefore(place, reference, deps)) !== null) return isPart;
  if (state === null) throw notKept(job, report, place);
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
  const wasLearned = job.status !== 'BLOCK' && whyNotLearned(report) === null;
  const isKept = (await deps.jobs.keptState(account, id)) !== null;
  const isOut = !wasLearned || isKept || !(await deps.editor.mayHold(account, source, id));
  if (place === 'none' && isOut && (await taughtBefore(place, reference, deps)) === null) {
    const wasTaught = (await lastSaid(reference, deps)) !== null;
    if (isKept && (wasLearned || wasTaught)) await keepUnlisted(reference, 'bad', deps);
    return unchanged('The batch is not part of the history');
  }
  throw tooLate(await howToRemove(reference, job, report, deps));
}

/** The feedback by which a batch that is no longer among the last 32 was learned; null without one, or if it was taken back or undone. */
async function taughtBefore(
  place: Place,
  reference: JobReference,
  deps: FeedbackDependencies,
): Promise<Said | null> {
  const { account, source, job } = reference;
  if (place !== 'none' || !(await deps.editor.mayHold(account, source, job))) return null;
  const last = await lastSaid(reference, deps);
  return last === 'bad' ? null : last;
}

/** The last feedback that is listed; null without one, or if it was undone. */
async function lastSaid(
  { account, job }: JobReference,
  { jobs }: FeedbackDependencies,
): Promise<Said | null> {
  const last = (await jobs.feedback(account, job)).at(-1);
  return last && last.undoneAt === null ? last.said : null;
}

/** Lists a change that an earlier request made but did not list, because its store did not answer or its process was killed. */
async function keepUnlisted(reference: JobReference, said: Said, deps: FeedbackDependencies): Promise<void> {
  if ((await lastSaid(reference, deps)) !== said) await keep(reference, said, deps);
}

async function keep(
  { account, source, job, by, who, at }: JobReference,
  said: Said,
  { jobs, changes }: FeedbackDependencies,
): Promise<void> {
  await changes.add(account, { source, action: said, at, by: who, key: by, job });
  // Written last: while it is missing, a repeat lists the change again.
  await jobs.keepFeedback(account, job, { said, by, at });
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

/** What such batches still need to pass: by the rates that batches of the source may have. */
async function adviceOn(
  report: ReadReport,
  { account, source }: JobReference,
  { baselines, defaultMode }: FeedbackDependencies,
): Promise<Advice[]> {
  const { notes, baseline } = await baselines.summary(account, source);
  const asked = settledOptions(settingsIn(notes.settings), defaultMode);
  const options = settledMode(asked, baseline, notes.run);
  const learning = (baseline?.recent.length ?? 0) < MIN_BATCHES;
  const [nulls, mismatches] = [
    nullLimits(options, MIN_RATE_CELLS),
    mismatchLimits(options, learning, MIN_RATE_CELLS),
  ];
  const advice = stillCrossing(report, {
    ...options.thresholds,
    null_rate_warn: nulls.warn,
    null_rate_block: nulls.block,
    type_mismatch_warn: mismatches.warn,
    type_mismatch_block: mismatches.block,
  });
  // The thresholds of types hold in all modes at first.
  const isOfTypes = advice.some(({ set }) => set.thresholds?.type_mismatch_warn !== undefined);
  return learning && isOfTypes ? advice.filter(({ set }) => set.mode === undefined) : advice;
}

/** Null for a batch that was learned, or was BLOCK. */
function whyNotLearned({ stats: { pinned, storage_full: storageFull } }: ReadReport): string | null {
  if (pinned) return 'the source was pinned';
  return storageFull ? 'its storage was full' : null;
}

/** Why there is no state of the batch, and what to do instead. */
function notKept({ status }: Job, report: ReadReport, place: Place): Rejection {
  const whyNot = whyNotLearned(report);
  if (status === 'PASS' && whyNot !== null)
    return tooLate(
      `The batch was not learned, because ${whyNot}, and nothing is kept of a batch that passed. Unpin the source, or free storage, and send the batch again`,
    );
  const mib = MAX_KEPT_STATE_BYTES / 1024 / 1024;
  if (status === 'BLOCK' || whyNot !== null)
    return tooLate(
      `The batch cannot be learned: its state takes more than ${mib} MiB or is from an older release. Send it again, or reset the source`,
    );
  return tooLate(
    place === 'folded'
      ? 'The batch was merged with others, by further batches, an accept or a rollback, and cannot be taught alone. Send it again, or choose a newer one like it'
      : 'The batch is not among the last 32 of the source: others came since, or the source was reset or rolled back. Send it again, or choose a newer one like it',
  );
}

/** How to get rid of a batch that is part of the averages. */
async function howToRemove(
  { account, source, job: id }: JobReference,
  job: Job,
  report: ReadReport,
  { editor }: FeedbackDependencies,
) {
  const versions = await editor.versions(account, source);
  // A batch that was not learned came in by feedback; a BLOCKed one perhaps as the first of its source.
  const isTaught = job.status === 'BLOCK' || whyNotLearned(report) !== null;
  const taughtIn = isTaught ? versions.findLast(({ job_id }) => job_id === id) : undefined;
  // No version is kept before feedback on a provisional baseline, so the oldest one may be of when the batch was taken out, and have it.
  const isWithout = taughtIn && !(await editor.isInVersion(account, source, taughtIn.version, id));
  const older = versions.find(({ made_at }) => Date.parse(made_at) < job.createdAt);
  const before = isWithout ? taughtIn : older;
  const way = before ? `Roll back to version ${before.version}, which is without it` : 'Reset the source';
  return `The batch is part of the averages and cannot be taken out alone. ${way}`;
}

const tooLate = (message: string) => new Rejection('TOO_LATE', message);
