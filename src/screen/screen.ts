/** The path of one batch: admit, receive, recall, judge, reserve, learn, write, answer. Threads parse and judge; everything that is stored is stored here. */
import { type Claim, ClaimLost, runOnce } from '../account/idempotency.ts';
import { remainingRowsOf, type Reservation, reserveRows } from '../account/reservation.ts';
import { boundsOf, reportBytesOf, StorageExceeded } from '../account/storage.ts';
import { Compensations } from './compensations.ts';
import { type ParsingBody, receive } from '../intake/receive.ts';
import { sourceAtStart } from '../intake/source-at-start.ts';
import { ID_RANDOM_BYTES, requestId } from '../names/request-id.ts';
import { type WindowSettings, windowIn } from '../options/settings.ts';
import { periodOf } from '../account/period.ts';
import { completionOf, withLatency, withQuarantine } from '../report/completion.ts';
import { responseOf } from '../report/response.ts';
import type { Batch, Keyed, ScreenDependencies, Screened, Windows } from './dependencies.ts';
import { Answer, answerToPost, repeated, type SaidAndLeft } from './answer.ts';
import { takeOver } from './take-over.ts';
import type { Stage } from './stages.ts';
import type { EarlyRead } from '../sources/baselines.ts';
import type { Judged, Parsed, ParseOrder } from '../threads/tasks.ts';
import { ownTurn } from '../threads/own-turn.ts';
import type { Thread } from '../threads/thread.ts';
import { keyOf, unavailable } from '../threads/threads.ts';
import type { State } from '../states/state.ts';
import type { BodyStart } from '../threads/parsed-batch.ts';
import { ThreadedBody } from '../threads/threaded-body.ts';

export { repeated };
export type { Batch, Keyed, ScreenDependencies, Screened, Windows };

/** Screens one batch. Throws `Rejection` for whatever is the client's or a store's fault. */
export async function screen(batch: Batch, deps: ScreenDependencies): Promise<Screened> {
  const request = await admit(batch, deps);
  try {
    const parsed = await receiveBody(request);
    if (parsed instanceof Answer) return parsed;
    const window = windowsOf(batch) && windowIn((await request.known!.read).notes.settings);
    if (window) return await addToWindow(request, window);
    if (parsed.dryRun) return await dryRun(request, parsed);
    return await oncePerKey(request, claim => screenAndStore(request, parsed, claim));
  } finally {
    request.body.close();
  }
}

/** Every step that changes something comes with the step that undoes it. */
async function screenAndStore(request: Request, parsed: Parsed, claim: Claim | null): Promise<Screened> {
  if (claim !== null) await underClaim(request, parsed, claim);
  // The claim of the key, and the wait for another request that holds it.
  lap(request, 'reserve');
  const undo = new Compensations();
  let screened: Screened;
  let judged: JudgedHere;
  try {
    judged = await recallAndJudge(request, parsed);
    undo.add(async () => void written(request, judged, false));
    judged = await withRowVerdicts(request, judged);
    const reservation = await reserve(request, parsed);
    undo.add(() => reservation.release());
    // Registered before `learn`: a store that timed out may have learned the batch.
    undo.add(() => unlearn(request, judged));
    if (claim !== null) claim.mayHaveLearned = judged.state !== null;
    judged = await learn(request, judged);
    screened = await write(request, judged, reservation, claim);
  } catch (error) {
    await undo.run(error);
    throw error;
  }
  await noteRun(request, judged);
  void written(request, judged, judged.isAdded);
  return screened;
}

/** The answer, and nothing that stays. */
async function dryRun(request: Request, parsed: Parsed): Promise<Screened> {
  const judged = await withRowVerdicts(request, await recallAndJudge(request, parsed));
  const remainingRows = await remainingRowsOf(request.batch.account, request.deps);
  return answer(request, judged, remainingRows);
}

/** A state or report of so many bytes takes milliseconds to write. */
const LARGE_BYTES = 64 * 1024;

