/**
 * unusual_statistic: a statistic is unusual for its source. Always listed in `anomalies`; also as the issue or
 * the kind of drift of the contract that fits its statistic.
 */
import { fencesOf } from '../baseline/fences.ts';
import { byName } from '../names/by-name.ts';
import type { Anomaly, DriftEvent, DriftKind, Issues, RowCode } from '../report-schema/report.ts';
import { quoted, shortened } from '../terms/errors.ts';
import { MAX_UNUSUAL, MOST_OF_WARN, PENALTY } from '../terms/policy.ts';
import type { FieldProfile } from '../profile/profile.ts';
import { statisticById } from '../statistics/registry.ts';
import {
  type Family,
  type RowQuery,
  type Statistic,
  type Unit,
  UNIT_NAMES,
} from '../statistics/statistic.ts';
import { example, grouped, percent } from '../terms/wording.ts';
import { fieldOf, type FindingOf, type FoundRows, type Kind, type LocatedRows, rowsIn } from './finding.ts';
import { listNewValues, type NewValues, newValueSides, newValueWords } from './new-enum-value.ts';
import { outlierSummary, type Range } from './outliers.ts';
import type { Find, RowFinder } from './row-finder.ts';
import { inIssuesFromWarn } from './severity.ts';
import { mismatchIssue, type OtherTypes } from './type-mismatch.ts';

export interface UnusualStatisticEvidence {
  /** Id of the statistic. */
  statistic: string;
  direction: 'up' | 'down';
  /** −log10 of the chance of anything as unusual in a clean batch. */
  unusual: number;
  /** Lines of `unusual` for WARN and BLOCK. */
  lines: { warn: number; block: number };
  /** Absent where the statistic is private: then they are among the values. */
  figures?: Figures;
  /** The field's structure has changed, which explains its statistics: they count, and are not listed. */
  isConsequence: boolean;
  /** It was BLOCK, and earlier batches of its run agree with it: it may be a new normal. */
  isProposed?: boolean;
  /** An earlier batch, which was loaded, was similar. */
  wasThere?: boolean;
  /** How many numbers of the batch are far from the source's usual ones. */
  outliers?: number;
  otherTypes?: OtherTypes;
  newValues?: NewValues;
  /** All values are the same, which is unusual. */
  isConstant?: boolean;
  values?: {
    figures?: Figures;
    /** The smallest and the largest outlier. */
    range?: Range;
    /** One value of another type; of a constant the value. */
    example?: unknown;
    /** The first new values. */
    listed?: string[];
  };
}

export interface Figures {
  observed: number;
  usual: number;
  /** Between these it would not have been reported. */
  expected: [low: number, high: number];
  /** Roughly the range of usual batches: narrower than `expected`, because rows are odd before the verdict is WARN. */
  usualRange: [low: number, high: number];
}

export type UnusualStatistic = FindingOf<'unusual_statistic', UnusualStatisticEvidence>;

export const unusualStatistic: Kind<'unusual_statistic', UnusualStatisticEvidence> = {
  name: 'unusual_statistic',
  description: 'A statistic is unusual for its source',
  comparesWithBaseline: true,
  healthGroup: 'anomalies',
  penalty: unusualPenalty,
  words,
  rowCode: null,
  rows({ field, severity, evidence }, finder) {
    if (severity === 'info' || evidence.isConsequence) return null;
    if (field === null) return duplicateRows(evidence, finder);
    const profile = finder.field(field);
    return profile ? rowsOf(profile, evidence, finder) : null;
  },
  thresholdRate: ({ evidence: { otherTypes } }) => (otherTypes ? { type_mismatch: otherTypes.rate } : null),
  batchCode: ({ severity, evidence, rows }) =>
    severity === 'info' || evidence.isConsequence || rows?.explainAll ? null : evidence.statistic,
  listsInfo: false,
  issue,
  drift,
  anomaly,
};

