/** A report's issues and drift as sentences, worst first. */
import { type DriftEvent, entriesOf, type IssueSeverity, type Issues, type Report } from './contract.ts';
import { count, example, figure, percent, plural } from './wording.ts';

export type Level = 'block' | 'warn' | 'info';

export interface Finding {
  level: Level;
  /** The field that it is about; null for the batch as a whole. */
  field: string | null;
  text: string;
}

const LEVELS: Level[] = ['block', 'warn', 'info'];
const LEVEL_OF: Record<IssueSeverity, Level> = { critical: 'block', warning: 'warn', info: 'info' };

export const worstFirst = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));

/** What is wrong with the batch as it stands. */
export function issuesOf({ issues = {} }: Report): Finding[] {
  return worstFirst([
    ...mismatches(issues),
    ...nullRates(issues),
    ...outliers(issues),
    ...ragged(issues),
    ...duplicates(issues),
  ]);
}

/** What differs from the baseline. The service has the words for it. */
export const driftOf = ({ drift = [] }: Report): Finding[] => worstFirst(drift.map(eventFinding));

/** `*` is the batch as a whole. */
export const eventFinding = ({ field, severity, detail, kind }: DriftEvent): Finding => ({
  level: severity,
  field: kind === 'row_count_anomaly' ? null : field,
  text: detail,
});

const mismatches = ({ type_mismatches }: Issues): Finding[] =>
  entriesOf(type_mismatches).map(([field, { expected, found, rate, severity, sample_value }]) => ({
    level: LEVEL_OF[severity],
    field,
    text: `${percent(rate)} of the values are not ${expected}: found ${found.join(', ')}${
      sample_value === undefined ? '' : `, for example ${example(sample_value)}`
    }`,
  }));

const nullRates = ({ null_rates }: Issues): Finding[] =>
  entriesOf(null_rates).map(([field, { actual, threshold, severity }]) => ({
    level: LEVEL_OF[severity],
    field,
    text: `${percent(actual)} of the rows have no value; the line is ${percent(threshold)}`,
  }));

const outliers = ({ outliers: byField }: Issues): Finding[] =>
  entriesOf(byField).map(([field, { count: many, min, max, severity }]) => ({
    level: LEVEL_OF[severity],
    field,
    text: `${plural(many, 'outlier')}${spanned(min, max)}`,
  }));

function spanned(min: number | undefined, max: number | undefined): string {
  if (min === undefined || max === undefined) return ' far from the other values';
  return min === max ? `: ${figure(min)}` : `, from ${figure(min)} to ${figure(max)}`;
}

const ragged = ({ ragged_rows: rows }: Issues): Finding[] =>
  rows === undefined
    ? []
    : [
        {
          level: LEVEL_OF[rows.severity],
          field: null,
          text: `${plural(rows.count, 'row')} (${percent(rows.rate)}) with more or fewer cells than the header, the first on line ${count(rows.first_line)}`,
        },
      ];

const duplicates = ({ duplicate_fields: names = [] }: Issues): Finding[] =>
  names.map(field => ({
    level: 'info',
    field,
    text: 'The name is repeated, or another differs only in case, spaces, _ or -',
  }));
