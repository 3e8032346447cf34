/**
 * What is kept of an answer where values of the payload must not be: `STORE_VALUES=false`. Field names, types, counts and
 * rates stay. Every number that can be a value is left out, so also the mean, which of one number is that number.
 */
import { quoted } from '../errors.ts';
import { type Anomaly, byName, type DriftEvent, type Issues } from '../judge/report.ts';
import type { FieldDescription, ProfileDescription } from '../profile/describe.ts';
import { statisticById } from '../statistics/registry.ts';
import type { Report } from './report.ts';

export interface RedactedReport extends Omit<Report, 'issues' | 'drift' | 'anomalies'> {
  issues?: object;
  drift?: RedactedEvent[];
  anomalies?: RedactedAnomaly[];
}

/** A statistic of the payload's numbers has no figures. */
export type RedactedAnomaly = Omit<Anomaly, 'observed' | 'expected'> & Partial<Anomaly>;

/** A new_enum_value has no `current`. */
export type RedactedEvent = Omit<DriftEvent, 'current'> & Partial<Pick<DriftEvent, 'current'>>;

export interface RedactedProfile {
  fields: Record<string, RedactedField>;
}

export interface RedactedField extends Omit<FieldDescription, 'booleans' | 'numbers' | 'top_values'> {
  numbers?: { count: number };
}

export function redactReport(report: Report): RedactedReport {
  const { decision, issues, drift = [], anomalies = [] } = report;
  const told = anomalies.filter(isOfValues);
  return {
    ...report,
    decision: { ...decision, reason: withoutFigures(redactReason(decision.reason, drift), told) },
    ...(issues && { issues: redactIssues(issues) }),
    ...(drift.length > 0 && { drift: drift.map(event => redactEvent(event, told)) }),
    ...(report.anomalies && { anomalies: anomalies.map(redactAnomaly) }),
  };
}

export function redactProfile({ fields }: ProfileDescription): RedactedProfile {
  return { fields: mapped(fields, redactField) };
}

function redactIssues(issues: Issues): object {
  const { type_mismatches, outliers, new_enum_values } = issues;
  return {
    ...issues,
    ...(type_mismatches && {
      type_mismatches: mapped(type_mismatches, ({ sample_value: _, ...kept }) => kept),
    }),
    ...(outliers && { outliers: mapped(outliers, ({ min: _, max: __, ...kept }) => kept) }),
    ...(new_enum_values && { new_enum_values: mapped(new_enum_values, () => []) }),
  };
}

const isOfValues = ({ statistic }: Anomaly): boolean => statisticById(statistic)?.isPrivate === true;

function redactAnomaly(anomaly: Anomaly): RedactedAnomaly {
  if (!isOfValues(anomaly)) return anomaly;
  const { observed: _, expected: __, ...kept } = anomaly;
  return { ...kept, detail: withoutFigures(anomaly.detail, [anomaly]) };
}

/** Figures stand behind the last colon of a detail. */
const withoutFigures = (text: string, anomalies: readonly Anomaly[]): string =>
  anomalies.reduce(
    (words, { detail }) => words.replaceAll(detail, () => detail.slice(0, detail.lastIndexOf(':'))),
    text,
  );

/** A new_enum_value names values, an unusual statistic of numbers has their figures. */
function redactEvent(event: DriftEvent, told: readonly Anomaly[]): RedactedEvent {
  if (event.kind !== 'new_enum_value') return { ...event, detail: withoutFigures(event.detail, told) };
  const { current: _, ...kept } = event;
  return { ...kept, detail: redactDetail(event) };
}

/** The share of rows stands in the last brackets, which no value can follow. */
const redactDetail = ({ field, detail }: DriftEvent): string =>
  `New values in ${quoted(field)} ${detail.slice(detail.lastIndexOf('('))}`;

/** A reason quotes the events' details as they are. */
const redactReason = (reason: string, drift: readonly DriftEvent[]): string =>
  drift
    .filter(event => event.kind === 'new_enum_value')
    .reduce((text, event) => text.replaceAll(event.detail, () => redactDetail(event)), reason);

function redactField(field: FieldDescription): RedactedField {
  const { booleans: _, top_values: __, numbers, statistics, ...kept } = field;
  return {
    ...kept,
    ...(numbers && { numbers: { count: numbers.count } }),
    ...(statistics && { statistics: redactStatistics(statistics) }),
  };
}

const redactStatistics = (statistics: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(statistics).filter(([id]) => statisticById(id)?.isPrivate === false));

const mapped = <Value, Kept>(
  map: Record<string, Value>,
  keep: (value: Value) => Kept,
): Record<string, Kept> => byName(Object.entries(map).map(([name, value]) => [name, keep(value)] as const));
