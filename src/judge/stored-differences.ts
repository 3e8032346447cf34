/** Where a stored batch differed from its source. A stored report may lack values. */
import type { Advice, Report } from '../report-schema/report.ts';
import { ADVICE_BATCHES, type Thresholds } from '../terms/policy.ts';
import { advise } from './advice.ts';
import type { Cause } from './blocked-run.ts';

/** The parts of a report that are read. */
export type KeptReport = Pick<Report, 'issues' | 'drift' | 'anomalies' | 'schema' | 'gate'>;

/** No statistic of the source that could start over. */
const REPEATS: ReadonlySet<string> = new Set(['repeated_batch', 'repeated_column']);

/** Fields in which the batch differed from what the source was like; `*` for the batch as a whole. Of a first batch: those that crossed a threshold. */
export function changedFields({ drift = [], anomalies = [], issues = {}, gate }: KeptReport): Set<string> {
  const changed = [
    ...drift.filter(event => event.severity !== 'info'),
    ...anomalies.filter(({ statistic }) => !REPEATS.has(statistic)),
  ];
  const { null_rates = {}, type_mismatches = {} } = gate?.history === 0 ? issues : {};
  const crossing = [...Object.keys(null_rates), ...Object.keys(type_mismatches)];
  return new Set([...changed.map(({ field }) => field), ...crossing]);
}

/**
 * Rates that stay above the thresholds after the batch is accepted, and the thresholds to set. An accepted type is the expected one:
 * only values of yet other types remain.
 */
export function stillCrossing(report: KeptReport, thresholds: Thresholds): Advice[] {
  const { null_rates = {}, type_mismatches = {} } = report.issues ?? {};
  const changed = changedFields(report);
  const causes: Cause[] = [
    ...Object.entries(null_rates).map(([field, { actual }]) => ({ field, null_rate: actual })),
    ...Object.entries(type_mismatches).map(([field, { rate }]) => ({
      field,
      type_mismatch: changed.has(field) ? 1 - (report.schema[field]?.confidence ?? 1) : rate,
    })),
  ].filter(
    ({ null_rate = 0, type_mismatch = 0 }: Cause) =>
      null_rate > thresholds.null_rate_warn || type_mismatch > thresholds.type_mismatch_warn,
  );
  return advise(
    causes.map(({ field }) => field),
    null,
    { since: '', last: '', batches: ADVICE_BATCHES, causes },
    thresholds,
  );
}
