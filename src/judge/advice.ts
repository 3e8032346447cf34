/** Contract mode: what to set for a source whose usual batches keep crossing a threshold. */
import type { Baseline, BaselineField } from '../baseline/baseline.ts';
import { type BatchStatistics, measurementOf } from '../baseline/batch-statistics.ts';
import type { Advice } from '../report-schema/report.ts';
import { quoted, shortened } from '../terms/errors.ts';
import { isDefinite } from '../profile/field-type.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import { ADVICE_BATCHES, ADVICE_MARGIN, ADVICE_WINDOW, type Thresholds } from '../terms/policy.ts';
import { percent } from '../terms/wording.ts';
import { typePlace } from '../statistics/counts.ts';
import { PLACE } from '../statistics/registry.ts';
import type { BlockedRun, Cause } from './blocked-run.ts';

type Rate = 'null_rate' | 'type_mismatch';

/** A field's highest rate in what counts as usual, 0..1. */
interface UsualRate {
  field: string;
  rate: number;
}

const LISTED = 20;

/**
 * What to set for these fields. A rate is usual if at least ADVICE_BATCHES, and half, of the last ADVICE_WINDOW learned batches had it, or if
 * a run of that many batches was BLOCKed.
 */
export function advise(
  names: Iterable<string>,
  baseline: Baseline | null,
  run: BlockedRun | null,
  thresholds: Thresholds,
): Advice[] {
  const causes = causesOf(run);
  const nulls: UsualRate[] = [];
  const mismatches: UsualRate[] = [];
  const note = (field: string, rate: Rate, usual: UsualRate[]): void => {
    const highest = Math.max(
      causes.get(shortened(field))?.[rate] ?? 0,
      inHistory(field, rate, baseline, thresholds),
    );
    // What blocked then may be within the thresholds that are set now.
    if (highest > thresholds[`${rate}_warn`]) usual.push({ field, rate: highest });
  };
  for (const field of names) {
    note(field, 'null_rate', nulls);
    note(field, 'type_mismatch', mismatches);
  }
  const both = [...nulls, ...mismatches].map(({ field }) => field);
  if (both.length === 0) return [];
  return [
    ...(nulls.length > 0 ? [raiseThresholds('null_rate', nulls, thresholds)] : []),
    ...(mismatches.length > 0 ? [raiseThresholds('type_mismatch', mismatches, thresholds)] : []),
    {
      fields: listed([...new Set(both)]),
      set: { mode: 'adaptive' },
      detail:
        'Or set mode to adaptive: it compares each field with its own history, without fixed thresholds',
    },
  ];
}

/** What blocks, by shortened name; nothing where the run is too short. */
const causesOf = (run: BlockedRun | null): Map<string, Cause> =>
  new Map(run === null || run.batches < ADVICE_BATCHES ? [] : run.causes.map(cause => [cause.field, cause]));

/** 0 where it is not usual that the rate is above its warn threshold. */
function inHistory(field: string, rate: Rate, baseline: Baseline | null, thresholds: Thresholds): number {
  const before = baseline?.fields.get(field);
  if (!before || baseline?.provisional) return 0;
  const rates = baseline!.recent
    .slice(-ADVICE_WINDOW)
    .map(batch => (rate === 'null_rate' ? nullRate(batch, field) : mismatchRate(batch, field, before)))
    .filter(each => !Number.isNaN(each));
  const above = rates.filter(each => each > thresholds[`${rate}_warn`]);
  return above.length >= ADVICE_BATCHES && 2 * above.length >= rates.length ? Math.max(...above) : 0;
}

const nullRate = (batch: BatchStatistics, field: string): number =>
  measurementOf(batch, field, PLACE.nulls) / batch.rows;

function mismatchRate(batch: BatchStatistics, field: string, { type }: BaselineField): number {
  if (!isDefinite(type)) return Number.NaN;
  const counts = VALUE_TYPES.map((_, i) => measurementOf(batch, field, typePlace(i)));
  const values = counts.reduce((sum, count) => sum + count, 0);
  return values === 0 ? Number.NaN : 1 - counts[VALUE_TYPES.indexOf(type)]! / values;
}

/** Thresholds of a source are of all its fields: the highest habit decides. */
function raiseThresholds(rate: Rate, usualRates: UsualRate[], thresholds: Thresholds): Advice {
  const highest = usualRates.reduce((a, b) => (b.rate > a.rate ? b : a));
  const warn = hundredths(Math.min(1, highest.rate + ADVICE_MARGIN));
  const block = Math.max(thresholds[`${rate}_block`], hundredths((1 + warn) / 2));
  const what = rate === 'null_rate' ? 'without a value' : 'of another type';
  const more = usualRates.length > 1 ? ` and ${usualRates.length - 1} more` : '';
  return {
    fields: listed(usualRates.map(({ field }) => field)),
    set: { thresholds: { [`${rate}_warn`]: warn, [`${rate}_block`]: block } },
    detail: `It is usual here that up to ${percent(highest.rate)} of ${quoted(highest.field)}${more} are ${what}: if this is expected, set ${rate}_warn to ${warn} and ${rate}_block to ${block}`,
  };
}

const hundredths = (rate: number): number => Math.ceil(Math.round(rate * 1e6) / 1e4) / 100;

const listed = (fields: readonly string[]): string[] => fields.slice(0, LISTED);
