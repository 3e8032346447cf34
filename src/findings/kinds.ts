/** All kinds of findings. A new kind is its file and a line here. */
import type { Severity } from '../report-schema/report.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { fieldAdded } from './field-added.ts';
import { fieldRemoved } from './field-removed.ts';
import type { FindingOf, Kind } from './finding.ts';
import { layout } from './layout.ts';
import { newEnumValue } from './new-enum-value.ts';
import { nullRate } from './null-rate.ts';
import { outliers } from './outliers.ts';
import { raggedRows } from './ragged-rows.ts';
import { repeatedBatch } from './repeated-batch.ts';
import { repeatedColumn } from './repeated-column.ts';
import { ruleViolation } from './rule-violation.ts';
import { signs } from './signs.ts';
import { typeChanged } from './type-changed.ts';
import { typeMismatch } from './type-mismatch.ts';
import { uncheckedRules } from './unchecked-rules.ts';
import { isUnusual, unusualStatistic } from './unusual-statistic.ts';

const ALL = {
  layout,
  signs,
  rule_violation: ruleViolation,
  unchecked_rules: uncheckedRules,
  null_rate: nullRate,
  type_mismatch: typeMismatch,
  ragged_rows: raggedRows,
  outliers,
  duplicate_fields: duplicateFields,
  field_added: fieldAdded,
  field_removed: fieldRemoved,
  type_changed: typeChanged,
  new_enum_value: newEnumValue,
  unusual_statistic: unusualStatistic,
  repeated_batch: repeatedBatch,
  repeated_column: repeatedColumn,
} as const;

/** By name: a kind under the name of another does not compile. */
export const KINDS: { readonly [Name in keyof typeof ALL]: Extract<(typeof ALL)[Name], { name: Name }> } =
  ALL;

type Kinds = typeof ALL;
export type FindingKind = keyof Kinds;

type EvidenceOf<K> = K extends Kind<string, infer Known> ? Known : never;

/** Any finding: its kind tells what its evidence is. */
export type Finding = { [K in FindingKind]: FindingOf<K, EvidenceOf<Kinds[K]>> }[FindingKind];

/** What belongs to the kind of a finding. */
export const kindOf = <F extends Finding>({ kind }: F): Kind<F['kind'], F['evidence']> =>
  KINDS[kind] as unknown as Kind<F['kind'], F['evidence']>;

/** What lowers health and makes a verdict: a crossed threshold, a broken structure, something unusual. */
export const isAlarm = ({ severity, scope }: Pick<Finding, 'severity' | 'scope'>): boolean =>
  severity !== 'info' && scope !== 'rows';

/** As reports grade it: outliers apart from the verdict. */
export const shownSeverity = (finding: Finding): Severity =>
  kindOf(finding).rowSeverity?.(finding) ?? finding.severity;

/** Whether it has an entry in `anomalies`, without making the entry: there may be thousands. */
export const isAnomaly = (finding: Finding): boolean =>
  finding.kind === 'unusual_statistic' ? isUnusual(finding) : kindOf(finding).anomaly !== undefined;

/** The finding without values of the payload and figures of such values. Every sentence and projection is made after this. */
export function withoutValues<F extends Finding>(finding: F): F {
  const { values: _, ...evidence } = finding.evidence as { values?: object };
  return { ...finding, evidence } as F;
}
