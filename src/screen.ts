/** The path of one batch, from top to bottom: intake → engine → profile → judge → stores → response. */
import { Format, MAX_ROWS } from '../assembly/abi.ts';
import { type Grant, granting, rowsLeft } from './account/grant.ts';
import {
  type Claim,
  ClaimLost,
  type IdempotencyDependencies,
  type KeyedRequest,
  once,
  type RequestHash,
} from './account/idempotency.ts';
import type { Baseline } from './baseline/baseline.ts';
import { encodeState } from './baseline/encode.ts';
import type { BaselineKeeper } from './baseline/keeper.ts';
import { freshValues } from './baseline/fresh.ts';
import { type BatchState, stateOf } from './baseline/state.ts';
import { Turns } from './baseline/turns.ts';
import type { Engine } from './engine/engine.ts';
import { Rejection, takeBack } from './errors.ts';
import type { ContentType } from './intake/content-type.ts';
import { Pace } from './intake/pace.ts';
import { type Reception, receive } from './intake/receive.ts';
import { checkOptionsSize, checkRows, checkTop } from './intake/refusals.ts';
import { ID_RANDOM_BYTES, requestId } from './intake/request-id.ts';
import { checkSource } from './intake/source.ts';
import { type Engines, type Parser, Turn } from './intake/turn.ts';
import type { Upload } from './intake/upload.ts';
import { type History, prepareHistory } from './judge/adaptive/history.ts';
import { judgeAdaptively } from './judge/adaptive/judge.ts';
import { advise } from './judge/advice.ts';
import { causesOf, type Run, runOf } from './judge/blocked-run.ts';
import { judge } from './judge/judge.ts';
import { type Mode, parseOptions, type ScreenOptions } from './judge/options.ts';
import { repeatAnomaly, repeatedBatch } from './judge/repeats.ts';
import type { Judgement, Verdict } from './judge/report.ts';
import { nameRows } from './judge/rows/name.ts';
import { settingsIn, withSettings } from './judge/settings.ts';
import { describe, type ProfileDescription } from './profile/describe.ts';
import type { Profile } from './profile/profile.ts';
import { readProfile } from './profile/read.ts';
import { completionOf } from './response/completion.ts';
import { type Report, reportOf, type Screening, type Standing } from './response/report.ts';
import { type Response200, replayOf, responseOf } from './response/response.ts';
import type { Stage, StageClock } from './stages.ts';
import type { Account, AllowanceStore, JobStore, SourceNotes } from './stores/ports.ts';

/** What the path needs of an engine. */
export type BatchEngine = Parser & Pick<Engine, 'envelope' | 'rows' | 'measure' | 'queries' | 'rowQueries'>;

export interface ScreenDependencies extends IdempotencyDependencies {
  engines: Engines<BatchEngine>;
  baselines: Pick<BaselineKeeper, 'know' | 'learn' | 'unlearn' | 'noteBlocked' | 'endRun'>;
  allowance: AllowanceStore;
  jobs: Pick<JobStore, 'complete'>;
  maxBodyBytes: number;
  /** Rows whose values are measured when there are more and not all are asked for. */
  sampleRows: number;
  /** What judges where neither the request nor the source's settings say it. */
  defaultMode: Mode;
  /** Whether jobs, and answers to repeat, keep values of the payload. */
  storeValues: boolean;
}

/** One request whose headers are in order. */
export interface Batch {
  account: Account;
  contentType: ContentType;
  /** From the headers; null when the body says it. */
  named: Named | null;
  upload: Upload;
  /** Null without an Idempotency-Key. */
  keyed: Keyed | null;
  /** Hears where the time goes. */
  clock: StageClock;
}

/** What a request says besides its rows. */
export interface Named {
  source: string;
  options: ScreenOptions;
}

export interface Keyed {
  key: string;
  /** Has seen what the upload has read. */
  hash: RequestHash;
}

/** What was found, and the answer that says it. */
export interface Screened extends Response200 {
  report: Report;
  /** The answer to an earlier request, which this one repeats. */
  replayed: boolean;
}

