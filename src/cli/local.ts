/** Screens batches in this process with the service's own code: the same engine, judge and report. */
import type { CompiledEngine, Engine } from '../engine/engine.ts';
import { randomBytes } from 'node:crypto';
import { DamagedBytes } from '../baseline/bytes.ts';
import { Upload } from '../intake/upload.ts';
import { Baselines } from '../sources/baselines.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import type { ScreenDependencies, Screened } from '../screen.ts';
import { screen } from '../screen.ts';
import { StageClock } from '../stages.ts';
import { Tasks } from '../threads/tasks.ts';
import { InlineThread } from '../threads/thread.ts';
import { Threads } from '../threads/threads.ts';
import type { Completion } from '../stores/ports.ts';
import { MAX_BODY_BYTES, openEngine, SAMPLE_ROWS } from './open-engine.ts';
import { Failure } from './failure.ts';
import type { FileBatch } from './file-batch.ts';
import type { FileFormat } from './format.ts';
import { forgetfulBaselines, jobStore, localAccount, type Memory, unlimited } from './local-store.ts';

/** Reading from a file needs no timeout. */
const UPLOAD = { maxBodyBytes: MAX_BODY_BYTES, bodyStallSeconds: 1e6, bodySeconds: 1e6 };

export interface Local {
  engine: Engine;
  module: CompiledEngine;
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
  /** As `openEngine` takes it. */
  compiled?: CompiledEngine | undefined;
  /** Whether `completion` is wanted. Memory that keeps BLOCKed batches needs it anyway. */
  completes?: boolean;
}

export async function openLocal(
  memory: Memory,
  { compiled, completes = true }: LocalOptions = {},
): Promise<Local> {
  const { engine, module } = await openEngine(compiled);
  const account = localAccount(memory);
  let completion: Completion | null = null;
  const complete = async (completed: Completion) => {
    completion = completed;
    if (completed.job.status === 'BLOCK') memory.blocked?.keep(completed);
    return true;
  };
  const jobs = completes || memory.blocked !== null ? jobStore(complete) : null;
  const deps = dependencies(inlineThreads(engine, memory), memory, jobs);
  return {
    engine,
    module,
    salt: account.salt,
    async screen({ body, held, format: { format, delimiter } }, named) {
      completion = null;
      if (isTaken(body)) throw new Error('The body of this batch was taken by an earlier screening');
      // The file as a whole has been looked at: see `input.ts` and `batches.ts`.
      const contentType = { format, delimiter, isDelimiterGiven: true, charset: null, coding: null };
      const upload = new Upload(streamOf(body), UPLOAD);
      const given = { account, isPerson: false, contentType, named };
      const isHeld = held !== null && engine.begun === held;
      const batch = { ...given, upload, isHeld, keyed: null, clock: new StageClock() };
      const screened = await withBaseline(named.source, () => screen(batch, deps));
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

const inlineThreads = (engine: Engine, { blocked }: Memory): Threads =>
  // A file of baselines is to hold no values.
  new Threads(
    () =>
      new InlineThread(
        new Tasks(() => engine, {
          sampleRows: SAMPLE_ROWS,
          defaultMode: 'contract',
          storeValues: blocked === null,
        }),
      ),
    1,
  );

const dependencies = (
  threads: Threads,
  { baselines }: Memory,
  jobs: ScreenDependencies['jobs'],
): ScreenDependencies => ({
  threads,
  baselines: baselines === null ? forgetfulBaselines(threads) : new Baselines(baselines, threads, console),
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
