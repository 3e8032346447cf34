/** A batch of any length in one body. */
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import { type Batch, type Screened, screen } from '../screen/screen.ts';
import { newMeasuredBatch } from '../slices/measure.ts';
import { beginOf, measuredBody, rulesOf } from './body.ts';
import type { BatchDependencies } from './dependencies.ts';

/** Throws `Rejection`. */
export async function screenWhole(
  batch: Batch & { named: SourceAndOptions },
  deps: BatchDependencies,
): Promise<Screened> {
  const { account, named } = batch;
  const end = deps.uploads.begin(account.id);
  try {
    const stored = await deps.baselines.readAll(account.id, named.source);
    const begin = beginOf(account, named, stored, deps.now());
    const rules = rulesOf(begin);
    const of = newMeasuredBatch({ account: account.id, salt: account.salt, source: named.source, begin });
    const assembly = deps.assembler.begin(of.batch);
    try {
      const state = await measuredBody(batch, of, assembly, deps);
      return await screen({ ...batch, state: await assembly.whole(state, rules) }, deps);
    } finally {
      assembly.end();
    }
  } finally {
    end();
  }
}
