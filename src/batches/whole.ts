/** A batch of any length in one body. */
import type { Finding } from '../findings/kinds.ts';
import type { SourceAndOptions } from '../intake/source-and-options.ts';
import { type Batch, type Screened, screen } from '../screen/screen.ts';
import { newMeasuredBatch } from '../slices/measure.ts';
import { beginOf, heldRows, measuredBody, rulesOf, withRulesOf } from './body.ts';
import type { BatchDependencies } from './dependencies.ts';
import { Spool } from './spool.ts';

/** Throws `Rejection`. */
export async function screenWhole(
  batch: Batch & { named: SourceAndOptions },
  deps: BatchDependencies,
): Promise<Screened> {
  const { account, named, contentType } = batch;
  const end = deps.uploads.begin(account.id);
  let spool: Spool | null = null;
  try {
    const stored = await deps.baselines.readAll(account.id, named.source);
    const begin = beginOf(account, named, stored, deps.now());
    const of = { account: account.id, salt: account.salt, source: named.source };
    const measured = newMeasuredBatch({ ...of, begin });
    if (named.options.rowVerdicts) spool = await Spool.open();
    const assembly = deps.assembler.begin(measured.batch);
    try {
      const state = await measuredBody({ ...batch, spool }, measured, assembly, deps);
      const whole = await assembly.whole(state, rulesOf(begin));
      const quarantine = (findings: readonly Finding[]) =>
        heldRows(
          { contentType, spool: spool! },
          newMeasuredBatch({ ...of, begin: { ...begin, findings } }),
          assembly,
          deps,
        );
      const asked = { ...batch, named: withRulesOf(begin, named), state: whole, quarantine };
      return await screen(asked, deps);
    } finally {
      assembly.end();
    }
  } finally {
    await spool?.close();
    end();
  }
}
