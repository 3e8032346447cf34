/** unusual_statistic: statistics of the batch that are unusual for its source. */
import type { Figures, UnusualStatisticEvidence } from '../../findings/unusual-statistic.ts';
import { NEIGHBOUR_STATISTICS } from '../../statistics/registry.ts';
import { mismatchOf } from '../expected-type.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { BatchRule, UnlistedFinding } from '../rule.ts';
import { newValuesOf } from './new-enum-value.ts';
import { outsideBaseline } from './outliers.ts';
import { type Comparison, type Deviation, expectedRange } from './compare.ts';

/**
 * The most unusual statistic first, even where it crosses no line: so health has an order among batches that pass. Fields
 * whose structure has changed are not searched again: their statistics follow from it.
 */
export const unusualStatisticsRule =
  (structureChanged: (field: FieldFacts, facts: Facts) => boolean): BatchRule =>
  facts => {
    const { comparison } = facts;
    if (!comparison) return [];
    const fields = new Map(facts.fields.map(field => [field.name, field]));
    const changed = facts.fields.filter(field => structureChanged(field, facts));
    const names = new Set<string | null>(changed.map(({ name }) => name));
    const isExplained = ({ field }: Deviation): boolean => names.has(field);
    const [worst] = comparison.deviations;
    const crossing = comparison.deviations
      .filter(({ unusual }) => unusual > comparison.warn)
      .flatMap(deviation => ofBothNeighbours(deviation, facts));
    const others = crossing.filter(deviation => deviation !== worst && !isExplained(deviation));
    return (worst ? [worst, ...others] : []).map(deviation =>
      findingOf(deviation, comparison, isExplained(deviation), fields.get(deviation.field ?? ''), facts),
    );
  };

/** Where a field no longer goes with the one before it, either may be at fault. */
function ofBothNeighbours(deviation: Deviation, { profile: { fields, rows } }: Facts): Deviation[] {
  if (!NEIGHBOUR_STATISTICS.includes(deviation.statistic)) return [deviation];
  const place = fields.findIndex(({ name }) => name === deviation.field);
  const neighbour = fields.slice(0, place).findLast(({ present }) => present === rows);
  return neighbour ? [deviation, { ...deviation, field: neighbour.name }] : [deviation];
}

function findingOf(
  deviation: Deviation,
  comparison: Comparison,
  isConsequence: boolean,
  field: FieldFacts | undefined,
  facts: Facts,
): UnlistedFinding {
  const { severity } = deviation;
  const isListed = severity !== 'info' && !isConsequence;
  const { statistic } = deviation;
  const figures = figuresOf(deviation, comparison);
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

const evidenceOf = ({ statistic, forecast, unusual }: Deviation, { warn, block }: Comparison) => ({
  statistic: statistic.id,
  direction: forecast.distance > 0 ? ('up' as const) : ('down' as const),
  unusual,
  lines: { warn, block },
});

function figuresOf(deviation: Deviation, { warn }: Comparison): Figures {
  const { statistic, observed, forecast, unusual } = deviation;
  const surpriseAtLine = forecast.surprise * (warn / Math.max(unusual, warn));
  const shown = statistic.inverse ?? (value => value);
  return {
    observed: shown(observed),
    usual: shown(forecast.expected),
    expected: expectedRange(deviation, surpriseAtLine),
  };
}

/** What the contract's issue or event that fits says besides. */
function contractEvidence(
  { statistic: { id, family, kind } }: Deviation,
  field: FieldFacts,
  facts: Facts,
): Partial<Evidence> {
  if (family === 'numbers' && kind === 'level') return outliersIn(field, facts);
  if (family === 'types') return typesIn(field, facts);
  if (id !== 'new_value_share') return {};
  const found = newValuesOf(field, facts);
  if (!found) return {};
  const { rate, known, listed } = found;
  return { newValues: { rate, known }, values: { listed } };
}

function outliersIn(field: FieldFacts, facts: Facts): Partial<Evidence> {
  const { count, min, max } = outsideBaseline(field, facts)?.outside ?? { count: 0, min: 0, max: 0 };
  return count > 0 ? { outliers: count, values: { range: { min, max } } } : {};
}

/** Nothing where all values have the expected type: then there are fewer mismatches than usual. */
function typesIn({ now, expected }: FieldFacts, { queries }: Facts): Partial<Evidence> {
  const mismatch = now && expected && mismatchOf(now, expected);
  if (!mismatch) return {};
  const example = queries.example(now.column, expected);
  return { otherTypes: mismatch, ...(example !== undefined && { values: { example } }) };
}