/** One batch on its way. */
interface Request {
  batch: Batch;
  deps: ScreenDependencies;
  body: ThreadedBody;
  /** How its body is parsed. */
  start: BodyStart;
  /** The read of what is known of the source, or of one that the body seemed to name. */
  known: EarlyRead | null;
  /** Null: it gets one when it is judged. */
  id: string | null;
  /** When it is judged, in ms; null: not yet. */
  at: number | null;
  /** Of its first byte, in ms. */
  arrivedAt: number;
}

function lap({ batch: { clock, upload }, body }: Request, stage: Stage): void {
  clock.lap(stage, { upload: upload.waitedMs, queue: body.waitedMs });
}

// ---- admit ----

/** A client that has yet to send its first byte does not keep a thread from others. */
async function admit(batch: Batch, deps: ScreenDependencies): Promise<Request> {
  await batch.upload.waitForFirstByte();
  const { contentType, account, named } = batch;
  const { charset: _charset, coding: _coding, escapeByte: _escape, ...dialect } = contentType;
  const start = { ...dialect, salt: account.salt, named };
  const keyIn = (beginning: Uint8Array) => {
    const source = named?.source ?? sourceAtStart(beginning);
    if (source === null) return null;
    request.known ??= deps.baselines.readEarly(account.id, source);
    return keyOf(account.id, source);
  };
  const atEnd = (thread: Thread) => {
    const judge = judgeAtOnce(request, thread);
    return judge ? { judge } : {};
  };
  const request: Request = {
    batch,
    deps,
    body: new ThreadedBody(deps.threads, account.id, start, keyIn, atEnd),
    start,
    known: null,
    id: null,
    at: null,
    arrivedAt: Date.now(),
  };
  return request;
}

// ---- receive ----

/** Reads the body to its end, and what it says besides its rows. If the source has a window, and is known in time, that is all: here is the answer. */
async function receiveBody(request: Request): Promise<Parsed | Answer> {
  const { batch, deps, body } = request;
  const { account, named } = batch;
  // What is known of the source is read while the body arrives, if its name comes first.
  if (named) request.known = deps.baselines.readEarly(account.id, named.source);
  const parsed = batch.state
    ? await adopted(batch.state, request)
    : batch.pieces
      ? await body.whole(batch.pieces)
      : await receive(batch.upload, intoWindow(request), {
          ...batch.contentType,
          maxBodyBytes: deps.maxBodyBytes,
        });
  lap(request, 'parse');
  if (parsed instanceof Answer) return parsed;
  if (parsed.judged) batch.clock.move('parse', 'judge', parsed.judged.ms);
  if (request.known?.source !== parsed.source)
    request.known = deps.baselines.readEarly(account.id, parsed.source);
  return parsed;
}

/** A body that is not parsed alone if its source has a window: what is wrong with it is explained in the same way. */
function intoWindow(request: Request): ParsingBody<Parsed | Answer> {
  const { body, batch } = request;
  if (windowsOf(batch) === null) return body;
  const window = () => windowIn(request.known?.stored?.notes.settings ?? null);
  return {
    write: bytes => body.write(bytes),
    pause: () => (window() ? Promise.resolve() : body.pause()),
    end: () => {
      const found = window();
      return found ? addToWindow(request, found) : body.end();
    },
  };
}

/** The batch has come in slices, which are measured. */
function adopted(state: State, { batch: { account, named }, body }: Request): Promise<Parsed> {
  return body.adopt({ ...named!, state }, keyOf(account.id, named!.source));
}

/** A batch without a key is judged in the message that has its last bytes, if its source has been read by then. */
function judgeAtOnce(request: Request, thread: Thread): ParseOrder['judge'] | null {
  const { batch, deps, known } = request;
  if (batch.keyed !== null || known === null) return null;
  return deps.baselines.judgeAtOnce(thread, batch.account.id, judgingOf(request), known);
}

