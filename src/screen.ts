/** The path of one batch: admit, receive, profile, recall, assess, reserve, learn, write, answer. */
import { MAX_ROWS } from '../assembly/abi.ts';
import { type Claim, ClaimLost, runOnce } from './account/idempotency.ts';
import { boundsOf, reportBytesOf, StorageExceeded } from './account/storage.ts';
import { remainingRowsOf, type Reservation, reserveRows } from './account/reservation.ts';
import type { Baseline } from './baseline/baseline.ts';
import { encodingState } from './baseline/encode-state.ts';
import { countingNewValues } from './baseline/new-values.ts';
import type { BatchState } from './baseline/state.ts';
import { makingState } from './baseline/state-of-batch.ts';
import { Compensations } from './compensations.ts';
import type { Report } from './contract/report.ts';
import { Rejection } from './errors.ts';
import { CooperativeTask } from './intake/cooperative-scheduler.ts';
import { EngineLease } from './intake/engine-lease.ts';
import { type SourceAndOptions, sourceAndOptionsIn } from './intake/source-and-options.ts';
import { receive } from './intake/receive.ts';
import { ID_RANDOM_BYTES, requestId } from './intake/request-id.ts';
import { advising } from './judge/advice.ts';
import { type Assessment, assessing } from './judge/assess.ts';
import { type BlockedRun, runOf } from './judge/blocked-run.ts';
import type { ScreenOptions } from './options/options.ts';
import { settingsIn, withSettings } from './options/settings.ts';
import { describing, type ProfileDescription } from './profile/describe.ts';
import type { Profile } from './profile/profile.ts';
import { readingProfile } from './profile/read.ts';
import { completing } from './report/completion.ts';
import { type ReportInput, reporting } from './report/report.ts';
import { type Response200, replayOf, responseOf } from './report/response.ts';
import { compilingPatterns } from './rules/declared/parse.ts';
import { RULES } from './rules/rules.ts';
import type { Violation } from './rules/violations/violation.ts';
import { checkRules } from './screen/check-rules.ts';
import type { Batch, BatchEngine, Keyed, ScreenDependencies, Screened } from './screen/dependencies.ts';
import { takeOver } from './screen/take-over.ts';
import type { Stage } from './stages.ts';
import type { Account, SourceNotes } from './stores/ports.ts';

export type { Batch, BatchEngine, Keyed, ScreenDependencies, Screened };

/** Screens one batch. Throws `Rejection` for whatever is the client's or a store's fault. */
export async function screen(batch: Batch, deps: ScreenDependencies): Promise<Screened> {
  const request = await admit(batch, deps);
  try {
    const received = await receiveBody(request);
    if (received.options.dryRun) return await dryRun(request, received);
    return await oncePerKey(request, claim => screenAndStore(request, received, claim));
  } catch (error) {
    // An engine that failed in any way but by rejecting the body is not used again.
    request.isEngineHealthy = error instanceof Rejection;
    throw error;
  } finally {
    request.lease.close(request.isEngineHealthy);
  }
}

/** Every step that changes something comes with the step that undoes it. */
async function screenAndStore(request: Request, whole: Received, claim: Claim | null): Promise<Screened> {
  const received = claim === null ? whole : await underClaim(request, whole, claim);
  // The claim of the key, and the wait for another request that holds it.
  lap(request, 'reserve');
  const undo = new Compensations();
  let screened: Screened;
  let judged: Judged;
  try {
    const profile = await profileBatch(request, received);
    const past = await recall(request, received);
    judged = await judgeBatch(request, received, profile, past);
    const reservation = await reserve(request, received);
    undo.add(() => reservation.release());
    // Registered before `learn`: a store that timed out may have learned the batch.
    undo.add(() => unlearn(request, judged));
    if (claim !== null) claim.mayHaveLearned = isLearned(judged);
    await learn(request, judged);
    screened = await write(request, judged, reservation, claim);
  } catch (error) {
    await undo.run(error);
    throw error;
  }
  await noteRun(request, judged);
  return screened;
}

/** The answer, and nothing that stays. */
async function dryRun(request: Request, received: Received): Promise<Screened> {
  const profile = await profileBatch(request, received);
  const past = await recall(request, received);
  const judged = await judgeBatch(request, received, profile, past);
  const remainingRows = await remainingRowsOf(request.batch.account, request.deps);
  return answer(request, await reportInputOf(request, judged), remainingRows);
}

