/** Engines that all processes of all runs share. An engine is begun again for each batch, so one that a killed process had is as good as any. */
import { join } from 'node:path';
import { compileEngine, Engine } from '../../src/engine/engine.ts';

const compiled = await compileEngine(
  await Bun.file(join(import.meta.dir, '../../build/engine.wasm')).bytes(),
);
const MAX_BODY_BYTES = 64 * 1024;

const free: Engine[] = [];
const taken = new Set<Engine>();

/** For a process of this run. */
export function takeEngine(): Engine {
  const engine = free.pop() ?? new Engine(compiled, MAX_BODY_BYTES);
  taken.add(engine);
  return engine;
}

/** The process was killed. */
export function giveBack(engine: Engine): void {
  if (taken.delete(engine)) free.push(engine);
}

/** The run has ended. */
export function takeAllBack(): void {
  for (const engine of taken) giveBack(engine);
}
