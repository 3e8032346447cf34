/** The path of one batch, from top to bottom: intake → engine → profile → judge → stores → response. */
import { Format, MAX_ROWS } from '../assembly/abi.ts';
import { monthOf } from './account/period.ts';
import { PLANS } from './account/plans.ts';
import type { Baseline } from './baseline/baseline.ts';
import type { BaselineKeeper } from './baseline/keeper.ts';
import { stateOf } from './baseline/state.ts';
import type { Engine } from './engine/engine.ts';
import { Rejection } from './errors.ts';
import type { ContentType } from './intake/content-type.ts';
import { Pace } from './intake/pace.ts';
import { type Reception, receive } from './intake/receive.ts';
import { checkOptionsSize, checkRows, checkTop } from './intake/refusals.ts';
import { ID_RANDOM_BYTES, requestId } from './intake/request-id.ts';
import { checkSource } from './intake/source.ts';
import { type Engines, type Parser, Turn } from './intake/turn.ts';
import type { Upload } from './intake/upload.ts';
import { judge } from './judge/judge.ts';
import { parseOptions, type ScreenOptions } from './judge/options.ts';
import type { Judgement, Verdict } from './judge/report.ts';
import { describe } from './profile/describe.ts';
import type { Profile } from './profile/profile.ts';
import { completionOf } from './response/completion.ts';
import { type Report, reportOf } from './response/report.ts';
import { type Response200, responseOf } from './response/response.ts';
import type { Account, AllowanceStore, JobStore } from './stores/ports.ts';

/** What the path needs of an engine. */
export type BatchEngine = Parser & Pick<Engine, 'envelope' | 'rows' | 'profile' | 'look'>;

export interface ScreenDependencies {
  engines: Engines<BatchEngine>;
  baselines: Pick<BaselineKeeper, 'load' | 'learn' | 'unlearn'>;
  allowance: AllowanceStore;
  jobs: Pick<JobStore, 'complete'>;
  maxBodyBytes: number;
  /** Rows whose values are measured when there are more and not all are asked for. */
  sampleRows: number;
  /** Whether jobs, and answers to repeat, keep values of the payload. */
  storeValues: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
}

/** One request whose headers are in order. */
export interface Batch {
  account: Account;
  contentType: ContentType;
  /** From the headers; null when the body says it. */
  named: Named | null;
  upload: Upload;
}

/** What a request says besides its rows. */
export interface Named {
  source: string;
  options: ScreenOptions;
}

/** What was found, and the answer that says it. */
export interface Screened extends Response200 {
  report: Report;
}

/** Screens one batch. Throws `Rejection` for everything that is the client's or a store's fault. */
export async function screen(batch: Batch, deps: ScreenDependencies): Promise<Screened> {
  // A client that has yet to send its first byte must not keep an engine from others.
  await batch.upload.begun();
  const reception = receptionOf(batch, deps);
  const turn = new Turn(deps.engines, reception);
  return closing(turn, () => screenIn(turn, reception, batch, deps));
}

async function screenIn(
  turn: Turn<BatchEngine>,
  reception: Reception,
  batch: Batch,
  deps: ScreenDependencies,
): Promise<Screened> {
  const { account, upload } = batch;
  const early = batch.named && startRead(deps, account, batch.named.source);
  const pace = new Pace();
  const engine = await receive(upload, turn, reception, pace);
  const { source, options } = batch.named ?? namedIn(engine);
  const read = early ?? startRead(deps, account, source);

  return reserving(batch, engine.rows, deps, async grant => {
    await pace.breathe();
    const profile = engine.profile(options.fullScan ? MAX_ROWS : deps.sampleRows);
    await pace.breathe();
    const baseline = await read;
    const judgement = judge(profile, engine.look, baseline, options);
    const description = describe(profile, engine.look);
    const at = deps.now();
    const id = requestId(at, deps.random(ID_RANDOM_BYTES));
    const learning = learns(baseline, judgement.status);
    if (learning) await learn(batch, deps, { id, source, at, options, profile, baseline, judgement });
    const screening = { id, source, at, latencyMs: Math.ceil(upload.busyMs) };
    const report = reportOf(screening, profile, baseline, judgement);
    const response = responseOf(report, account.plan, grant.remainingRows);
    const completion = completionOf(
      account.id,
      grant.periodStart,
      screening,
      report,
      description,
      response.body,
      deps.storeValues,
    );
    try {
      await deps.jobs.complete(completion);
    } catch (error) {
      // The error that brought us here says more than a store that cannot take the state back.
      if (learning) await deps.baselines.unlearn(account.id, source, id).catch(() => {});
      throw error;
    }
    return { report, ...response };
  });
}

