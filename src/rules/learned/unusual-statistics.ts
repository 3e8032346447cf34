/** unusual_statistic: statistics of the batch that are unusual for its source. */
import { reachOf } from '../../baseline/reach.ts';
import { ANOMALIES_LISTED } from '../../terms/policy.ts';
import type { Figures, UnusualStatisticEvidence } from '../../findings/unusual-statistic.ts';
import type { Outside } from '../../profile/profile.ts';
import { NEIGHBOUR_STATISTICS } from '../../statistics/registry.ts';
import { dominantType } from '../../profile/field-type.ts';
import { mismatchOf } from '../expected-type.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { BatchRule, UnlistedFinding } from '../rule.ts';
import { newValuesOf } from './new-enum-value.ts';
import { outsideBaseline } from './outliers.ts';
import { type Comparison, type Deviation, expectedRange, passingRange } from './compare.ts';

/**
 * The most unusual statistic first, even where it crosses no line: so health has an order among batches that pass. Fields
 * whose structure has changed are not searched again: their statistics follow from it.
 */
export const unusualStatisticsRule =
  (structureChanged: (field: FieldFacts, facts: Facts) => boolean): BatchRule =>
  facts => {
    const { comparison } = facts;
    if (!comparison) return [];
    const fields = new Map<string | null, FieldFacts>();
    for (const field of facts.fields) fields.set(field.name, field);
    const changed = new Map<FieldFacts, boolean>();
    const hasChanged = (field: FieldFacts): boolean => {
      const known = changed.get(field) ?? structureChanged(field, facts);
      changed.set(field, known);
      return known;
    };
    let neighbours: Map<string, string> | undefined;
    const findings: UnlistedFinding[] = [];
    const add = (deviation: Deviation): void => {
      const field = fields.get(deviation.field);
      const isExplained = field !== undefined && hasChanged(field);
      const isFirst = findings.length === 0;
      if (isExplained && !isFirst) return;
      // Asking the judge for a range takes long, and anomalies behind the listed ones are not shown.
      const rangeOf = findings.length < ANOMALIES_LISTED ? passingRange : expectedRange;
      findings.push(findingOf(deviation, comparison, rangeOf, isExplained, field, facts));
    };
    for (const deviation of comparison.deviations) {
      add(deviation);
      if (besides(deviation, comparison)) {
        neighbours ??= neighboursIn(facts.profile);
        const neighbour = neighbours.get(deviation.field!);
        if (neighbour !== undefined) add({ ...deviation, field: neighbour });
      }
    }
    return findings;
  };

/** Where a field no longer goes with the one before it, either may be at fault. */
const besides = ({ statistic, unusual }: Deviation, { warn }: Comparison): boolean =>
  unusual > warn && NEIGHBOUR_STATISTICS.includes(statistic);

/** By field: the last one before it that all rows have. */
function neighboursIn({ fields, rows }: Facts['profile']): Map<string, string> {
  const neighbours = new Map<string, string>();
  let last: string | undefined;
  for (const { name, present } of fields) {
    if (last !== undefined) neighbours.set(name, last);
    if (present === rows) last = name;
  }
  return neighbours;
}

function findingOf(
  deviation: Deviation,
  comparison: Comparison,
  rangeOf: typeof passingRange,
  isConsequence: boolean,
  field: FieldFacts | undefined,
  facts: Facts,
): UnlistedFinding {
  const { severity } = deviation;
  const isListed = severity !== 'info' && !isConsequence;
  const { statistic } = deviation;
  const figures = figuresOf(deviation, comparison, rangeOf);
  return {
    kind: 'unusual_statistic',
    field: deviation.field,
    severity,
    scope: deviation.field === null ? 'batch' : 'field',
    evidence: withValues(
      {
        ...evidenceOf(deviation, comparison),
        isConsequence,
        ...(!statistic.isPrivate && { figures }),
      },
      statistic.isPrivate ? { figures } : {},
      isListed && field ? contractEvidence(deviation, field, facts) : {},
    ),
  };
}

type Evidence = UnusualStatisticEvidence;
type Values = NonNullable<Evidence['values']>;

/** All values and figures of values together. */
function withValues(evidence: Evidence, figures: Values, more: Partial<Evidence>): Evidence {
  const values = { ...figures, ...more.values };
  return { ...evidence, ...more, ...(Object.keys(values).length > 0 && { values }) };
}

const evidenceOf = ({ statistic, forecast, unusual, wasThere }: Deviation, { warn, block }: Comparison) => ({
  statistic: statistic.id,
  direction: forecast.distance > 0 ? ('up' as const) : ('down' as const),
  unusual,
  lines: { warn, block },
  ...(wasThere && { wasThere }),
});

function figuresOf(deviation: Deviation, { warn }: Comparison, rangeOf: typeof passingRange): Figures {
  const { statistic, observed, forecast, unusual } = deviation;
  const shown = statistic.inverse ?? (value => value);
  return {
    observed: shown(observed),
    usual: shown(forecast.expected),
    expected: rangeOf(deviation, deviation.surpriseAtWarn),
    // In proportion to `unusual`: for a far statistic this leaves out nearly all of the correction for many tests.
    usualRange: expectedRange(deviation, forecast.surprise * (warn / Math.max(unusual, warn))),
  };
}

/** What the contract's issue or event that fits says besides. */
function contractEvidence(
  { statistic: { id, family, kind }, observed }: Deviation,
  field: FieldFacts,
  facts: Facts,
): Partial<Evidence> {
  if (family === 'numbers' && kind === 'level') return outliersIn(field, facts);
  if (id === 'far_number_share') return farIn(field, facts);
  if (family === 'types') return typesIn(field, facts);
  if (id === 'top_value_share' && observed === 1) return constantIn(field, facts);
  if (id !== 'new_value_share') return {};
  const found = newValuesOf(field, facts);
  if (!found) return {};
  const { rate, known, listed } = found;
  return { newValues: { rate, known }, values: { listed } };
}

const outliersIn = (field: FieldFacts, facts: Facts): Partial<Evidence> =>
  asOutliers(outsideBaseline(field, facts)?.outside);

function farIn({ name, now }: FieldFacts, { baseline, queries }: Facts): Partial<Evidence> {
  const reach = baseline && reachOf(baseline, name);
  return reach && now ? asOutliers(queries.outside(now.column, reach.low, reach.high)) : {};
}

const asOutliers = ({ count, min, max }: Outside = { count: 0, min: 0, max: 0 }): Partial<Evidence> =>
  count > 0 ? { outliers: count, values: { range: { min, max } } } : {};

function constantIn({ now }: FieldFacts, { queries }: Facts): Partial<Evidence> {
  if (now?.measured.distinct !== 1) return {};
  const type = dominantType(now.counts);
  // The first value that is of no other type.
  const value = queries.example(now.column, type === 'number' ? 'string' : 'number');
  return { isConstant: true, ...(value !== undefined && { values: { example: value } }) };
}

/** Nothing where all values have the expected type: then there are fewer mismatches than usual. */
function typesIn({ now, expected }: FieldFacts, { queries }: Facts): Partial<Evidence> {
  const mismatch = now && expected && mismatchOf(now, expected);
  if (!mismatch) return {};
  const example = queries.example(now.column, expected);
  return { otherTypes: mismatch, ...(example !== undefined && { values: { example } }) };
}
