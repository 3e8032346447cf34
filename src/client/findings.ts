/**
 * A report's issues, drift events and anomalies as one list of findings, gravest first. Pure.
 *
 * The service states some anomalies twice more, in the terms of contract mode: as
 * drift events that are not structural, and as `issues.outliers`. These are left out where an anomaly of the same field is
 * listed. New values are the exception: their drift event names them, so the anomaly is left out.
 */
import { SEVERITIES } from '../terms/verdict.ts';
import { example, figure, grouped, percent, plural, quoted, quotedList } from '../terms/wording.ts';
import type {
  Anomaly,
  DriftEvent,
  Issues,
  OutlierSummary,
  Report,
  RowSpan,
  SlightTypeMismatch,
} from './contract.ts';

export type Severity = DriftEvent['severity'];

export type FindingKind =
  | 'type_mismatch'
  | 'null_rate'
  | 'outliers'
  | 'ragged_rows'
  | 'duplicate_field'
  | 'layout'
  | 'signs'
  | 'rule_violation'
  | 'unchecked_rules'
  | DriftEvent['kind']
  | 'anomaly';

export interface Finding {
  kind: FindingKind;
  /** Which part of the report states it. */
  part: 'issues' | 'drift' | 'anomalies';
  /** Null for the batch as a whole. */
  field: string | null;
  severity: Severity;
  /** For people. Drift events and anomalies name their field in it, issues do not. */
  text: string;
  /** The first rows, numbered as `stats.row_numbers` says; see `rowsText`. */
  rows: readonly number[];
  /** The stretch of the batch to which it is confined. */
  span?: RowSpan | undefined;
}

/** What findings are made of. */
export type Findable = Pick<Report, 'issues' | 'drift' | 'anomalies' | 'gate'>;

const SEVERITY_OF_ISSUE: Record<OutlierSummary['severity'], Severity> = {
  info: 'info',
  warning: 'warn',
  critical: 'block',
};
/** Kinds of drift that an adaptive report states only as drift. */
const ONLY_DRIFT: ReadonlySet<DriftEvent['kind']> = new Set([
  'field_added',
  'field_removed',
  'type_changed',
  'new_enum_value',
]);
/** Statistics of the batch as a whole: their field is `*`. */
const BATCH_STATISTICS: ReadonlySet<string> = new Set(['row_count', 'duplicate_row_share', 'repeated_batch']);

export function findingsIn(report: Findable): Finding[] {
  const { issues, drift, anomalies } = withoutRepetition(report);
  const newValueRows = mapOf(report.issues?.new_enum_value_rows);
  return gravestFirst([
    ...issueFindings(issues),
    ...drift.map(event => driftFinding(event, newValueRows.get(event.field))),
    ...anomalies.map(anomalyFinding),
  ]);
}

export const driftFindings = (drift: readonly DriftEvent[]): Finding[] =>
  gravestFirst(drift.map(event => driftFinding(event)));

const ROWS_SHOWN = 5;

/** `lines 3, 17`, `rows 0, 4 (from 0)`, `lines 50,002 to 100,001`; empty without rows. `numbering` is `stats.row_numbers`. */
export function rowsText(
  rows: readonly number[],
  numbering: Report['stats']['row_numbers'],
  span?: RowSpan,
): string {
  if (span) {
    const { first_row: first, last_row: last } = span;
    return `${numbering === 'line' ? 'lines' : 'rows'} ${grouped(first)} to ${grouped(last)}${numbering === 'line' ? '' : ' (from 0)'}`;
  }
  if (rows.length === 0) return '';
  const noun = `${numbering === 'line' ? 'line' : 'row'}${rows.length === 1 ? '' : 's'}`;
  const more = rows.length > ROWS_SHOWN ? ', …' : '';
  const base = numbering === 'line' ? '' : ' (from 0)';
  return `${noun} ${rows.slice(0, ROWS_SHOWN).map(grouped).join(', ')}${more}${base}`;
}

const gravestFirst = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));

interface Parts {
  issues: Issues;
  drift: DriftEvent[];
  anomalies: Anomaly[];
}

