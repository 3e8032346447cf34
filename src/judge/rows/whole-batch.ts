/** Findings that no choice of rows does away with. */
import { ANOMALIES_LISTED } from '../policy.ts';
import {
  type BatchReason,
  type DriftKind,
  type DriftSeverity,
  type IssueSeverity,
  type Judgement,
  type RowCode,
  type RowReason,
  STRUCTURAL_KINDS,
} from '../report.ts';
import { signOf } from './anomalies.ts';
import { keyOf } from './causes.ts';
import type { RowFinder } from './look.ts';
import { severityOf } from './severity.ts';

/** Which reason of rows says the same as an event. */
const ROWS_OF_EVENT: Partial<Record<DriftKind, RowCode>> = {
  type_changed: 'type_mismatch',
  null_spike: 'null',
  empty_string_spike: 'empty',
  new_enum_value: 'new_value',
};

export function wholeBatch(
  { issues, drift, anomalies = [], gate }: Judgement,
  reasons: readonly RowReason[],
  finder: RowFinder,
): BatchReason[] {
  const named = new Set(reasons.map(({ code, field }) => keyOf(code, field)));
  const nulls = Object.entries(issues?.null_rates ?? {})
    .filter(([field]) => !named.has(keyOf('null', field)))
    .map(([field, { severity }]): BatchReason => ({ code: 'null_rates', field, severity }));
  const events = drift
    .filter(({ kind, severity }) => severity !== 'info' && (!gate || STRUCTURAL_KINDS.has(kind)))
    .filter(({ kind, field }) => !named.has(keyOf(ROWS_OF_EVENT[kind], field)))
    .map(({ kind, field, severity }) => batchReason(kind, field, severity));
  const unusual = anomalies
    .filter(({ severity }) => severity !== 'info')
    .filter(anomaly => !signOf(anomaly, finder)?.isAll)
    .map(({ statistic, field, severity }) => batchReason(statistic, field, severity));
  const more = anomalies.length < ANOMALIES_LISTED ? [] : [batchReason('anomalies', '*', 'warn')];
  return [...nulls, ...events, ...unusual, ...more];
}

const batchReason = (code: string, field: string, severity: DriftSeverity): BatchReason => ({
  code,
  field,
  severity: severityOf(severity) as IssueSeverity,
});
