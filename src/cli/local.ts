/** Screens batches in this process, on the service's own path: the same engine, judge and report. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaselineKeeper } from '../baseline/keeper.ts';
import { DamagedBytes } from '../baseline/bytes.ts';
import { readConfig } from '../config.ts';
import { Collector } from '../engine/collector.ts';
import { compileEngine } from '../engine/engine.ts';
import { EnginePool } from '../engine/pool.ts';
import { Upload } from '../intake/upload.ts';
import { HISTORY_FITTER } from '../rules/learned/history.ts';
import type { Batch, Named, ScreenDependencies, Screened } from '../screen.ts';
import { screen } from '../screen.ts';
import { StageClock } from '../stages.ts';
import type { Completion } from '../stores/ports.ts';
import { Failure } from './failure.ts';
import type { FileFormat } from './format.ts';
import { jobsHeardBy, localAccount, type Memory, unlimited } from './local-store.ts';

const ROOT = join(import.meta.dir, '../..');
export const ENGINE_FILE = join(ROOT, 'build/engine.wasm');
const BUILD = join(ROOT, 'scripts/build-engine.ts');

/** The service's own, whatever is set for a service on this machine: equal files get equal answers everywhere. */
export const { maxBodyBytes: MAX_BODY_BYTES, sampleRows: SAMPLE_ROWS } = readConfig({});

/** Nobody waits for a file. */
const UPLOAD = { maxBodyBytes: MAX_BODY_BYTES, bodyStallSeconds: 1e6, bodySeconds: 1e6 };

/** One engine, lent in turn to who cuts the file and who screens a batch. Made from its sources where that was not done. */
export async function openEngines(): Promise<EnginePool> {
  if (!existsSync(ENGINE_FILE)) buildEngine();
  new Collector().start();
  return new EnginePool(await compileEngine(await Bun.file(ENGINE_FILE).bytes()), MAX_BODY_BYTES, 1);
}

function buildEngine(): void {
  console.error('sluice: building the engine, this once; it takes some seconds');
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, BUILD, '--if-stale'], { cwd: ROOT });
  if (exitCode !== 0)
    throw new Failure(
      `The engine cannot be built; run npm run build in ${ROOT}: ${stderr.toString().trim()}`,
    );
}

export interface Local {
  engines: EnginePool;
  /** Screens one batch; `completion` is what a service would keep of it, null of a dry run. Throws `Rejection`. */
  screen(body: Uint8Array, format: FileFormat, named: Named): Promise<LocallyScreened>;
}

export interface LocallyScreened {
  screened: Screened;
  completion: Completion | null;
}

export async function openLocal(memory: Memory): Promise<Local> {
  const engines = await openEngines();
  const account = localAccount(memory);
  let heard: Completion | null = null;
  const hear = async (completion: Completion) => {
    heard = completion;
    return true;
  };
  const deps = dependencies(engines, memory, hear);
  return {
    engines,
    async screen(body, { format, delimiter }, named) {
      heard = null;
      const contentType = { format, delimiter, charset: null, coding: null };
      const upload = new Upload(streamOf(body), UPLOAD);
      const screened = await screenIn(
        { account, contentType, named, upload, keyed: null, clock: new StageClock() },
        deps,
      );
      return { screened, completion: heard };
    },
  };
}

async function screenIn(batch: Batch, deps: ScreenDependencies): Promise<Screened> {
  try {
    return await screen(batch, deps);
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    throw new Failure(`What the baseline file knows of ${batch.named!.source} is damaged; name another file`);
  }
}

const dependencies = (
  engines: EnginePool,
  { baselines }: Memory,
  hear: (completion: Completion) => Promise<boolean>,
): ScreenDependencies => ({
  engines,
  baselines: new BaselineKeeper(baselines, { fitter: HISTORY_FITTER }),
  defaultMode: 'contract',
  allowance: unlimited,
  jobs: jobsHeardBy(hear),
  idempotency: { claim: async () => 'claimed', renew: async () => {}, unclaim: async () => {} },
  maxBodyBytes: MAX_BODY_BYTES,
  sampleRows: SAMPLE_ROWS,
  storeValues: true,
  now: Date.now,
  sleep: Bun.sleep,
  random: randomBytes,
});

function streamOf(body: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
}