/** The report's parts, each fact in one of them. */
function withoutRepetition({ issues = {}, drift = [], anomalies = [], gate }: Findable): Parts {
  if (!gate) return { issues, drift, anomalies };
  const fields = new Set(anomalies.filter(isOfField).map(({ field }) => field));
  const hasRowCount = anomalies.some(({ statistic }) => statistic === 'row_count');
  const isRepeated = ({ kind, field }: DriftEvent) =>
    kind === 'row_count_anomaly' ? hasRowCount : !ONLY_DRIFT.has(kind) && fields.has(field);
  const newValues = new Set(drift.filter(({ kind }) => kind === 'new_enum_value').map(({ field }) => field));
  const { outliers, ...others } = issues;
  const ownOutliers = [...mapOf(outliers)].filter(([field]) => !fields.has(field));
  return {
    issues: { ...others, outliers: Object.fromEntries(ownOutliers) },
    drift: drift.filter(event => !isRepeated(event)),
    anomalies: anomalies.filter(
      ({ statistic, field }) => !(statistic === 'new_value_share' && newValues.has(field)),
    ),
  };
}

const isOfField = ({ statistic }: Anomaly): boolean => !BATCH_STATISTICS.has(statistic);

const driftFinding = ({ kind, field, severity, detail }: DriftEvent, rows: number[] = []): Finding => ({
  kind,
  part: 'drift',
  field: kind === 'row_count_anomaly' ? null : field,
  severity,
  text: detail,
  rows: kind === 'new_enum_value' ? rows : [],
});

const anomalyFinding = (anomaly: Anomaly): Finding => ({
  kind: 'anomaly',
  part: 'anomalies',
  field: isOfField(anomaly) ? anomaly.field : null,
  severity: anomaly.severity,
  text: anomaly.detail,
  rows: anomaly.rows ?? [],
  span: anomaly.span,
});

// ---- issues ----

type IssueKind = Exclude<FindingKind, DriftEvent['kind'] | 'anomaly'>;

const issue = (
  kind: IssueKind,
  field: string | null,
  { severity, rows = [], span }: { severity: OutlierSummary['severity']; rows?: number[]; span?: RowSpan },
  text: string,
): Finding => ({ kind, part: 'issues', field, severity: SEVERITY_OF_ISSUE[severity], text, rows, span });

const typeMismatches = ({ type_mismatches }: Issues): Finding[] =>
  [...mapOf(type_mismatches)].map(([field, mismatch]) =>
    issue('type_mismatch', field, mismatch, mismatchText(mismatch)),
  );

const slightTypeMismatches = ({ slight_type_mismatches: slight }: Issues): Finding[] =>
  [...mapOf(slight)].map(([field, mismatch]) =>
    issue('type_mismatch', field, { ...mismatch, severity: 'info' }, mismatchText(mismatch)),
  );

function mismatchText({ rate, expected, found, sample_value }: SlightTypeMismatch): string {
  const value = sample_value === undefined ? '' : `, for example ${example(sample_value)}`;
  return `${percent(rate)} of the values are not ${expected}: found ${found.join(', ')}${value}`;
}

const nullRates = ({ null_rates }: Issues): Finding[] =>
  [...mapOf(null_rates)].map(([field, nulls]) => {
    const { actual, threshold } = nulls;
    const text = `${percent(actual)} of the rows have no value; the threshold is ${percent(threshold)}`;
    return issue('null_rate', field, nulls, text);
  });

/** No verdict rests on them, so people read `info`, whatever the report calls their share. Of a heavy tail a few rows tell nothing. */
const outliers = ({ outliers: byField }: Issues): Finding[] => {
  const fields = [...mapOf(byField)];
  const found = fields.map(([field, { count, rows = [], ...summary }]) => {
    const named = rows.length === count ? rows : [];
    const text = `${plural(count, 'outlier')}${rangeText({ count, ...summary })}`;
    return issue('outliers', field, { severity: 'info', rows: named }, text);
  });
  if (found.length <= OUTLIER_FIELDS_SHOWN) return found;
  const others = fields.slice(OUTLIER_FIELDS_SHOWN).map(([field]) => field);
  const text = `outliers in ${plural(others.length, 'other field')}: ${quotedList(others, OUTLIER_NAMES_SHOWN)}`;
  return [...found.slice(0, OUTLIER_FIELDS_SHOWN), issue('outliers', null, { severity: 'info' }, text)];
};

/** Fields with a line of their own, and others that are named. */
const OUTLIER_FIELDS_SHOWN = 5;
const OUTLIER_NAMES_SHOWN = 10;