/** A repeated request gets the answer to the first. While it waits for that, others use its thread. */
async function oncePerKey(
  { batch, deps, body: sent }: Request,
  screenOnce: (claim: Claim | null) => Promise<Screened>,
): Promise<Screened> {
  const { account, keyed } = batch;
  if (keyed === null) return screenOnce(null);
  const requestSha256 = keyed.hash.digest('hex');
  const request = { account: account.id, key: keyed.key, requestSha256 };
  return runOnce(request, deps, {
    newId: () => newRequestId(deps, deps.now()),
    run: screenOnce,
    replay: repeated,
    wait: () => void sent.giveBack().catch(() => {}),
  });
}

// ---- windows ----

/** A person who tries a batch wants its verdict. */
const windowsOf = ({ windows, isPerson }: Batch): Windows | null => (isPerson ? null : (windows ?? null));

/** Posts to a source with a window are judged alone; their rows are part of a larger batch. */
async function addToWindow(request: Request, settings: WindowSettings): Promise<Answer> {
  const { batch, deps, body, start, known } = request;
  const { account, keyed } = batch;
  const { source } = known!;
  const [pieces, { notes }] = await Promise.all([body.bytes(), known!.read]);
  const at = deps.now();
  const screened = await oncePerKey(request, async claim => {
    if (claim !== null) await takeOver(claim, account.id, source, deps);
    const id = claim?.id ?? newRequestId(deps, at);
    const post = { start, pieces, id, at, isKept: keyed !== null };
    const answer = (...said: SaidAndLeft) => answerToPost(batch, ...said);
    return batch.windows!.add({ account, source, claim, settings, notes, post, answer });
  });
  lap(request, 'commit');
  return screened as Answer;
}

async function underClaim(request: Request, { source }: Parsed, claim: Claim): Promise<void> {
  const { batch, deps } = request;
  request.id = await takeOver(claim, batch.account.id, source, deps);
  // What was read while the body arrived may have a batch that is called off.
  if (claim.unfinished !== null) request.known = deps.baselines.readEarly(batch.account.id, source);
}

const newRequestId = ({ random }: ScreenDependencies, at: number): string =>
  requestId(at, random(ID_RANDOM_BYTES));

// ---- recall, judge ----

/** A batch that was judged in a thread. */
interface JudgedHere extends Judged {
  /** The request's, and its job's. */
  id: string;
  thread: Thread;
  /** Whether the baseline has got its state. */
  isAdded: boolean;
}

async function recallAndJudge(request: Request, parsed: Parsed): Promise<JudgedHere> {
  const { body } = request;
  await request.known!.read;
  lap(request, 'baseline');
  // A request that waited for another one with its key has given its thread back.
  if (body.thread === null) await body.end();
  const thread = body.thread!;
  try {
    const judged = await judgedIn(thread, request, parsed);
    request.batch.clock.move('judge', 'profile', judged.measureMs);
    body.release();
    return { id: request.id!, thread, isAdded: false, ...judged };
  } catch (error) {
    body.close();
    throw unavailable(error);
  } finally {
    lap(request, 'judge');
  }
}

async function judgedIn(thread: Thread, request: Request, { source, judged }: Parsed): Promise<Judged> {
  const { baselines } = request.deps;
  const { id: account } = request.batch.account;
  const atOnce = judged && baselines.judgedAtOnce(thread, account, source, judged);
  return atOnce ?? (await baselines.judge(thread, account, source, judgingOf(request), request.known!));
}

function judgingOf(request: Request) {
  const { deps, arrivedAt } = request;
  request.at ??= deps.now();
  request.id ??= newRequestId(deps, request.at);
  return { id: request.id, at: request.at, arrivedAt, isKept: deps.jobs !== null };
}

/** Where rows are held back for what the whole batch has: its slices come once more. */
async function withRowVerdicts({ batch }: Request, judged: JudgedHere): Promise<JudgedHere> {
  if (judged.findings === null || batch.quarantine === undefined) return judged;
  const quarantine = await batch.quarantine(judged.findings);
  const { body, kept } = judged;
  const document = kept && {
    ...kept.document,
    report: withQuarantine(kept.document.report, quarantine),
  };
  return {
    ...judged,
    body: withQuarantine(body, quarantine),
    kept: kept && { ...kept, document: document! },
  };
}

