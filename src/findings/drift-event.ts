/** What the kinds that are drift events have in common. */
import type { DriftEvent, DriftKind } from '../report-schema/report.ts';
import { PENALTY } from '../terms/policy.ts';
import { fieldOf, type FindingOf } from './finding.ts';

/** The event's `kind` is the finding's, and its detail the finding's words. */
export const driftEvent = (
  { kind, field, severity }: FindingOf<DriftKind, object>,
  detail: string,
  sides: Pick<DriftEvent, 'previous' | 'current'>,
): DriftEvent => ({ field: fieldOf({ field }), kind, severity, detail, ...sides });

/** An event is listed for the whole batch unless it is `info`, or rows explain it. */
export const eventBatchCode = ({ kind, severity }: FindingOf<DriftKind, object>): string | null =>
  severity === 'info' ? null : kind;

export const eventPenalty = ({ severity }: FindingOf<DriftKind, object>): number => PENALTY[severity];
