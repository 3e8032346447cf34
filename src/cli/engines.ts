/** The engine of this process, and the service's default limits. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { Collector } from '../engine/collector.ts';
import { type CompiledEngine, compileEngine } from '../engine/engine.ts';
import { EnginePool } from '../engine/pool.ts';
import { Failure } from './failure.ts';

const ROOT = join(import.meta.dir, '../..');
export const ENGINE_FILE = join(ROOT, 'build/engine.wasm');
const BUILD = join(ROOT, 'scripts/build-engine.ts');

/** The service's defaults, whatever the environment says: equal files get equal answers everywhere. */
export const { maxBodyBytes: MAX_BODY_BYTES, sampleRows: SAMPLE_ROWS } = readConfig({});

/** Files are screened at hundreds of megabytes a second, and so much garbage is left. */
const COLLECT_EVERY_MS = 250;

/** One engine. Builds it if it is missing. `compiled`: by another thread, whose optimised code is used here too. */
export async function openEngines(compiled?: CompiledEngine): Promise<EnginePool> {
  if (!compiled) buildMissingEngine();
  new Collector().start(COLLECT_EVERY_MS);
  const module = compiled ?? (await compileEngine(await Bun.file(ENGINE_FILE).bytes()));
  return new EnginePool(module, MAX_BODY_BYTES, 1);
}

export function buildMissingEngine(): void {
  if (existsSync(ENGINE_FILE)) return;
  console.error('sluice: building the engine; this happens once and takes some seconds');
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, BUILD, '--if-stale'], { cwd: ROOT });
  if (exitCode !== 0)
    throw new Failure(
      `Building the engine failed; run npm run build in ${ROOT}: ${stderr.toString().trim()}`,
    );
}
