/** The engine of this process, and the service's default limits. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../config/config.ts';
import { Collector } from '../../engine/collector.ts';
import { type CompiledEngine, compileEngine, Engine } from '../../engine/engine.ts';
import { Failure } from '../failure.ts';

const ROOT = join(import.meta.dir, '../../..');
export const ENGINE_FILE = join(ROOT, 'build/engine.wasm');
const BUILD = join(ROOT, 'scripts/build-engine.ts');

/** The service's defaults, whatever the environment says: equal files get equal answers everywhere. */
export const { maxBodyBytes: MAX_BODY_BYTES, sampleRows: SAMPLE_ROWS } = readConfig({});

/** Files are screened at hundreds of megabytes a second, and so much garbage is left. */
const COLLECT_EVERY_MS = 250;

/** Compiles and opens an engine. Builds it if it is missing. */
export async function openEngine(): Promise<{ engine: Engine; module: CompiledEngine }> {
  buildMissingEngine();
  new Collector().start(COLLECT_EVERY_MS);
  const module = await compileEngine(await Bun.file(ENGINE_FILE).bytes());
  try {
    return { engine: new Engine(module, MAX_BODY_BYTES), module };
  } catch {
    throw new Failure('There is no memory for an engine; try again in a moment');
  }
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