function rangeText({ min, max }: OutlierSummary): string {
  if (min === undefined || max === undefined) return ' far from the other values';
  return min === max ? `: ${figure(min)}` : `, from ${figure(min)} to ${figure(max)}`;
}

function raggedRows({ ragged_rows: ragged }: Issues): Finding[] {
  if (ragged === undefined) return [];
  const { count, rate, first_line, cells, ends_early, rows = [] } = ragged;
  const first = rows.length > 0 ? '' : `, the first on line ${grouped(first_line)}`;
  const how = cells ? `: the first has ${grouped(cells.first)}, the header ${grouped(cells.header)}` : '';
  const cut = ends_early ? ': the last row ends early, so the upload may have been cut' : '';
  const text = `${plural(count, 'row')} (${percent(rate)}) with more or fewer cells than the header${first}${how}${cut}`;
  return [issue('ragged_rows', null, ragged, text)];
}

const layoutFindings = ({ layout = [] }: Issues): Finding[] =>
  layout.map(each => issue('layout', null, { severity: each.severity }, each.detail));

const signFindings = ({ signs = [] }: Issues): Finding[] =>
  signs.map(({ field, detail, severity, sample_values: [sample] = [], rows = [] }) => ({
    kind: 'signs',
    part: 'issues',
    field,
    severity,
    text: sample === undefined ? detail : `${detail}, for example ${quoted(sample)}`,
    rows,
  }));

const duplicateFields = ({ duplicate_fields: names = [] }: Issues): Finding[] =>
  names.map(name =>
    issue(
      'duplicate_field',
      name,
      { severity: 'info' },
      'The name is repeated, or another differs only in case, spaces, _ or -',
    ),
  );

const ruleViolations = ({ rule_violations: violations = [] }: Issues): Finding[] =>
  violations.map(({ rule, field, count, rate, expected, sample_value, rows = [], severity, description }) => {
    const facts = [
      `violated${rows.length > 0 ? ` in ${plural(count, 'row')} (${percent(rate)})` : ''}`,
      ...(expected === undefined || expected === true ? [] : [`expected ${example(expected)}`]),
      ...(sample_value === undefined ? [] : [`for example ${example(sample_value)}`]),
    ];
    const why = description === undefined ? '' : ` – ${description}`;
    const text = `${rule} is ${facts.join(', ')}${why}`;
    return {
      kind: 'rule_violation',
      part: 'issues',
      field: field === '*' ? null : field,
      severity,
      text,
      rows,
    };
  });

const uncheckedRules = ({ unchecked_rules: unchecked = [] }: Issues): Finding[] =>
  unchecked.map(({ field, rules, count, meant, severity }) => {
    const usual = severity === 'info' ? ', as in most earlier batches' : '';
    const more = count > rules.length ? ', …' : '';
    const checks = `${plural(count, 'rule checks', 'rules check')} nothing (${rules.join(', ')}${more})`;
    const text = `no row has it${usual}, so ${checks}${meant === undefined ? '' : `; is it ${quoted(meant)}?`}`;
    return { kind: 'unchecked_rules', part: 'issues', field, severity, text, rows: [] };
  });

/** By key of `issues`: without an entry for each the file does not compile. */
const BY_ISSUE: { [Key in keyof Required<Issues>]: ((issues: Issues) => Finding[]) | null } = {
  type_mismatches: typeMismatches,
  slight_type_mismatches: slightTypeMismatches,
  null_rates: nullRates,
  outliers,
  // The names in `outliers`.
  outlier_fields: null,
  ragged_rows: raggedRows,
  layout: layoutFindings,
  signs: signFindings,
  duplicate_fields: duplicateFields,
  rule_violations: ruleViolations,
  unchecked_rules: uncheckedRules,
  // A drift event states each of these.
  row_count_anomaly: null,
  new_enum_values: null,
  new_enum_value_rows: null,
};

const issueFindings = (issues: Issues): Finding[] =>
  Object.values(BY_ISSUE).flatMap(findingsOf => findingsOf?.(issues) ?? []);

/** A map whose keys are names of the payload: `constructor` is a valid name. */
const mapOf = <Value>(byName: Readonly<Record<string, Value>> | undefined): ReadonlyMap<string, Value> =>
  new Map(Object.entries(byName ?? {}));
