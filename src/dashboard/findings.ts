/** A report's issues and drift as sentences, worst first. */
import { type DriftEvent, entriesOf, type IssueSeverity, type Issues, type Report } from './contract.ts';
import { example, figure, grouped, percent, plural } from '../wording.ts';

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
export function issuesOf({ issues = {}, stats }: Report): Finding[] {
  const at: Places = rows => placesOf(rows ?? [], stats?.row_numbers);
  return worstFirst([
    ...mismatches(issues, at),
    ...nullRates(issues, at),
    ...outliers(issues, at),
    ...ragged(issues, at),
    ...duplicates(issues),
  ]);
}

/** Where rows are, as the end of a sentence. */
type Places = (rows: number[] | undefined) => string;

const ROWS_SHOWN = 5;

function placesOf(rows: readonly number[], numbering: Report['stats']['row_numbers']): string {
  if (rows.length === 0) return '';
  const what = `${numbering === 'line' ? 'line' : 'row'}${rows.length === 1 ? '' : 's'}`;
  const more = rows.length > ROWS_SHOWN ? ' …' : '';
  const from = numbering === 'line' ? '' : ' (from 0)';
  return ` – ${what} ${rows.slice(0, ROWS_SHOWN).map(grouped).join(', ')}${more}${from}`;
}

/** What differs from the baseline. The service has the words for it. */
export const driftOf = ({ drift = [] }: Report): Finding[] => worstFirst(drift.map(eventFinding));

/** What is unlike the source's past, but for what drift tells already. */
export const unusualOf = ({ anomalies = [], drift = [], stats }: Report): Finding[] =>
  anomalies
    .filter(({ detail }) => !drift.some(event => event.detail === detail))
    .map(({ field, severity, detail, rows }) => ({
      level: severity,
      field: field === '*' ? null : field,
      text: `${detail}${placesOf(rows ?? [], stats?.row_numbers)}`,
    }));

/** How much past an adaptive verdict rests on; null in contract mode. */
export function pastOf({ gate }: Report): string | null {
  if (!gate) return null;
  const past = `Judged by ${plural(gate.history, 'batch', 'batches')} of its past`;
  return gate.learning ? `${past}: still learning, types and presence alone are judged` : past;
}

/** `*` is the batch as a whole. */
export const eventFinding = ({ field, severity, detail, kind }: DriftEvent): Finding => ({
  level: severity,
  field: kind === 'row_count_anomaly' ? null : field,
  text: detail,
});

const mismatches = ({ type_mismatches }: Issues, at: Places): Finding[] =>
  entriesOf(type_mismatches).map(([field, { expected, found, rate, severity, sample_value, rows }]) => ({
    level: LEVEL_OF[severity],
    field,
    text: `${percent(rate)} of the values are not ${expected}: found ${found.join(', ')}${
      sample_value === undefined ? '' : `, for example ${example(sample_value)}`
    }${at(rows)}`,
  }));

const nullRates = ({ null_rates }: Issues, at: Places): Finding[] =>
  entriesOf(null_rates).map(([field, { actual, threshold, severity, rows }]) => ({
    level: LEVEL_OF[severity],
    field,
    text: `${percent(actual)} of the rows have no value; the line is ${percent(threshold)}${at(rows)}`,
  }));

const outliers = ({ outliers: byField }: Issues, at: Places): Finding[] =>
  entriesOf(byField).map(([field, { count: many, min, max, severity, rows }]) => ({
    level: LEVEL_OF[severity],
    field,
    text: `${plural(many, 'outlier')}${spanned(min, max)}${at(rows)}`,
  }));

function spanned(min: number | undefined, max: number | undefined): string {
  if (min === undefined || max === undefined) return ' far from the other values';
  return min === max ? `: ${figure(min)}` : `, from ${figure(min)} to ${figure(max)}`;
}

const ragged = ({ ragged_rows: rows }: Issues, at: Places): Finding[] =>
  rows === undefined
    ? []
    : [
        {
          level: LEVEL_OF[rows.severity],
          field: null,
          text: `${plural(rows.count, 'row')} (${percent(rows.rate)}) with more or fewer cells than the header${at(rows.rows) || `, the first on line ${grouped(rows.first_line)}`}`,
        },
      ];

const duplicates = ({ duplicate_fields: names = [] }: Issues): Finding[] =>
  names.map(field => ({
    level: 'info',
    field,
    text: 'The name is repeated, or another differs only in case, spaces, _ or -',
  }));
