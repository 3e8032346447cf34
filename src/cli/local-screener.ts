/** Screens batches of files in this process. */
import type { CompiledEngine } from '../engine/engine.ts';
import { parseOptions, type ScreenOptions } from '../options/options.ts';
import { Failure } from './failure.ts';
import { openLocal } from './local.ts';
import type { Memory } from './local-store.ts';
import type { NamedBatch, Screener } from './named-batch.ts';

/** `compiled`: as `openEngines` takes it. */
export async function localScreener(memory: Memory, compiled?: CompiledEngine): Promise<Screener> {
  const local = await openLocal(memory, { compiled, completes: false });
  return {
    ...local,
    isForgetful: memory.baselines === null,
    async screen(batch) {
      const options = screenOptions(batch);
      // The commands refuse it where it was typed.
      if (options.mode === 'adaptive' && memory.baselines === null)
        throw new Failure(
          'Its options ask for adaptive mode, which judges by earlier runs: compare with a baseline or on a server, or set its mode to contract',
          batch.file,
        );
      const named = { source: batch.source, options };
      const { screened } = await local.screen(batch, named);
      return screened;
    },
  };
}

export function screenOptions({ options, isChunk }: NamedBatch): ScreenOptions {
  const parsed = parseOptions(options);
  return { ...parsed, chunk: parsed.chunk || isChunk };
}