/** An engine that fails in any way but by refusing what the client sent is not trusted again. */
async function closing<T>(turn: Turn<BatchEngine>, use: () => Promise<T>): Promise<T> {
  let sound = false;
  try {
    const result = await use();
    sound = true;
    return result;
  } catch (error) {
    sound = error instanceof Rejection;
    throw error;
  } finally {
    turn.close(sound);
  }
}

/** The read runs while the body still arrives; when that is refused, nobody asks for the read's outcome. */
function startRead(deps: ScreenDependencies, account: Account, source: string): Promise<Baseline | null> {
  const read = deps.baselines.load(account.id, source);
  read.catch(() => {});
  return read;
}

const receptionOf = ({ account, contentType }: Batch, { maxBodyBytes }: ScreenDependencies): Reception => ({
  ...contentType,
  salt: account.salt,
  maxBodyBytes,
});

/** Source and options of a JSON body, checked in the order of the rules. */
function namedIn(engine: BatchEngine): Named {
  const envelope = engine.envelope();
  checkTop(envelope);
  const source = checkSource(envelope.source, 'source');
  checkRows(envelope);
  checkOptionsSize(envelope);
  return { source, options: parseOptions(envelope.options) };
}

/** Rows that were counted against the allowance. */
interface Grant {
  periodStart: number;
  /** What is left of the allowance. */
  remainingRows: number;
}

/** Counts the rows against the allowance, and gives them back when what follows fails. */
async function reserving<T>(
  { account }: Batch,
  rows: number,
  { allowance, now }: ScreenDependencies,
  use: (grant: Grant) => Promise<T>,
): Promise<T> {
  const at = now();
  const { start: periodStart, end } = monthOf(at);
  const allowed = PLANS[account.plan].rowsPerPeriod;
  const remainingRows = await allowance.reserve(account.id, periodStart, rows, allowed);
  if (remainingRows === null) throw limitExceeded(account.plan, allowed, end, at);
  try {
    return await use({ periodStart, remainingRows });
  } catch (error) {
    // The error that brought us here says more than a store that cannot take the rows back.
    await allowance.release(account.id, periodStart, rows).catch(() => {});
    throw error;
  }
}

function limitExceeded(plan: string, allowance: number, periodEnd: number, now: number): Rejection {
  return new Rejection(
    'PLAN_LIMIT_EXCEEDED',
    `These rows would pass the ${plan} plan's ${allowance.toLocaleString('en-US')} rows a month; ` +
      `the next period begins at ${new Date(periodEnd).toISOString()}`,
    { 'Retry-After': String(Math.ceil((periodEnd - now) / 1000)) },
  );
}

/** A source's first batch is learnt whatever its verdict; after that a BLOCK never is. */
const learns = (baseline: Baseline | null, verdict: Verdict): boolean =>
  baseline === null || verdict !== 'BLOCK';

/** Only the first batch is learnt in spite of a BLOCK: it counts until a better one comes. */
const isProvisional = ({ status }: Judgement): boolean => status === 'BLOCK';

interface Judged {
  id: string;
  source: string;
  at: number;
  options: ScreenOptions;
  profile: Profile;
  baseline: Baseline | null;
  judgement: Judgement;
}

async function learn({ account }: Batch, deps: ScreenDependencies, judged: Judged): Promise<void> {
  const { id, source, at, options, profile, baseline, judgement } = judged;
  const { status: verdict, health_score: health } = judgement;
  const facts = { id, at, chunk: options.chunk, provisional: isProvisional(judgement), verdict, health };
  await deps.baselines.learn(account.id, source, stateOf(profile, facts, baseline));
}

/** CSV and NDJSON name source and options in their headers. */
export const isNamedByHeaders = ({ format }: ContentType): boolean => format !== Format.JSON;