/** 0.2 at the line of WARN and 0.5 at that of BLOCK, as for every other finding; in proportion below and between them, at most MOST_OF_WARN if it is no BLOCK, and towards 1 above. */
function unusualPenalty({ severity, evidence }: UnusualStatistic): number {
  const { unusual, isProposed } = evidence;
  const { warn, block } = evidence.lines;
  if (isProposed) return PENALTY.warn;
  // Ranks the batches that pass by how unusual they are.
  if (unusual <= warn) return PENALTY.warn * Math.min(1, 1 / (1 + Math.max(0, warn - unusual)));
  if (severity === 'block') return 1 - (1 - PENALTY.block) * Math.min(1, block / unusual);
  const between = (unusual - warn) / (block - warn);
  return Math.min(MOST_OF_WARN, PENALTY.warn + (PENALTY.block - PENALTY.warn) * between);
}

/** Where they may be shown. */
export const figuresOf = ({ figures, values }: UnusualStatisticEvidence): Figures | undefined =>
  figures ?? values?.figures;

function rowCountWords({ observed, usual }: Figures): string {
  const [rows, expected] = [Math.round(observed), Math.round(usual)];
  return `Row count ${rows} is far ${observed > usual ? 'above' : 'below'} the usual ${expected}`;
}

function batchWords(statistic: Statistic, figures: Figures | undefined): string {
  if (statistic.unit === 'rows') return figures ? rowCountWords(figures) : 'Unusual row count';
  const what = `Unusual ${statistic.label}`;
  return figures ? `${what}: ${figureWords(statistic, figures)}` : what;
}

/** Rates as their kinds of drift call them. */
const RATES: Partial<Record<Family, string>> = { nulls: 'Null rate in', empties: 'Empty strings in' };

function words({ field, evidence }: UnusualStatistic): string {
  const statistic = statisticById(evidence.statistic)!;
  const figures = figuresOf(evidence);
  if (field === null) return batchWords(statistic, figures);
  const { isConstant, newValues, values } = evidence;
  if (isConstant)
    return `All values of ${quoted(field)} are ${values?.example === undefined ? 'the same' : shownValue(values.example)}`;
  if (newValues && statistic.id === 'new_value_share') return newValueWords(field, newValues, values?.listed);
  const rate = figures && RATES[statistic.family];
  if (rate) {
    const moved = evidence.direction === 'up' ? 'rose' : 'fell';
    return `${rate} ${quoted(field)} ${moved} from ${percent(figures.usual)} to ${percent(figures.observed)}`;
  }
  const what = `Unusual ${statistic.label} ${statistic.unit === 'value' ? 'of' : 'in'} ${quoted(field)}`;
  return figures ? `${what}: ${figureWords(statistic, figures)}` : what;
}

const shownValue = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : shortened(example(value));

function figureWords({ kind, unit }: Statistic, { observed, usual }: Figures): string {
  if (kind === 'distribution') return `${percent(observed)} of it differs from the usual mix`;
  if (kind === 'share') return `${percent(observed)}, usually ${percent(usual)}`;
  const [now, before] = [shownUnit(unit, observed), shownUnit(unit, usual)];
  const said = (value: number) => String(Number(withoutNoise(value).toPrecision(4)));
  const words = `${said(observed / now.divisor)}${now.name}, usually about ${said(usual / before.divisor)}`;
  return now.name === before.name ? words : `${words}${before.name}`;
}

/** A longer time is shown in days. */
const MOST_HOURS = 48;

/** What to divide the values by, and the unit behind the number. */
function shownUnit(unit: Unit, ...values: number[]): { divisor: number; name: string } {
  if (unit === 'hours' && values.some(value => Math.abs(value) > MOST_HOURS))
    return { divisor: 24, name: ' days' };
  const name = UNIT_NAMES[unit];
  return { divisor: 1, name: name ? ` ${name}` : '' };
}

// ---- where the report shows it ----

/** Whether `anomalies` lists it. */
export const isUnusual = ({ severity, evidence }: UnusualStatistic): boolean =>
  severity !== 'info' && !evidence.isConsequence;

