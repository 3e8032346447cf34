/** Runs of BLOCKed batches: whether the same fields block as before, and since when. */
import type { Baseline } from '../baseline/baseline.ts';
import { shortened } from '../terms/errors.ts';
import { fieldOf, type ThresholdRate } from '../findings/finding.ts';
import type { BlockedBefore } from '../rules/facts.ts';
import { type Finding, isAlarm, kindOf } from '../findings/kinds.ts';
import { agrees, type Levels, levelsOf } from './levels.ts';

/** Of one field; `*` for the batch as a whole. */
export interface Cause {
  /** Its name, cut at 64 characters. */
  field: string;
  /** Where a threshold was crossed: the highest rate of the run, 0..1. */
  null_rate?: number;
  type_mismatch?: number;
  /** What was unusual about it. */
  levels?: Levels;
  /** Batches of the run that agree with each other, this one included; absent: 1. */
  agreed?: number;
}

/** A run as it is kept. */
export type KeptRun = BlockedBefore;

/** The run with the batch that is judged as its newest. */
export interface BlockedRun extends Omit<KeptRun, 'causes'> {
  causes: Cause[];
}

/** Fields that are noted of one batch: a note comes with every read of a baseline. */
const MAX_CAUSES = 16;

/** What blocks the batch, by field: the findings of severity `block`; all alarms, where health alone blocks it. */
export function causesOf(findings: readonly Finding[]): Cause[] {
  const alarms = findings.filter(finding => isAlarm(finding) && isListed(finding));
  const grave = alarms.filter(({ severity }) => severity === 'block');
  const causes = new Map<string, Cause>();
  for (const { finding, rate } of ratesFirst(grave.length > 0 ? grave : alarms)) {
    const field = shortened(fieldOf(finding));
    if (causes.has(field) || causes.size < MAX_CAUSES)
      causes.set(field, { ...causes.get(field), field, ...rate });
  }
  const byField = new Map([...causes.keys()].map(field => [field, [] as Finding[]]));
  for (const finding of grave) byField.get(shortened(fieldOf(finding)))?.push(finding);
  return [...causes.values()].map(cause => {
    const levels = levelsOf(byField.get(cause.field)!);
    return Object.keys(levels).length > 0 ? { ...cause, levels } : cause;
  });
}

/** Statistics that follow from a changed structure are not causes of their own. */
const isListed = (finding: Finding): boolean =>
  finding.kind !== 'unusual_statistic' || !finding.evidence.isConsequence;

/** Fields with rates come first: the list is cut, and advice needs them. */
function ratesFirst(findings: readonly Finding[]) {
  const rated: { finding: Finding; rate: ThresholdRate | null }[] = findings.map(finding => ({
    finding,
    rate: kindOf(finding).thresholdRate?.(finding) ?? null,
  }));
  return [...rated.filter(({ rate }) => rate !== null), ...rated.filter(({ rate }) => rate === null)];
}

/**
 * The run that a BLOCKed batch belongs to: the one before if nothing was learned since its newest batch and a field has gone on blocking,
 * else one that begins with this batch.
 */
export function runOf(
  id: string,
  causes: Cause[],
  before: KeptRun | null,
  baseline: Baseline | null,
): BlockedRun {
  const fresh = { since: id, last: id, batches: 1, causes };
  if (before === null || isOver(before, baseline)) return fresh;
  const known = new Map((JSON.parse(before.causes) as Cause[]).map(cause => [cause.field, cause]));
  if (!causes.some(({ field }) => known.has(field))) return fresh;
  return {
    since: before.since,
    last: id,
    batches: before.batches + 1,
    causes: withEarlier(
      causes.map(cause => highest(cause, known.get(cause.field))),
      known,
    ),
  };
}

/** What was unusual in earlier batches and only just passed in this one. */
function withEarlier(causes: Cause[], known: ReadonlyMap<string, Cause>): Cause[] {
  const here = new Set(causes.map(({ field }) => field));
  const earlier = [...known.values()].filter(({ field, levels }) => levels !== undefined && !here.has(field));
  return [...causes, ...earlier].slice(0, MAX_CAUSES);
}

/** A provisional baseline was itself made by a batch that was BLOCK. */
export const isOver = ({ last }: KeptRun, baseline: Baseline | null): boolean =>
  baseline !== null && !baseline.provisional && baseline.recent.some(({ id }) => id > last);

function highest(cause: Cause, before: Cause | undefined): Cause {
  const { null_rate, type_mismatch, levels } = cause;
  const isAgreed = before !== undefined && levels !== undefined && agrees(before.levels, levels);
  return {
    ...cause,
    ...(isAgreed && { agreed: (before.agreed ?? 1) + 1 }),
    ...(null_rate !== undefined && { null_rate: Math.max(null_rate, before?.null_rate ?? 0) }),
    ...(type_mismatch !== undefined && {
      type_mismatch: Math.max(type_mismatch, before?.type_mismatch ?? 0),
    }),
  };
}
