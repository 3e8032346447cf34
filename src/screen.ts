/** The path of one batch, from top to bottom: intake → engine → profile → judge → stores → response. */
import { Format, MAX_ROWS } from '../assembly/abi.ts';
import { monthOf } from './account/period.ts';
import { PLANS } from './account/plans.ts';
import type { Baseline } from './baseline/baseline.ts';
import type { BaselineKeeper } from './baseline/keeper.ts';
import { untracked } from './baseline/limits.ts';
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
import type { DriftEvent, Issues, Judgement, SchemaField, Verdict } from './judge/report.ts';
import type { Profile } from './profile/profile.ts';
import type { Account, UsageStore } from './stores/ports.ts';

const SAMPLE_VERSION = 'stratified-1';

/** What the path needs of an engine. */
export type BatchEngine = Parser & Pick<Engine, 'envelope' | 'rows' | 'profile' | 'look'>;

export interface ScreenDependencies {
  engines: Engines<BatchEngine>;
  baselines: Pick<BaselineKeeper, 'load' | 'learn'>;
  usage: UsageStore;
  maxBodyBytes: number;
  /** Rows whose values are measured when there are more and not all are asked for. */
  sampleRows: number;
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

/** The answer, spelled as in the interface. */
export interface Report {
  request_id: string;
  status: Verdict;
  health_score: number;
  decision: { action: Verdict; reason: string };
  schema: Record<string, SchemaField>;
  schema_fingerprint: string;
  issues?: Issues;
  drift?: DriftEvent[];
  stats: {
    rows_received: number;
    rows_sampled: number;
    sample_ratio: number;
    sample_version: string;
    source: string;
    /** Fields for which the source's baseline has no room; absent when there are none. */
    untracked_fields?: string[];
  };
  latency_ms: number;
  timestamp: string;
}

export interface Screened {
  report: Report;
  plan: Account['plan'];
  /** Rows left in the plan's allowance after this request. */
  remainingRows: number;
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

  return reserving(batch, engine.rows, deps, async remainingRows => {
    const sampleRows = options.fullScan ? MAX_ROWS : deps.sampleRows;
    const profile = await pace.slice(() => engine.profile(sampleRows));
    const baseline = await read;
    const judgement = await pace.slice(() => judge(profile, engine.look, baseline, options));
    const at = deps.now();
    const id = requestId(at, deps.random(ID_RANDOM_BYTES));
    if (learns(baseline, judgement.status)) {
      const facts = {
        ...factsOf(judgement),
        id,
        at,
        chunk: options.chunk,
        provisional: isProvisional(judgement),
      };
      await deps.baselines.learn(account.id, source, stateOf(profile, facts, baseline));
    }
    const report = reportOf(id, source, profile, baseline, judgement);
    return { report: timed(report, upload, deps), plan: account.plan, remainingRows };
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

/** Counts the rows against the allowance, and gives them back when what follows fails. */
async function reserving<T>(
  { account }: Batch,
  rows: number,
  { usage, now }: ScreenDependencies,
  use: (remainingRows: number) => Promise<T>,
): Promise<T> {
  const at = now();
  const { start, end } = monthOf(at);
  const allowance = PLANS[account.plan].rowsPerPeriod;
  const left = await usage.reserve(account.id, start, rows, allowance);
  if (left === null) throw limitExceeded(account.plan, allowance, end, at);
  try {
    return await use(left);
  } catch (error) {
    // The error that brought us here says more than a store that cannot take the rows back.
    await usage.release(account.id, start, rows).catch(() => {});
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

const factsOf = ({ status, health_score }: Judgement) => ({ verdict: status, health: health_score });

type Untimed = Omit<Report, 'latency_ms' | 'timestamp'>;

function reportOf(
  id: string,
  source: string,
  profile: Profile,
  baseline: Baseline | null,
  judgement: Judgement,
): Untimed {
  const { status, health_score, reason, schema, schema_fingerprint, issues, drift } = judgement;
  return {
    request_id: id,
    status,
    health_score,
    decision: { action: status, reason },
    schema,
    schema_fingerprint,
    ...(issues && { issues }),
    ...(drift.length > 0 && { drift }),
    stats: statsOf(source, profile, baseline),
  };
}

function statsOf(source: string, profile: Profile, baseline: Baseline | null): Report['stats'] {
  const names = untracked(
    baseline,
    profile.fields.map(field => field.name),
  );
  return {
    rows_received: profile.rows,
    rows_sampled: profile.analysedRows,
    sample_ratio: profile.analysedRows / profile.rows,
    sample_version: SAMPLE_VERSION,
    source,
    ...(names.length > 0 && { untracked_fields: names }),
  };
}

/** `latency_ms` is the time since the handler's call that was not spent waiting for the client, rounded up. */
const timed = (report: Untimed, upload: Upload, deps: ScreenDependencies): Report => ({
  ...report,
  latency_ms: Math.ceil(upload.busyMs),
  timestamp: new Date(deps.now()).toISOString(),
});

/** CSV and NDJSON name source and options in their headers. */
export const isNamedByHeaders = ({ format }: ContentType): boolean => format !== Format.JSON;
