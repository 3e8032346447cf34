/** States of parts become one while others come, so that a batch of thousands of parts takes little room. */
import { randomUUID } from 'node:crypto';
import { Rejection } from '../terms/errors.ts';
import type { PartsDependencies, WindowDependencies } from './dependencies.ts';
import { FOLDED_FROM } from './limits.ts';

/** States of a window that are merged at once, and how large one may be for that, as it is stored: so none is written again and again. */
const STORED_FOLDED_FROM = 64;
const FOLDED_BYTES = 1024 * 1024;

/** Nobody waits for it: if it fails, the next part folds. */
export async function foldStates(id: string, deps: PartsDependencies): Promise<void> {
  await alone(id, deps, async () => {
    const numbers = await deps.batches.stateNumbers(id);
    if (numbers.length < FOLDED_FROM) return;
    const merged = await mergedStates(id, numbers, deps);
    if (merged !== null) await deps.batches.foldStates(id, numbers, merged);
  });
}

async function alone(
  id: string,
  { uploads: { folding }, log }: PartsDependencies,
  fold: () => Promise<void>,
) {
  if (folding.has(id)) return;
  folding.add(id);
  try {
    await fold();
  } catch (error) {
    if (!(error instanceof Rejection)) log.error({ err: error }, 'bug');
  } finally {
    folding.delete(id);
  }
}

/** States of a window that were stored as one of several are still many in a long one. Nobody waits for it either. */
export async function foldStored(
  id: string,
  newNumber: () => Promise<number>,
  deps: WindowDependencies,
): Promise<void> {
  await alone(id, deps, async () => {
    const small = (await deps.windows.sizes(id)).filter(({ bytes }) => bytes < FOLDED_BYTES);
    if (small.length < STORED_FOLDED_FROM) return;
    const numbers = small.slice(0, STORED_FOLDED_FROM).map(({ number }) => number);
    const merged = await mergedStates(id, numbers, deps);
    if (merged !== null) await deps.windows.fold(id, numbers, await newNumber(), merged);
  });
}

/** Null if another process has folded one of them. */
async function mergedStates(
  id: string,
  numbers: readonly number[],
  deps: PartsDependencies,
): Promise<Uint8Array | null> {
  const assembly = deps.assembler.begin(randomUUID());
  try {
    for (const number of numbers) {
      const state = await deps.batches.state(id, number);
      if (state === null) return null;
      await assembly.addStoredState(state);
    }
    return await assembly.mergedStates();
  } finally {
    assembly.end();
  }
}
