/** Screens batches in this process with the service's own code: the same engine, judge and report. */
import { randomBytes } from 'node:crypto';
import { DamagedBytes } from '../../baseline/bytes.ts';
import { Upload } from '../../intake/upload.ts';
import { parseOptions, type ScreenOptions } from '../../options/options.ts';
import { type Batch, type ScreenDependencies, type Screened, screen } from '../../screen/screen.ts';
import { Baselines } from '../../sources/baselines.ts';
import { StageClock } from '../../screen/stages.ts';
import { type MeasuredBatch, newMeasuredBatch } from '../../slices/measure.ts';
import type { Completion } from '../../stores/ports.ts';
import { withRepeats } from '../../states/repeated-rows.ts';
import { keyOf, type Threads } from '../../threads/threads.ts';
import { Failure } from '../failure.ts';
import { FileThreads } from './file-threads.ts';
import {
  forgetfulBaselines,
  jobStore,
  localAccount,
  type Memory,
  NOTHING_STORED,
  unlimited,
} from './local-store.ts';
import type { NamedBatch, Screener, WholeScreener } from './named-batch.ts';
import { MAX_BODY_BYTES } from './open-engine.ts';

/** The whole body is here. */
const UPLOAD = { maxBodyBytes: MAX_BODY_BYTES, bodyStallSeconds: 1e6, bodySeconds: 1e6 };

export interface Local extends Screener {
  whole: WholeScreener;
  /** Screens one batch, and says what the service would store of it; null for a dry run. Throws `Rejection`. */
  complete(batch: NamedBatch, options: ScreenOptions): Promise<LocallyScreened>;
}

export interface LocallyScreened {
  screened: Screened;
  completion: Completion | null;
}

export async function openLocal(memory: Memory): Promise<Local> {
  const isForgetful = memory.baselines === null;
  // A file of baselines is to hold no values.
  const threads = await FileThreads.open({ storeValues: isForgetful });
  const account = localAccount(memory);
  const dependenciesOf = remembered((own: Threads) => dependencies(own, memory));
  const run = async (
    { source, format }: Pick<NamedBatch, 'source' | 'format'>,
    body: Pick<Batch, 'pieces' | 'state'>,
    options: ScreenOptions,
    isKept: boolean,
  ): Promise<LocallyScreened> => {
    let completion: Completion | null = null;
    const jobs = jobStore(async completed => {
      completion = completed;
      if (completed.job.status === 'BLOCK') memory.blocked?.keep(completed);
      return true;
    });
    const contentType = { ...format, charset: null, coding: null };
    const given = { account, isPerson: false, contentType, named: { source, options }, ...body, keyed: null };
    const whole = { ...given, upload: new Upload(null, UPLOAD), clock: new StageClock() };
    const deps = { ...dependenciesOf(threads.threads), jobs: isKept ? jobs : null };
    const screened = await withBaseline(source, () => screen(whole, deps));
    return { screened, completion };
  };
  const begin = async (source: string, options: ScreenOptions): Promise<MeasuredBatch> => {
    // All of it: not every thread that is asked holds what others have learned of the source.
    const stored = (await memory.baselines?.read(account.id, source)) ?? NOTHING_STORED;
    const read = { stored, since: null };
    return {
      ...measuredOf(source),
      begin: { key: keyOf(account.id, source), read, options, at: Date.now() },
    };
  };
  const measuredOf = (source: string) =>
    newMeasuredBatch({ account: account.id, salt: account.salt, source });
  return {
    threads,
    screen: async batch => (await run(batch, batch, screenOptions(batch), memory.blocked !== null)).screened,
    complete: (batch, options) => run(batch, batch, options, true),
    whole: {
      begin: ({ source, options }) => withBaseline(source, () => begin(source, parseOptions(options))),
      async screen(first, { begin: begun }, { state, repeats }) {
        const options = parseOptions(first.options);
        // Files of baselines hold no rules.
        const body = { state: withRepeats(state, options.rules ?? null, repeats) };
        const { screened } = await run(first, body, options, memory.blocked !== null);
        const { report, body: text, findings } = screened;
        const again = findings && { ...measuredOf(first.source), begin: { ...begun!, findings } };
        return { report, body: text, findings, again };
      },
    },
  };
}

export function screenOptions({ options, isChunk }: NamedBatch): ScreenOptions {
  const parsed = parseOptions(options);
  return { ...parsed, chunk: parsed.chunk || isChunk };
}

function remembered<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return key => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key)!;
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

const dependencies = (threads: Threads, { baselines }: Memory): Omit<ScreenDependencies, 'jobs'> => ({
  threads,
  baselines: baselines === null ? forgetfulBaselines(threads) : new Baselines(baselines, threads, console),
  allowance: unlimited,
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
