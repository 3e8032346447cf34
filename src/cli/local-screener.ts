/** Screens batches of files in this process. */
import type { CompiledEngine } from '../engine/engine.ts';
import { parseOptions, type ScreenOptions } from '../options/options.ts';
import { openLocal } from './local.ts';
import type { Memory } from './local-store.ts';
import type { NamedBatch, Screener } from './named-batch.ts';

/** `compiled`: as `openEngine` takes it. */
export async function localScreener(memory: Memory, compiled?: CompiledEngine): Promise<Screener> {
  const local = await openLocal(memory, { compiled, completes: false });
  return {
    ...local,
    isForgetful: memory.baselines === null,
    async screen(batch) {
      const named = { source: batch.source, options: screenOptions(batch) };
      const { screened } = await local.screen(batch, named);
      return screened;
    },
  };
}

export function screenOptions({ options, isChunk }: NamedBatch): ScreenOptions {
  const parsed = parseOptions(options);
  return { ...parsed, chunk: parsed.chunk || isChunk };
}
