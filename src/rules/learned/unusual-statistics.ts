/** unusual_statistic: the statistics of a batch that its source's past does not let expect. */
import type { Severity } from '../../contract/report.ts';
import type { Finding } from '../../findings/kinds.ts';
import type { UnusualStatisticEvidence } from '../../findings/unusual-statistic.ts';
import { share } from '../../findings/rates.ts';
import { valuesIn } from '../../profile/field-type.ts';
import { NEIGHBOUR_STATISTICS } from '../../statistics/registry.ts';
import { otherTypes } from '../expected-type.ts';
import type { Facts, FieldFacts } from '../facts.ts';
import type { BatchRule } from '../rule.ts';
import { newValuesOf } from '../thresholds/new-enum-value.ts';
import { outsideBaseline } from '../thresholds/outliers.ts';
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
): Finding {
  const severity = severityOf(deviation, comparison);
  const isListed = severity !== 'info' && !isConsequence;
  return {
    kind: 'unusual_statistic',
    list: 'learned',
    field: deviation.field,
    severity,
    scope: deviation.field === null ? 'batch' : 'field',
    evidence: {
      ...evidenceOf(deviation, comparison),
      isConsequence,
      ...(isListed && field && contractEvidence(deviation, field, facts)),
    },
  };
}

const severityOf = ({ unusual }: Deviation, { warn, block }: Comparison): Severity =>
  unusual > block ? 'block' : unusual > warn ? 'warn' : 'info';

function evidenceOf(deviation: Deviation, { warn, block }: Comparison) {
  const { statistic, observed, forecast, unusual } = deviation;
  const surpriseAtLine = forecast.surprise * (warn / Math.max(unusual, warn));
  const shown = statistic.inverse ?? (value => value);
  return {
    statistic: statistic.id,
    direction: forecast.distance > 0 ? ('up' as const) : ('down' as const),
    unusual,
    lines: { warn, block },
    figures: {
      observed: shown(observed),
      usual: shown(forecast.expected),
      expected: expectedRange(deviation, surpriseAtLine),
    },
  };
}

/** What the contract's issue or event that fits says besides. */
function contractEvidence(
  { statistic: { id, family, kind } }: Deviation,
  field: FieldFacts,
  facts: Facts,
): Partial<UnusualStatisticEvidence> {
  if (family === 'numbers' && kind === 'level') return outliersIn(field, facts);
  if (family === 'types') return typesIn(field, facts);
  if (id !== 'new_value_share') return {};
  const found = newValuesOf(field, facts);
  if (!found) return {};
  const { rate, known, values } = found;
  return { newValues: { rate, known }, values };
}

function outliersIn(field: FieldFacts, facts: Facts): Partial<UnusualStatisticEvidence> {
  const { count, min, max } = outsideBaseline(field, facts)?.outside ?? { count: 0, min: 0, max: 0 };
  return count > 0 ? { outliers: count, outlierRange: { min, max } } : {};
}

/** Nothing where all values have the expected type: then there are fewer mismatches than usual. */
function typesIn({ now, expected }: FieldFacts, { queries }: Facts): Partial<UnusualStatisticEvidence> {
  if (!now || !expected) return {};
  const found = otherTypes(now, expected);
  if (found.length === 0) return {};
  const values = valuesIn(now.counts);
  const rate = share(values - now.counts[expected], values);
  const example = queries.example(now.column, expected);
  return { otherTypes: { expected, found, rate }, ...(example !== undefined && { example }) };
}
