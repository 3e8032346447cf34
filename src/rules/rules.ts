/** The lists of rules. */
import type { FieldRule, Rules } from './rule.ts';
import { newEnumValueRule } from './learned/new-enum-value.ts';
import { outliersRule } from './learned/outliers.ts';
import { unusualStatisticsRule } from './learned/unusual-statistics.ts';
import { duplicateFieldsRule } from './structure/duplicate-fields.ts';
import { layoutRule } from './structure/layout.ts';
import { fieldAddedRule, fieldRemovedRule } from './structure/presence.ts';
import { repeatedBatchRule } from './structure/repeated-batch.ts';
import { repeatedColumnRule } from './structure/repeated-column.ts';
import { signsRule } from './structure/signs.ts';
import { typeChangedRule } from './structure/type-changed.ts';
import { nullRateRule } from './thresholds/null-rate.ts';
import { raggedRowsRule } from './thresholds/ragged-rows.ts';
import { typeMismatchRule } from './thresholds/type-mismatch.ts';
import { uncheckedRulesRule } from './violations/unchecked.ts';
import { ruleViolationsRule } from './violations/violated.ts';

/** The thresholds of the contract, as far as they are given. */
const THRESHOLD_RULES: Rules = {
  list: 'thresholds',
  fields: [nullRateRule, typeMismatchRule],
  batch: [raggedRowsRule],
};

const STRUCTURE_RULES: Rules = {
  list: 'structure',
  fields: [fieldAddedRule, fieldRemovedRule, typeChangedRule, repeatedColumnRule],
  batch: [layoutRule, signsRule, duplicateFieldsRule, repeatedBatchRule],
};

const hasChangedStructure: Parameters<typeof unusualStatisticsRule>[0] = (field, facts) =>
  STRUCTURE_RULES.fields.some((rule: FieldRule) => rule(field, facts) !== null);

/** The past of the source. */
const LEARNED_RULES: Rules = {
  list: 'learned',
  fields: [outliersRule, newEnumValueRule],
  batch: [unusualStatisticsRule(hasChangedStructure)],
};

/** What the owner of the source says must hold. */
const DECLARED_RULES: Rules = {
  list: 'declared',
  fields: [],
  batch: [ruleViolationsRule, uncheckedRulesRule],
};

/** All hold in both modes: a mode says which thresholds are given. */
export const RULES: readonly Rules[] = [THRESHOLD_RULES, STRUCTURE_RULES, LEARNED_RULES, DECLARED_RULES];

/** Those that need no past of the source. */
export const RULES_WITHOUT_PAST: readonly Rules[] = [THRESHOLD_RULES, STRUCTURE_RULES, DECLARED_RULES];