/** Screens one batch. Throws `Rejection` for everything that is the client's or a store's fault. */
export async function screen(batch: Batch, deps: ScreenDependencies): Promise<Screened> {
  // A client that has yet to send its first byte must not keep an engine from others.
  await batch.upload.begun();
  return turning(batch, deps, async path => {
    const taken = await takeIn(path);
    if (taken.options.dryRun) return rehearse(path, taken);
    return unlessRepeated(path, claim =>
      granting(batch.account, taken.rows, deps, async grant => {
        lap(path, 'reserve');
        const examined = await examine(path, taken);
        return learning(path, examined, () => complete(path, examined, grant, claim));
      }),
    );
  });
}

/** One batch on its way. */
interface Path {
  batch: Batch;
  deps: ScreenDependencies;
  reception: Reception;
  turn: Turn<BatchEngine>;
  pace: Pace;
}

function lap({ batch: { clock, upload }, turn, pace }: Path, stage: Stage): void {
  clock.lap(stage, { upload: upload.waitedMs, queue: turn.waitedMs + pace.waitedMs });
}

/** Gives the engine back. One that fails in any way but by refusing what the client sent is not trusted again. */
async function turning<T>(
  batch: Batch,
  deps: ScreenDependencies,
  use: (path: Path) => Promise<T>,
): Promise<T> {
  const reception = receptionOf(batch, deps);
  const turn = new Turn(deps.engines, reception);
  let sound = false;
  try {
    const result = await use({ batch, deps, reception, turn, pace: new Pace() });
    sound = true;
    return result;
  } catch (error) {
    sound = error instanceof Rejection;
    throw error;
  } finally {
    turn.close(sound);
  }
}

const receptionOf = ({ account, contentType }: Batch, { maxBodyBytes }: ScreenDependencies): Reception => ({
  ...contentType,
  salt: account.salt,
  maxBodyBytes,
});

/** A body that is parsed and in order. */
interface Taken extends Named {
  rows: number;
  /** What is known of the source, on its way. */
  known: Promise<KnownSource>;
}

interface KnownSource {
  baseline: Baseline | null;
  notes: SourceNotes;
}

/** Intake: the body to its end, and what it says besides its rows. */
async function takeIn(path: Path): Promise<Taken> {
  const { batch, deps, reception, turn, pace } = path;
  const { account, upload } = batch;
  const early = batch.named && startRead(deps, account, batch.named.source);
  const engine = await receive(upload, turn, reception, pace);
  const named = batch.named ?? namedIn(engine);
  lap(path, 'parse');
  return { ...named, rows: engine.rows, known: early ?? startRead(deps, account, named.source) };
}

/** The read runs while the body still arrives; when that is refused, nobody asks for the read's outcome. */
function startRead(deps: ScreenDependencies, account: Account, source: string): Promise<KnownSource> {
  const read = deps.baselines.know(account.id, source);
  read.catch(() => {});
  return read;
}

/** CSV and NDJSON name source and options in their headers. */
export const isNamedByHeaders = ({ format }: ContentType): boolean => format !== Format.JSON;

/** Source and options of a JSON body, checked in the order of the rules. */
function namedIn(engine: BatchEngine): Named {
  const envelope = engine.envelope();
  checkTop(envelope);
  const source = checkSource(envelope.source, 'source');
  checkRows(envelope);
  checkOptionsSize(envelope);
  return { source, options: parseOptions(envelope.options) };
}

/** A repeat of an earlier request gets its answer; one that has to wait for it lends its engine to others meanwhile. */
async function unlessRepeated(
  { batch: { account, keyed }, deps, turn }: Path,
  run: (claim: Claim | null) => Promise<Screened>,
): Promise<Screened> {
  if (keyed === null) return run(null);
  const requestSha256 = keyed.hash.digest('hex');
  const request: KeyedRequest = { account: account.id, key: keyed.key, requestSha256 };
  const replay = (answer: Response200) => ({
    report: JSON.parse(answer.body) as Report,
    replayed: true,
    ...replayOf(answer),
  });
  return once(request, deps, { run, replay, wait: () => turn.rest() });
}