// ---- reserve, learn, write ----

async function reserve(request: Request, { rows }: Parsed): Promise<Reservation> {
  if (request.batch.isCounted) return counted(request);
  const reservation = await reserveRows(request.batch.account, rows, request.deps);
  lap(request, 'reserve');
  return reservation;
}

/** Rows that are counted already. */
async function counted({ batch: { account }, deps }: Request): Promise<Reservation> {
  const remainingRows = await remainingRowsOf(account, deps);
  const { start: periodStart } = periodOf(account, deps.now());
  return { periodStart, confirm: async () => remainingRows, release: async () => {} };
}

async function learn(request: Request, judged: JudgedHere): Promise<JudgedHere> {
  const { deps, batch } = request;
  const { id, source, state, thread } = judged;
  if (state === null) return judged;
  try {
    if (state.length > LARGE_BYTES) await ownTurn();
    const bounds = boundsOf(batch.account, deps);
    const isAdded = await deps.baselines.learn(batch.account.id, source, { id, state }, bounds);
    return { ...judged, isAdded };
  } catch (error) {
    // A known source is judged as before. A new one would never be compared with anything.
    if (!(error instanceof StorageExceeded) || !judged.isKnown) throw error;
    const said = await thread.ask('sayStorageFull', { id }).catch(lost => Promise.reject(unavailable(lost)));
    return { ...judged, ...said, state: null, endsRun: true };
  } finally {
    lap(request, 'learn');
  }
}

/** Withdrawing a batch that was never learned changes nothing. */
const unlearn = async ({ deps, batch }: Request, { id, source, state }: JudgedHere): Promise<void> => {
  if (state !== null) await deps.baselines.unlearn(batch.account.id, source, id);
};

/** The thread may forget the batch, and makes the next baseline if its source has learned it. */
const written = ({ deps, batch }: Request, { id, thread, source }: JudgedHere, isLearned: boolean) =>
  deps.baselines.written(thread, batch.account.id, source, { id, isLearned }, boundsOf(batch.account, deps));

/** Writes the job, its rows in the ledger and the answer to repeats in one transaction; then the answer may leave. */
async function write(
  request: Request,
  judged: JudgedHere,
  { periodStart, confirm }: Reservation,
  claim: Claim | null,
): Promise<Screened> {
  const { batch, deps } = request;
  const remainingRows = await confirm();
  if (judged.body.length > LARGE_BYTES) await ownTurn();
  const screened = answer(request, judged, remainingRows);
  const { kept, unlearned: state } = judged;
  const { jobs } = deps;
  if (jobs === null || kept === null) return screened;
  const { account, isPerson } = batch;
  const completion = completionOf({
    ...{
      account: account.id,
      periodStart,
      kept,
      claim,
      state,
      isPerson,
      isCounted: batch.isCounted ?? false,
    },
    latencyMs: screened.latencyMs,
    response: screened,
    mostBytes: reportBytesOf(account, deps),
  });
  if (!(await jobs.complete(completion))) throw new ClaimLost();
  lap(request, 'commit');
  return screened;
}

/** Learning ends a run by itself. */
async function noteRun({ batch: { account }, deps }: Request, { source, run, endsRun }: JudgedHere) {
  if (run !== null || endsRun) await deps.baselines.noteRun(account.id, source, run);
}

// ---- answer ----

function answer({ batch }: Request, { head, body, findings }: Judged, remainingRows: number): Answer {
  const latencyMs = Math.ceil(batch.upload.busyMs);
  const text = withLatency(body, latencyMs);
  const { headers } = responseOf(head, text, latencyMs, batch.account.plan, remainingRows);
  return new Answer(text, { ...headers, ...batch.marks }, remainingRows, false, latencyMs, findings);
}
