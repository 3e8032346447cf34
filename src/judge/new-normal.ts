/**
 * A new normal is proposed, not enforced: where BLOCKed batches of a run agree with each other, the third one is WARN and says since when. Only
 * what is unusual for the source can become usual: a changed type, a missing required field and a crossed threshold stay BLOCK.
 */
import { type Finding, isAlarm } from '../findings/kinds.ts';
import { fieldOf } from '../findings/finding.ts';
import { FREE_STRAYS } from '../terms/policy.ts';
import { shortened } from '../terms/errors.ts';
import type { Cause, KeptRun } from './blocked-run.ts';
import { agrees, levelsOf } from './levels.ts';

/** What a batch proposes that would otherwise be BLOCK. */
export interface NewNormal {
  /** Id of the first batch. */
  since: string;
  /** How many batches with this one. */
  batches: number;
}

/**
 * Null where the batch is not the third or a later one of a purely statistical break. Most of its fields must agree: which statistics lie beyond the line
 * of BLOCK differs from batch to batch.
 */
export function newNormalIn(findings: readonly Finding[], run: KeptRun | null): NewNormal | null {
  const grave = findings.filter(finding => isAlarm(finding) && finding.severity === 'block');
  if (run === null || grave.length === 0) return null;
  if (!grave.every(finding => finding.kind === 'unusual_statistic')) return null;
  const known = new Map((JSON.parse(run.causes) as Cause[]).map(cause => [cause.field, cause]));
  const fields = [...Map.groupBy(grave, fieldOf)];
  const agreed = fields.filter(([field, found]) => {
    const cause = known.get(shortened(field));
    return cause !== undefined && (cause.agreed ?? 1) >= FREE_STRAYS && agrees(cause.levels, levelsOf(found));
  });
  return 2 * agreed.length >= fields.length ? { since: run.since, batches: run.batches + 1 } : null;
}

/** No BLOCK for what the source had before in a batch that was loaded: nobody called it bad. */
export const spared = (findings: readonly Finding[]): Finding[] =>
  findings.map(finding =>
    finding.kind === 'unusual_statistic' && finding.severity === 'block' && finding.evidence.wasThere
      ? { ...finding, severity: 'warn' }
      : finding,
  );

/** The findings as a new normal has them. */
export const proposed = (findings: readonly Finding[]): Finding[] =>
  findings.map(finding =>
    finding.kind === 'unusual_statistic' && finding.severity === 'block'
      ? { ...finding, severity: 'warn', evidence: { ...finding.evidence, isProposed: true } }
      : finding,
  );