/** One batch on its way. */
interface Request {
  batch: Batch;
  deps: ScreenDependencies;
  lease: EngineLease<BatchEngine>;
  task: CooperativeTask;
  isEngineHealthy: boolean;
}

function lap({ batch: { clock, upload }, lease, task }: Request, stage: Stage): void {
  clock.lap(stage, { upload: upload.waitedMs, queue: lease.waitedMs + task.waitedMs });
}

// ---- admit ----

/** A client that has yet to send its first byte does not keep an engine from others. */
async function admit(batch: Batch, deps: ScreenDependencies): Promise<Request> {
  await batch.upload.waitForFirstByte();
  const { contentType, account } = batch;
  const lease = new EngineLease(deps.engines, account.id, { ...contentType, salt: account.salt });
  return { batch, deps, lease, task: new CooperativeTask(), isEngineHealthy: true };
}

// ---- receive ----

/** A body that is parsed and in order. */
interface Received extends SourceAndOptions {
  rows: number;
  /** The read of what is known of the source, which runs while the body arrives. */
  known: Promise<KnownSource>;
  /** Of the request; null: it gets one when it is judged. */
  id: string | null;
}

interface KnownSource {
  baseline: Baseline | null;
  notes: SourceNotes;
}

/** Reads the body to its end, and what it says besides its rows. */
async function receiveBody(request: Request): Promise<Received> {
  const { batch, deps, lease, task } = request;
  const { account, upload, contentType, named } = batch;
  const early = named && startRead(deps, account, named.source);
  const { maxBodyBytes } = deps;
  const engine = await receive(upload, lease, { ...contentType, maxBodyBytes }, task);
  const { source, options } = named ?? sourceAndOptionsIn(engine);
  lap(request, 'parse');
  return { source, options, rows: engine.rows, known: early ?? startRead(deps, account, source), id: null };
}

function startRead(deps: ScreenDependencies, account: Account, source: string): Promise<KnownSource> {
  const read = deps.baselines.know(account.id, source);
  // When the body is rejected, nobody asks for the outcome of the read.
  read.catch(() => {});
  return read;
}

/** A repeated request gets the answer to the first. While it waits for that, others use its engine. */
async function oncePerKey(
  { batch, deps, lease }: Request,
  screenOnce: (claim: Claim | null) => Promise<Screened>,
): Promise<Screened> {
  const { account, keyed } = batch;
  if (keyed === null) return screenOnce(null);
  const requestSha256 = keyed.hash.digest('hex');
  const replay = (stored: Response200): Screened => ({
    report: JSON.parse(stored.body) as Report,
    remainingRows: Number(stored.headers['X-RateLimit-Remaining']),
    replayed: true,
    ...replayOf(stored),
  });
  const request = { account: account.id, key: keyed.key, requestSha256 };
  const newId = () => newRequestId(deps, deps.now());
  return runOnce(request, deps, { newId, run: screenOnce, replay, wait: () => lease.suspend() });
}

async function underClaim({ batch, deps }: Request, received: Received, claim: Claim): Promise<Received> {
  const { account } = batch;
  const { source, known } = received;
  const id = await takeOver(claim, account.id, source, deps);
  // What was read while the body arrived may have a batch that is called off.
  return { ...received, id, known: claim.unfinished === null ? known : startRead(deps, account, source) };
}

// ---- profile, recall, assess ----

async function profileBatch(request: Request, { options }: Received): Promise<Profile> {
  const { lease, task, deps } = request;
  const engine = await lease.end(task);
  const measured = await task.runPieces(engine.measuring(options.fullScan ? MAX_ROWS : deps.sampleRows));
  const profile = await task.runPieces(readingProfile(measured));
  lap(request, 'profile');
  return profile;
}

async function recall(request: Request, { known }: Received): Promise<KnownSource> {
  const past = await known;
  lap(request, 'baseline');
  return past;
}

/** A batch under the settings and the declared rules of its source. */
interface Checked {
  id: string;
  source: string;
  /** In ms. */
  at: number;
  options: ScreenOptions;
  profile: Profile;
  violations: Violation[];
}