/** What the rows are like, beside what they were like before. */
interface Examined {
  id: string;
  source: string;
  /** In ms. */
  at: number;
  options: ScreenOptions;
  profile: Profile;
  baseline: Baseline | null;
  notes: SourceNotes;
  /** As the baseline would keep it, but for the verdict. */
  state: BatchState;
  judgement: Judgement;
  /** What of it goes on; null unless it is BLOCK. */
  run: Run | null;
  description: ProfileDescription;
}

/** Profile and judge. */
async function examine(path: Path, taken: Taken): Promise<Examined> {
  const { turn, pace, deps } = path;
  const { source } = taken;
  const engine = await turn.end();
  const sampleRows = taken.options.fullScan ? MAX_ROWS : deps.sampleRows;
  const profile = await pace.slice(() => readProfile(engine.measure(sampleRows)));
  lap(path, 'profile');
  const { baseline, notes } = await taken.known;
  lap(path, 'baseline');
  const options = withSettings(taken.options, settingsIn(notes.settings), deps.defaultMode);
  const at = deps.now();
  const id = requestId(at, deps.random(ID_RANDOM_BYTES));
  const fresh = await pace.slice(() => freshValues(profile, engine.queries, baseline));
  const facts = { id, at, chunk: options.chunk, ...UNJUDGED };
  const state = await pace.slice(() => stateOf(profile, facts, baseline, fresh));
  const history = await historyFor(options, baseline);
  const judged = await pace.slice(() => judgeBy(options, profile, engine, baseline, state, history));
  const judgement = await pace.slice(() => nameRows(judged, profile, engine.rowQueries, baseline, options));
  const run = judgement.status === 'BLOCK' ? runOf(id, causesOf(judgement), notes.run, baseline) : null;
  const description = await pace.slice(() => describe(profile, engine.queries));
  lap(path, 'judge');
  return { id, source, at, options, profile, baseline, notes, state, judgement, run, description };
}

/** What a state says until the verdict is known. */
const UNJUDGED = { provisional: false, verdict: 'PASS', health: 1 } as const;

/** Fitting goes on this long before others have their turn, in ms: that of a source of few fields is done in one. */
const FIT_SLICE_MS = 10;

/** It is ready but for a source that was not judged here since it last learnt, was folded, or changed its mode. */
const historyFor = ({ mode }: ScreenOptions, baseline: Baseline | null): Promise<History> | null =>
  mode === 'adaptive' && baseline !== null
    ? prepareHistory(baseline, new Turns(undefined, undefined, FIT_SLICE_MS))
    : null;

function judgeBy(
  options: ScreenOptions,
  profile: Profile,
  { queries: look }: BatchEngine,
  baseline: Baseline | null,
  state: BatchState,
  history: History | null,
): Judgement {
  if (options.mode === 'adaptive') return judgeAdaptively(profile, look, baseline, options, state, history);
  const judgement = judge(profile, look, baseline, options);
  const repeated = baseline && !baseline.provisional && repeatedBatch(baseline.recent, state);
  // What the contract does not know is told and changes no verdict.
  return repeated ? { ...judgement, anomalies: [repeatAnomaly(repeated, 'info')] } : judgement;
}

/** The baseline learns the batch, unless it must not, and forgets it when what follows fails. */
async function learning<T>(
  path: Path,
  { id, source, options, baseline, notes, state, judgement }: Examined,
  use: () => Promise<T>,
): Promise<T> {
  const { batch, deps } = path;
  const { account } = batch;
  const { status: verdict, health_score: health } = judgement;
  if (!learns(baseline, notes, verdict)) return use();
  const judged = { ...state, provisional: isProvisional(verdict), verdict, health };
  try {
    await deps.baselines.learn(
      account.id,
      source,
      judged,
      options.mode === 'adaptive' ? baseline => prepareHistory(baseline) : undefined,
    );
    lap(path, 'learn');
    return await use();
  } catch (error) {
    await takeBack(error, () => deps.baselines.unlearn(account.id, source, id));
    throw error;
  }
}

