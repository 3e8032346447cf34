/** States of parts become one while others come, so that a batch of thousands of parts takes little room. */
import { randomUUID } from 'node:crypto';
import { Rejection } from '../terms/errors.ts';
import type { PartsDependencies } from './dependencies.ts';
import { FOLDED_FROM } from './limits.ts';

/** Nobody waits for it: if it fails, the next part folds. */
export async function foldStates(id: string, deps: PartsDependencies): Promise<void> {
  const { folding } = deps.uploads;
  if (folding.has(id)) return;
  folding.add(id);
  try {
    const numbers = await deps.batches.stateNumbers(id);
    if (numbers.length >= FOLDED_FROM) await foldInto(id, numbers, deps);
  } catch (error) {
    if (!(error instanceof Rejection)) deps.log.error({ err: error }, 'bug');
  } finally {
    folding.delete(id);
  }
}

async function foldInto(id: string, numbers: readonly number[], deps: PartsDependencies): Promise<void> {
  const assembly = deps.assembler.begin(randomUUID());
  try {
    for (const number of numbers) {
      const state = await deps.batches.state(id, number);
      // Another process has folded it.
      if (state === null) return;
      await assembly.addStoredState(state);
    }
    await deps.batches.foldStates(id, numbers, await assembly.mergedStates());
  } finally {
    assembly.end();
  }
}