function anomaly(finding: UnusualStatistic): Anomaly | null {
  const { severity, evidence } = finding;
  if (!isUnusual(finding)) return null;
  const { unusual } = evidence;
  const figures = figuresOf(evidence);
  return {
    field: fieldOf(finding),
    statistic: evidence.statistic,
    ...(figures && { observed: rounded(figures.observed), expected: roundedRange(figures.expected) }),
    unusual: Math.min(MAX_UNUSUAL, Math.round(unusual * 100) / 100),
    severity,
    detail: `${words(finding)}. ${howUsual(finding)}`,
    ...(finding.rows && isNamed(finding.rows) && rowsIn(finding)),
  };
}

/** What would have passed, and how often a clean batch of this source is as unusual. */
function howUsual({ evidence }: UnusualStatistic): string {
  const { unusual, statistic: id } = evidence;
  const figures = figuresOf(evidence);
  const often = `About one clean batch in ${grouped(10 ** Math.min(MAX_TOLD, unusual))} is as unusual`;
  return figures ? `${passingWords(statisticById(id)!, figures)}. ${often}` : often;
}

/** A longer row of digits says no more. */
const MAX_TOLD = 6;

function passingWords({ kind, unit, onlyRise }: Statistic, { expected: [low, high] }: Figures): string {
  if (kind === 'distribution') return `Up to ${percent(high)} would have passed`;
  if (kind === 'share') return `${percent(low)} to ${percent(high)} would have passed`;
  const { divisor, name } = shownUnit(unit, low, high);
  const said = (value: number) =>
    unit === 'rows' ? grouped(value) : String(rounded(withoutNoise(value / divisor)));
  const range = onlyRise ? `Up to ${said(high)}` : `${said(low)} to ${said(high)}`;
  return `${range}${name} would have passed`;
}

/** Rows that are odd by themselves do not make the statistic unusual, but for outliers. */
const isNamed = ({ code, explainAll, first }: FoundRows): boolean =>
  first.length > 0 && (explainAll || code === 'outlier');

/** A transform there and back leaves less than this of zero. */
const NOISE = 1e-12;

const withoutNoise = (value: number): number => (Math.abs(value) < NOISE ? 0 : value);

const rounded = (value: number): number => Number(value.toPrecision(6));

const roundedRange = ([low, high]: [number, number]): [number, number] => [rounded(low), rounded(high)];

/** The most unusual statistic of a field comes first, and later ones of the same kind add nothing. */
function issue(finding: UnusualStatistic, issues: Issues): void {
  const { field, severity, evidence } = finding;
  if (severity === 'info' || evidence.isConsequence) return;
  const { outliers, otherTypes, newValues } = evidence;
  if (outliers !== undefined) {
    issues.outliers ??= byName([]);
    issues.outliers[field!] ??= outlierSummary(
      outliers,
      evidence.values?.range,
      inIssuesFromWarn(severity),
      finding,
    );
  } else if (otherTypes) {
    issues.type_mismatches ??= byName([]);
    issues.type_mismatches[field!] ??= mismatchIssue(finding, otherTypes, evidence.values);
  } else if (newValues) {
    if (!issues.new_enum_values || !(field! in issues.new_enum_values))
      listNewValues(issues, finding, evidence.values?.listed);
  } else if (statisticById(evidence.statistic)!.unit === 'rows') issues.row_count_anomaly = true;
}

function drift(finding: UnusualStatistic): DriftEvent | null {
  const { field, severity, evidence } = finding;
  if (severity === 'info' || evidence.isConsequence) return null;
  if (evidence.outliers !== undefined || evidence.otherTypes) return null;
  // No kind of drift fits repeated rows.
  if (field === null && statisticById(evidence.statistic)!.unit !== 'rows') return null;
  const event = { field: fieldOf(finding), kind: kindOfDrift(evidence, field), severity };
  const { newValues, values } = evidence;
  if (newValues)
    return {
      ...event,
      detail: newValueWords(field!, newValues, values?.listed),
      ...newValueSides(newValues, values?.listed),
    };
  return { ...event, detail: words(finding), ...sidesOf(evidence) };
}

function kindOfDrift(
  { statistic, direction, newValues }: UnusualStatisticEvidence,
  field: string | null,
): DriftKind {
  if (field === null) return 'row_count_anomaly';
  if (newValues) return 'new_enum_value';
  const { family } = statisticById(statistic)!;
  if (direction === 'up' && family === 'nulls') return 'null_spike';
  if (direction === 'up' && family === 'empties') return 'empty_string_spike';
  return 'cardinality_change';
}

