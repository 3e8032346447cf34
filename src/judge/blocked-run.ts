/** BLOCKed batches one after the other: whether what blocks now is what blocked before, and since when. Pure. */
import type { Baseline } from '../baseline/baseline.ts';
import { shortened } from '../errors.ts';
import type { Judgement } from './report.ts';

/** Of one field; `*` for the batch as a whole. */
export interface Cause {
  /** Its name, cut at 64 characters. */
  field: string;
  /** Where a threshold was crossed: the highest rate of the run, 0..1. */
  null_rate?: number;
  type_mismatch?: number;
}

/** A run as it is kept. */
export interface KeptRun {
  /** Ids of its first and of its newest batch. */
  since: string;
  last: string;
  /** How many. */
  batches: number;
  /** Causes as JSON text. */
  causes: string;
}

/** The run with the batch that is judged as its newest. */
export interface Run extends Omit<KeptRun, 'causes'> {
  causes: Cause[];
}

/** Fields that are noted of one batch: a note comes with every read of a baseline. */
const MOST_CAUSES = 16;
const WHOLE_BATCH = '*';

/** What the batch is BLOCKed for: by field, findings of severity block; of one BLOCKed by its health alone, all findings. */
export function causesOf({ issues, drift, anomalies = [] }: Judgement): Cause[] {
  const { null_rates = {}, type_mismatches = {}, ragged_rows } = issues ?? {};
  const causes = new Map<string, Cause>();
  const note = (field: string, rate: Omit<Cause, 'field'> = {}): void => {
    const name = shortened(field);
    if (causes.has(name) || causes.size < MOST_CAUSES)
      causes.set(name, { ...causes.get(name), field: name, ...rate });
  };
  for (const grave of [true, false]) {
    if (causes.size > 0) break;
    const counts = (severity: string): boolean => !grave || severity === 'critical' || severity === 'block';
    for (const [field, { actual, severity }] of Object.entries(null_rates))
      if (counts(severity)) note(field, { null_rate: actual });
    for (const [field, { rate, severity }] of Object.entries(type_mismatches))
      if (counts(severity)) note(field, { type_mismatch: rate });
    for (const { field, severity } of [...drift, ...anomalies]) if (counts(severity)) note(field);
    if (ragged_rows && counts(ragged_rows.severity)) note(WHOLE_BATCH);
  }
  return [...causes.values()];
}

/**
 * The run that a BLOCKed batch belongs to: the one before if nothing was learnt since its newest batch and a field has gone on blocking,
 * else one that begins with this batch.
 */
export function runOf(id: string, causes: Cause[], before: KeptRun | null, baseline: Baseline | null): Run {
  const fresh = { since: id, last: id, batches: 1, causes };
  if (before === null || isOver(before, baseline)) return fresh;
  const known = new Map((JSON.parse(before.causes) as Cause[]).map(cause => [cause.field, cause]));
  if (!causes.some(({ field }) => known.has(field))) return fresh;
  return {
    since: before.since,
    last: id,
    batches: before.batches + 1,
    causes: causes.map(cause => highest(cause, known.get(cause.field))),
  };
}

/** A provisional baseline was itself made by a batch that was BLOCK. */
export const isOver = ({ last }: KeptRun, baseline: Baseline | null): boolean =>
  baseline !== null && !baseline.provisional && baseline.recent.some(({ id }) => id > last);

function highest(cause: Cause, before: Cause | undefined): Cause {
  const { null_rate, type_mismatch } = cause;
  return {
    ...cause,
    ...(null_rate !== undefined && { null_rate: Math.max(null_rate, before?.null_rate ?? 0) }),
    ...(type_mismatch !== undefined && {
      type_mismatch: Math.max(type_mismatch, before?.type_mismatch ?? 0),
    }),
  };
}