/** A batch with all that is found of it. */
interface Judged extends KnownSource, Checked {
  /** As the baseline would keep it, but for the verdict. */
  state: BatchState;
  assessment: Assessment;
  /** The run of BLOCKed batches that this one continues; null unless it is BLOCK. */
  run: BlockedRun | null;
  /** Null where no job keeps it. */
  description: ProfileDescription | null;
  /** The baseline has no room for it. */
  storageFull: boolean;
}

async function judgeBatch(
  request: Request,
  received: Received,
  measured: Profile,
  known: KnownSource,
): Promise<Judged> {
  const { lease, task, deps } = request;
  const engine = await lease.end(task);
  const checked = await check(request, engine, received, measured, known.notes);
  const { state, assessment } = await assess(request, engine, checked, known);
  const { id, options, profile } = checked;
  const { causes, newNormal, status } = assessment;
  const run = status === 'BLOCK' || newNormal ? runOf(id, causes, known.notes.run, known.baseline) : null;
  const isKept = deps.jobs !== null && !options.dryRun;
  const description = isKept ? await task.runPieces(describing(profile, engine.queries)) : null;
  // Nobody asks the engine any more: another batch may have it while this one is written.
  lease.close(true);
  lap(request, 'judge');
  return { ...known, ...checked, state, assessment, run, description, storageFull: false };
}

/** Joins the options with the settings of the source, and checks the rules that its owner declared. */
async function check(
  { task, deps }: Request,
  engine: BatchEngine,
  { source, options: given, id: claimed }: Received,
  measured: Profile,
  notes: SourceNotes,
): Promise<Checked> {
  const options = withSettings(given, settingsIn(notes.settings), deps.defaultMode);
  const at = deps.now();
  const id = claimed ?? newRequestId(deps, at);
  if (options.rules) await task.runPieces(compilingPatterns(options.rules));
  const rules = options.rules ?? deps.parsedRules.of(notes.rules);
  const checking = { task, patterns: deps.patterns, now: at, rowVerdicts: options.rowVerdicts };
  return { id, source, at, options, ...(await checkRules(engine, measured, rules, checking)) };
}

const newRequestId = ({ random }: ScreenDependencies, at: number): string =>
  requestId(at, random(ID_RANDOM_BYTES));

/** Compares the batch with what its source looked like before. */
async function assess(
  { batch: { account }, task, deps }: Request,
  engine: BatchEngine,
  { id, source, at, options, profile, violations }: Checked,
  { baseline, notes }: KnownSource,
): Promise<Pick<Judged, 'state' | 'assessment'>> {
  const newValues = await task.runPieces(countingNewValues(profile, engine.queries, baseline));
  const facts = { id, at, chunk: options.chunk, ...UNJUDGED };
  const state = await task.runPieces(makingState(profile, facts, baseline, newValues));
  const { settleAfter } = options;
  const history =
    baseline && (await deps.baselines.historyOf(account.id, source, baseline, settleAfter, task.pauses()));
  const batch = { profile, queries: engine.queries, rowQueries: engine.rowQueries, state, violations };
  const past = { baseline, history, run: notes.pinned ? null : notes.run };
  return { state, assessment: await task.runPieces(assessing(batch, past, RULES, options)) };
}

/** What a state says until the verdict is known. */
const UNJUDGED = { provisional: false, verdict: 'PASS', health: 1 } as const;

// ---- reserve, learn, write ----

async function reserve(request: Request, { rows }: Received): Promise<Reservation> {
  const reservation = await reserveRows(request.batch.account, rows, request.deps);
  lap(request, 'reserve');
  return reservation;
}

async function learn(request: Request, judged: Judged): Promise<void> {
  if (!isLearned(judged)) return;
  const { deps, batch, task } = request;
  const { source, options, state } = judged;
  const { status, newNormal, health } = judged.assessment;
  // Only the first batch is learned in spite of a BLOCK: it counts until a better one comes.
  const facts = { provisional: status === 'BLOCK', verdict: status, health };
  const learned = { ...state, ...facts, ...(newNormal && { proposed: true }) };
  // The next batch finds the history fitted.
  const { id: account } = batch.account;
  const prefetch = (next: Baseline) => deps.baselines.historyOf(account, source, next, options.settleAfter);
  const bounds = boundsOf(batch.account, deps);
  try {
    await task.run(() => deps.baselines.learn(account, source, learned, prefetch, bounds));
  } catch (error) {
    // A known source is judged as before. A new one would never be compared with anything.
    if (!(error instanceof StorageExceeded) || judged.baseline === null) throw error;
    judged.storageFull = true;
  }
  lap(request, 'learn');
}