function sidesOf(evidence: UnusualStatisticEvidence) {
  const { statistic, direction } = evidence;
  const { kind, family } = statisticById(statistic)!;
  const figures = figuresOf(evidence);
  const said = (value: number) => (family === 'rows' ? String(Math.round(value)) : percent(value));
  if (figures && (family === 'rows' || kind === 'share'))
    return { previous: said(figures.usual), current: said(figures.observed) };
  return { previous: 'usual', current: direction === 'up' ? 'above' : 'below' };
}

// ---- which rows ----

/**
 * The rows explain the finding if at least half of them would be missing in a usual batch: their share is at least twice
 * the largest usual one. Otherwise only rows are named that are odd by themselves.
 */
function rowsOf(
  field: FieldProfile,
  evidence: UnusualStatisticEvidence,
  finder: RowFinder,
): LocatedRows | null {
  const { direction, statistic, otherTypes } = evidence;
  const { rows, needsManyRows, family } = statisticById(statistic)!;
  const figures = figuresOf(evidence);
  const query = rows(direction);
  if (query === null) return null;
  if (query.query === 'types')
    return otherTypes ? { code: 'type_mismatch', find: finder.mistyped(field, otherTypes.expected) } : null;
  if (query.query === 'outliers') return outlierRows(field, finder, !needsManyRows);
  const explainAll = figures !== undefined && isTwiceTheUsual(direction, figures);
  const find = explainAll ? findBy(query, field, finder) : findOdd(query, field, evidence, finder);
  return find && { code: codeOf(query, family), find, explainAll };
}

function isTwiceTheUsual(
  direction: UnusualStatisticEvidence['direction'],
  { observed, usualRange }: Figures,
): boolean {
  const [low, high] = roundedRange(usualRange);
  return direction === 'up' ? rounded(observed) >= 2 * high : 1 - rounded(observed) >= 2 * (1 - low);
}

/** The only statistic of the batch that rows show. */
function duplicateRows(
  { statistic, direction }: UnusualStatisticEvidence,
  finder: RowFinder,
): LocatedRows | null {
  if (statisticById(statistic)!.rows(direction)?.query !== 'duplicates') return null;
  return { code: 'duplicate_row', find: finder.duplicates(), explainAll: true };
}

function outlierRows(field: FieldProfile, finder: RowFinder, explainAll: boolean): LocatedRows | null {
  const fences = fencesOf(finder.before(field.name));
  const find = fences && finder.outside(field, fences.low, fences.high);
  return find && find(1).length > 0 ? { code: 'outlier', find, explainAll } : null;
}

function findBy(query: RowQuery, field: FieldProfile, finder: RowFinder): Find | null {
  switch (query.query) {
    case 'nulls':
      return finder.nulls(field);
    case 'empty':
      return finder.empties(field);
    case 'new':
      return finder.newValues(field);
    case 'far':
      return finder.far(field);
    case 'repeated':
      return finder.repeated(field);
    case 'like':
      return finder.like(field, query.like, query.has);
    default:
      return null;
  }
}

/** A null or an empty string where there is normally a value, and a new category, are odd however few they are. */
function findOdd(
  query: RowQuery,
  field: FieldProfile,
  { newValues }: UnusualStatisticEvidence,
  finder: RowFinder,
): Find | null {
  if (query.query === 'nulls') return finder.unusualNulls(field);
  if (query.query === 'empty') return finder.unusualEmpties(field);
  return query.query === 'new' && newValues ? finder.newValues(field) : null;
}

const CODES = {
  nulls: 'null',
  empty: 'empty',
  new: 'new_value',
  repeated: 'repeated_value',
  types: 'type_mismatch',
  outliers: 'outlier',
  far: 'outlier',
  duplicates: 'duplicate_row',
} as const satisfies Record<Exclude<RowQuery['query'], 'like'>, RowCode>;

function codeOf({ query }: RowQuery, family: Family): RowCode {
  if (query !== 'like') return CODES[query];
  return family === 'numbers' ? 'unusual_number' : 'unusual_text';
}
