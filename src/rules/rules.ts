/** The lists of rules, and which of them hold in a mode. */
import type { Mode } from '../options/options.ts';
import type { FieldRule, Rules } from './rule.ts';
import { unusualStatisticsRule } from './learned/unusual-statistics.ts';
import { duplicateFieldsRule } from './structure/duplicate-fields.ts';
import { fieldAddedRule, fieldRemovedRule } from './structure/presence.ts';
import { repeatedBatchRule } from './structure/repeated-batch.ts';
import { typeChangedRule } from './structure/type-changed.ts';
import { cardinalityChangeRule } from './drift/cardinality-change.ts';
import { newEnumValueRule } from './drift/new-enum-value.ts';
import { nullRateRule } from './thresholds/null-rate.ts';
import { outliersRule } from './drift/outliers.ts';
import { raggedRowsRule } from './thresholds/ragged-rows.ts';
import { rowCountRule } from './drift/row-count-anomaly.ts';
import { emptyStringSpikeRule, nullSpikeRule } from './drift/spikes.ts';
import { typeMismatchRule } from './thresholds/type-mismatch.ts';

/** The thresholds of the contract. */
const THRESHOLD_RULES: Rules = {
  list: 'thresholds',
  fields: [nullRateRule, typeMismatchRule],
  batch: [raggedRowsRule],
};

const STRUCTURE_RULES: Rules = {
  list: 'structure',
  fields: [fieldAddedRule, fieldRemovedRule, typeChangedRule],
  batch: [duplicateFieldsRule, repeatedBatchRule],
};

/** Fixed lines for how far a batch may differ from the baseline. */
const DRIFT_RULES: Rules = {
  list: 'drift',
  fields: [outliersRule, nullSpikeRule, emptyStringSpikeRule, cardinalityChangeRule, newEnumValueRule],
  batch: [rowCountRule],
};

const hasChangedStructure: Parameters<typeof unusualStatisticsRule>[0] = (field, facts) =>
  STRUCTURE_RULES.fields.some((rule: FieldRule) => rule(field, facts) !== null);

/** The past of the source. */
const LEARNED_RULES: Rules = {
  list: 'learned',
  fields: [],
  batch: [unusualStatisticsRule(hasChangedStructure)],
};

const LISTS: Record<Mode, readonly Rules[]> = {
  contract: [THRESHOLD_RULES, STRUCTURE_RULES, DRIFT_RULES],
  adaptive: [THRESHOLD_RULES, STRUCTURE_RULES, LEARNED_RULES],
};

export const rulesFor = (mode: Mode): readonly Rules[] => LISTS[mode];

/** Whether a mode needs the history of the source to be fitted. */
export const learns = (mode: Mode): boolean => rulesFor(mode).includes(LEARNED_RULES);