/** Withdrawing a batch that was never learned changes nothing. */
const unlearn = async ({ deps, batch }: Request, judged: Judged): Promise<void> => {
  if (isLearned(judged)) await deps.baselines.unlearn(batch.account.id, judged.source, judged.id);
};

/** A source's first batch is learned whatever its verdict. After that a BLOCKed one never is, and a pinned baseline learns nothing. */
const isLearned = ({ baseline, notes, assessment }: Judged): boolean =>
  baseline === null || (assessment.status !== 'BLOCK' && !isPinned(baseline, notes));

/** A pin does not protect a provisional baseline. */
const isPinned = (baseline: Baseline | null, { pinned }: SourceNotes): boolean =>
  pinned && baseline?.provisional === false;

/** Writes the job, its rows in the ledger and the answer to repeats in one transaction; then the answer may leave. */
async function write(
  request: Request,
  judged: Judged,
  { periodStart, confirm }: Reservation,
  claim: Claim | null,
): Promise<Screened> {
  const { batch, deps, task } = request;
  const remainingRows = await confirm();
  const reported = await reportInputOf(request, judged);
  const screened = await answer(request, reported, remainingRows);
  const { description } = judged;
  const { jobs } = deps;
  if (jobs === null || description === null) return screened;
  const answered = {
    account: batch.account.id,
    periodStart,
    reported,
    report: screened.report,
    description,
    response: screened,
    claim,
    mostBytes: reportBytesOf(batch.account, deps),
    isPerson: batch.isPerson,
    state: await unlearnedState(request, judged),
  };
  const completion = await task.runPieces(completing(answered, deps.storeValues));
  if (!(await task.run(() => jobs.complete(completion)))) throw new ClaimLost();
  lap(request, 'commit');
  return screened;
}

/** Of a BLOCKed batch, and of a WARN that was not learned: it may be accepted yet. */
async function unlearnedState({ task }: Request, judged: Judged): Promise<Uint8Array | null> {
  const { state, assessment, storageFull } = judged;
  const { status: verdict, health, newNormal } = assessment;
  const isLost = verdict === 'WARN' && (storageFull || !isLearned(judged));
  if (verdict !== 'BLOCK' && !isLost) return null;
  return task.runPieces(encodingState({ ...state, verdict, health, ...(newNormal && { proposed: true }) }));
}

/** Learning ends a run by itself. */
async function noteRun({ batch: { account }, deps }: Request, judged: Judged): Promise<void> {
  const { source, run, notes, storageFull } = judged;
  const ends = run === null && notes.run !== null && (notes.pinned || storageFull);
  if (run !== null || ends) await deps.baselines.noteRun(account.id, source, run);
}

// ---- answer ----

async function answer(request: Request, reported: ReportInput, remainingRows: number): Promise<Screened> {
  const { batch, task } = request;
  const report = await task.runPieces(reporting(reported));
  const response = await task.run(() => responseOf(report, batch.account.plan, remainingRows));
  const headers = { ...response.headers, ...batch.marks };
  return { report, remainingRows, replayed: false, ...response, headers };
}

async function reportInputOf({ batch, task }: Request, judged: Judged): Promise<ReportInput> {
  const { id, source, at, options, profile, baseline, notes, assessment, run, storageFull } = judged;
  const screening = { id, source, at, latencyMs: Math.ceil(batch.upload.busyMs), dryRun: options.dryRun };
  const crossing = assessment.findings.filter(crossesThreshold).map(({ field }) => field!);
  const { mode, thresholds } = options;
  const advice =
    mode === 'contract' ? await task.runPieces(advising(new Set(crossing), baseline, run, thresholds)) : [];
  const pinned = isPinned(baseline, notes);
  return { screening, profile, baseline, assessment, run, advice, pinned, storageFull };
}

const crossesThreshold = ({ kind, severity }: Assessment['findings'][number]): boolean =>
  severity !== 'info' && (kind === 'null_rate' || kind === 'type_mismatch');
