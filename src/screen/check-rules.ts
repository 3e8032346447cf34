/** Checks a batch by declared rules while the engine holds it. */
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { Engine } from '../engine/engine.ts';
import type { CooperativeTask } from '../intake/cooperative-scheduler.ts';
import { ROWS_LISTED } from '../policy.ts';
import type { Profile } from '../profile/profile.ts';
import { readingProfile } from '../profile/read.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import type { PatternCache } from '../rules/declared/patterns.ts';
import { violationsIn } from '../rules/violations/check.ts';
import type { Violation } from '../rules/violations/violation.ts';

interface Checking {
  task: Pick<CooperativeTask, 'runPieces'>;
  patterns: PatternCache;
  /** In ms. */
  now: number;
  rowVerdicts: boolean;
}

/** `rules`: null where none hold. Statistics that a rule bounds are of all rows: then a sampled batch is measured again. */
export async function checkRules(
  engine: Pick<Engine, 'measuring' | 'ruleChecks'>,
  measured: Profile,
  rules: DeclaredRules | null,
  { task, patterns, now, rowVerdicts }: Checking,
): Promise<{ profile: Profile; violations: Violation[] }> {
  if (rules === null || rules.constraints.length === 0) return { profile: measured, violations: [] };
  const isSampled = measured.analysedRows < measured.rows;
  const needsAll = isSampled && rules.constraints.some(({ kind }) => kind === 'statistic');
  const profile = needsAll
    ? await task.runPieces(readingProfile(await task.runPieces(engine.measuring(MAX_ROWS))))
    : measured;
  const rowsListed = rowVerdicts ? MAX_ROWS : ROWS_LISTED;
  const batch = { profile, checks: engine.ruleChecks, patterns, now, rowsListed };
  return { profile, violations: await task.runPieces(violationsIn(batch, rules)) };
}
