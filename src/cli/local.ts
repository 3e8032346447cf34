/** Screens batches in this process with the service's own code: the same engine, judge and report. */
import type { CompiledEngine } from '../engine/engine.ts';
import { randomBytes } from 'node:crypto';
import { BaselineCache } from '../baseline/baseline-cache.ts';
import { DamagedBytes } from '../baseline/bytes.ts';
import type { EnginePool } from '../engine/pool.ts';
import { Upload } from '../intake/upload.ts';
import { ParsedRules } from '../source-rules.ts';
import { PatternCache } from '../rules/declared/patterns.ts';
import { HISTORY_FITTER } from '../rules/learned/history.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { ScreenDependencies, Screened } from '../screen.ts';
import { screen } from '../screen.ts';
import { StageClock } from '../stages.ts';
import type { Completion } from '../stores/ports.ts';
import { MAX_BODY_BYTES, openEngines, SAMPLE_ROWS } from './engines.ts';
import { Failure } from './failure.ts';
import type { FileBatch } from './file-batch.ts';
import type { FileFormat } from './format.ts';
import { enginesOf } from './held-batch.ts';
import { jobStore, localAccount, type Memory, noBaselines, unlimited } from './local-store.ts';

/** Reading from a file needs no timeout. */
const UPLOAD = { maxBodyBytes: MAX_BODY_BYTES, bodyStallSeconds: 1e6, bodySeconds: 1e6 };

export interface Local {
  engines: EnginePool;
  salt: Uint8Array;
  /** Screens one batch. Takes the memory of its body: if you need the body again, copy it first. `completion` is what the service would store; null for a dry run, and if it is not wanted. Throws `Rejection`. */
  screen(batch: CutBatch, named: SourceAndOptions): Promise<LocallyScreened>;
}

type CutBatch = Pick<FileBatch, 'body' | 'held'> & { format: FileFormat };

export interface LocallyScreened {
  screened: Screened;
  completion: Completion | null;
}

export interface LocalOptions {
  /** As `openEngines` takes it. */
  compiled?: CompiledEngine | undefined;
  /** Whether `completion` is wanted. Memory that keeps BLOCKed batches needs it anyway. */
  completes?: boolean;
}

export async function openLocal(
  memory: Memory,
  { compiled, completes = true }: LocalOptions = {},
): Promise<Local> {
  const engines = await openEngines(compiled);
  const account = localAccount(memory);
  let completion: Completion | null = null;
  const complete = async (completed: Completion) => {
    completion = completed;
    if (completed.job.status === 'BLOCK') memory.blocked?.keep(completed);
    return true;
  };
  const jobs = completes || memory.blocked !== null ? jobStore(complete) : null;
  const deps = dependencies(engines, memory, jobs);
  return {
    engines,
    salt: account.salt,
    async screen({ body, held, format: { format, delimiter } }, named) {
      completion = null;
      if (isTaken(body)) throw new Error('The body of this batch was taken by an earlier screening');
      // The file as a whole has been looked at: see `input.ts` and `batches.ts`.
      const contentType = { format, delimiter, isDelimiterGiven: true, charset: null, coding: null };
      const upload = new Upload(streamOf(body), UPLOAD);
      const given = { account, isPerson: false, contentType, named };
      const batch = { ...given, upload, keyed: null, clock: new StageClock() };
      const holding = { ...deps, engines: enginesOf(engines, held) };
      const screened = await withBaseline(named.source, () => screen(batch, holding));
      return { screened, completion };
    },
  };
}

/** Runs what reads the baseline of a source. Throws `Failure` if that is damaged. */
export async function withBaseline<T>(source: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    throw new Failure(`The stored baseline of ${source} is damaged; use another file for --baseline`);
  }
}

const dependencies = (
  engines: EnginePool,
  { baselines, blocked }: Memory,
  jobs: ScreenDependencies['jobs'],
): ScreenDependencies => ({
  engines,
  baselines: baselines === null ? noBaselines : new BaselineCache(baselines, { fitter: HISTORY_FITTER }),
  patterns: new PatternCache(),
  parsedRules: new ParsedRules(),
  defaultMode: 'contract',
  allowance: unlimited,
  jobs,
  idempotency: {
    claim: async () => 'claimed',
    forgetUnfinished: async () => true,
    renew: async () => {},
    unclaim: async () => {},
  },
  maxSources: Number.MAX_SAFE_INTEGER,
  maxBaselineBytes: Number.MAX_SAFE_INTEGER,
  maxReportBytes: Number.MAX_SAFE_INTEGER,
  maxBodyBytes: MAX_BODY_BYTES,
  sampleRows: SAMPLE_ROWS,
  // A file of baselines is to hold no values.
  storeValues: blocked === null,
  now: Date.now,
  sleep: Bun.sleep,
  random: randomBytes,
});

const isTaken = ({ buffer }: Uint8Array): boolean => buffer instanceof ArrayBuffer && buffer.detached;

function streamOf(body: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
}