/** A source's first batch is learnt whatever its verdict; after that a BLOCK never is, and nothing by a baseline that is pinned. */
const learns = (baseline: Baseline | null, notes: SourceNotes, verdict: Verdict): boolean =>
  baseline === null || (verdict !== 'BLOCK' && !isPinned(baseline, notes));

/** A provisional baseline gives way all the same: it is nothing to hold fast. */
const isPinned = (baseline: Baseline | null, { pinned }: SourceNotes): boolean =>
  pinned && baseline?.provisional === false;

/** Only the first batch is learnt in spite of a BLOCK: it counts until a better one comes. */
const isProvisional = (verdict: Verdict): boolean => verdict === 'BLOCK';

/** Stores and response: the job is written, with the rows that count and the answer to repeats; then the answer may leave. */
async function complete(
  path: Path,
  examined: Examined,
  { periodStart, confirm }: Grant,
  claim: Claim | null,
): Promise<Screened> {
  const { batch, deps } = path;
  const { account, upload } = batch;
  const remainingRows = await confirm();
  const screening = screeningOf(examined, upload);
  const screened = screenedOf(screening, examined, account, remainingRows);
  const { report } = screened;
  const { description } = examined;
  const answered = {
    account: account.id,
    periodStart,
    screening,
    report,
    description,
    response: screened,
    claim,
    state: unlearntState(examined),
  };
  if (!(await deps.jobs.complete(completionOf(answered, deps.storeValues)))) throw new ClaimLost();
  lap(path, 'commit');
  await noteRun(path, examined);
  return screened;
}

/** Of a BLOCKed batch: it may be accepted yet. */
function unlearntState({ state, judgement }: Examined): Uint8Array | null {
  const { status: verdict, health_score: health } = judgement;
  return verdict === 'BLOCK' ? encodeState({ ...state, verdict, health }) : null;
}

/** The batch is screened and its job written: should it not be noted, the next one's report says less. */
async function noteRun({ batch, deps }: Path, examined: Examined): Promise<void> {
  await noted(batch.account.id, examined, deps).catch(error => {
    if (!(error instanceof Rejection)) throw error;
  });
}

/** What is learnt ends a run by itself; beside a pinned baseline it has to be said. */
async function noted(
  account: string,
  { source, run, notes }: Examined,
  { baselines }: ScreenDependencies,
): Promise<void> {
  if (run !== null) {
    const { since, last, causes } = run;
    await baselines.noteBlocked(account, source, { since, last, causes: JSON.stringify(causes) });
  } else if (notes.pinned && notes.run !== null) await baselines.endRun(account, source);
}

/** A dry run: the answer, and nothing that stays. */
async function rehearse(path: Path, taken: Taken): Promise<Screened> {
  const { account, upload } = path.batch;
  const examined = await examine(path, taken);
  const remainingRows = await rowsLeft(account, path.deps);
  return screenedOf(screeningOf(examined, upload), examined, account, remainingRows);
}

const screeningOf = ({ id, source, at, options }: Examined, { busyMs }: Upload): Screening => ({
  id,
  source,
  at,
  latencyMs: Math.ceil(busyMs),
  dryRun: options.dryRun,
});

function screenedOf(
  screening: Screening,
  examined: Examined,
  { plan }: Account,
  remainingRows: number,
): Screened {
  const { profile, baseline, judgement } = examined;
  const report = reportOf(screening, profile, baseline, judgement, standingOf(examined));
  return { report, replayed: false, ...responseOf(report, plan, remainingRows) };
}

function standingOf({ options, baseline, notes, judgement, run }: Examined): Standing {
  const { null_rates = {}, type_mismatches = {} } = judgement.issues ?? {};
  const crossing = new Set([...Object.keys(null_rates), ...Object.keys(type_mismatches)]);
  const isOfContract = options.mode === 'contract';
  return {
    run,
    advice: isOfContract ? advise(crossing, baseline, run, options.thresholds) : [],
    pinned: isPinned(baseline, notes),
  };
}
