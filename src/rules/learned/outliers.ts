/**
 * outliers: numbers outside Tukey's outer fences, of the batch where its quartiles differ, else of the baseline. Where the baseline has known
 * as large a share of numbers there, they are no outliers but the other half of a clustered bulk.
 */
import { QUANTILES } from '../../../assembly/abi.ts';
import type { BaselineField } from '../../baseline/baseline.ts';
import { type Fences, fencesAround, fencesOf } from '../../baseline/fences.ts';
import { MIN_NUMBERS, USUAL_ERRORS } from '../../terms/policy.ts';
import type { NumericMeasures, Outside } from '../../profile/profile.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { FieldRule } from '../rule.ts';

const Q1 = (QUANTILES - 1) / 4;
const Q3 = 3 * Q1;

export const outliersRule: FieldRule = (field, facts) => {
  const numeric = field.now?.measured.numeric;
  if (!numeric || field.expected !== 'number' || numeric.count < MIN_NUMBERS) return null;
  const found = hasSpread(numeric) ? ofBatch(numeric) : outsideBaseline(field, facts);
  if (!found || found.outside.count === 0 || isUsual(found, field.before, numeric.count)) return null;
  const { count, min, max } = found.outside;
  return {
    kind: 'outliers',
    field: field.name,
    severity: 'info',
    scope: 'field',
    evidence: { count, share: count / numeric.count, values: { range: { min, max }, fences: found.fences } },
  };
};

interface Found {
  outside: Outside;
  fences: Fences;
}

/** Whether no more lie there than chance makes of the share that the baseline has. */
function isUsual(
  { outside: { count }, fences: { low, high } }: Found,
  before: BaselineField | undefined,
  of: number,
): boolean {
  const usual = before ? shareBelow(before, low) + (1 - shareBelow(before, high)) : 0;
  if (!(usual > 0)) return false;
  return count <= usual * of + USUAL_ERRORS * Math.sqrt(usual * (1 - usual) * of);
}

/** Share of the baseline's numbers that are at most this: 0..1, by bisection. NaN without numbers. */
function shareBelow(before: BaselineField, value: number): number {
  if (!(before.quantile(1) > value)) return 1;
  let [low, high] = [0, 1];
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (before.quantile(middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}

const hasSpread = ({ quantiles }: NumericMeasures): boolean => quantiles[Q3]! > quantiles[Q1]!;

function ofBatch({ quantiles, outliers }: NumericMeasures): Found | null {
  const fences = fencesAround(quantiles[Q1]!, quantiles[Q3]!);
  return fences && { outside: outliers, fences };
}

/** Where half of the batch is one value, only what was usual before says what is far off. Null without a usual spread. */
export function outsideBaseline({ now, before }: FieldFacts, { queries }: Facts): Found | null {
  const fences = fencesOf(before);
  return fences && now && { outside: queries.outside(now.column, fences.low, fences.high), fences };
}
