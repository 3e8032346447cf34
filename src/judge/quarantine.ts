/** The verdict on every row: which to hold back, and why. */
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { BatchReason, Quarantine, RowCode, RowReason, Severity } from '../report-schema/report.ts';
import type { RowList } from '../engine/queries.ts';
import { fieldOf, type FoundRows, WHOLE_BATCH } from '../findings/finding.ts';
import { type Finding, isAnomaly, kindOf, shownSeverity } from '../findings/kinds.ts';
import type { Find, RowFinder } from '../findings/row-finder.ts';
import { gravest, inIssues, inIssuesFromWarn, rankOf } from '../findings/severity.ts';
import { ANOMALIES_LISTED, ROW_REASONS } from '../terms/policy.ts';

type FindingWithRows = Finding & { rows: FoundRows };

/** `finds`: how to find all rows of the findings that have some. */
export function quarantineOf(
  findings: readonly Finding[],
  finds: ReadonlyMap<Finding, Find>,
  rowCount: number,
  finder: RowFinder,
): Quarantine {
  const held = new HeldRows(rowCount);
  const reasons: RowReason[] = [];
  const groups = groupsOf(findings);
  for (const { group, severity } of gravestFirst(groups, severitiesOf(findings))) {
    const rows = rowsOf(group, finds, rowCount);
    if (rows.length === 0) continue;
    held.add(rows, reasons.length);
    const [first] = group;
    const { code, rule } = first!.rows;
    const reason = { code, field: fieldOf(first!), ...(rule !== undefined && { rule }) };
    reasons.push({ ...reason, severity: inIssues(severity), count: rows.length });
  }
  const rows = held.list(finder);
  return { count: rows.length, reasons, rows, whole_batch: wholeBatch(findings, reasons) };
}

/** Findings that hold rows of one field back for one reason. */
function groupsOf(findings: readonly Finding[]): FindingWithRows[][] {
  const groups = new Map<string, FindingWithRows[]>();
  for (const finding of findings) {
    if (finding.rows === undefined || kindOf(finding).isHeld?.(finding) === false) continue;
    const key = reasonKey(finding.rows.code, finding.field, finding.rows.rule);
    const group = groups.get(key);
    if (group) group.push(finding as FindingWithRows);
    else groups.set(key, [finding as FindingWithRows]);
  }
  return [...groups.values()];
}

/** Codes have no spaces, whatever a field is called. Each declared rule is a reason of its own. */
export const reasonKey = (code: string, field: string | null, rule?: string): string =>
  `${code} ${rule ?? field ?? WHOLE_BATCH}`;

const ruleOf = (finding: Finding): string | undefined => kindOf(finding).rule?.(finding);

/** How grave rows of a field are for a reason: as the gravest finding that is about such rows, whether or not it names them. */
function severitiesOf(findings: readonly Finding[]): Map<string, Severity> {
  const severities = new Map<string, Severity>();
  for (const finding of findings) {
    const code = finding.rows?.code ?? kindOf(finding).rowCode;
    if (code === null) continue;
    const key = reasonKey(code, finding.field, ruleOf(finding));
    severities.set(key, gravest([severities.get(key) ?? 'info', shownSeverity(finding)]));
  }
  return severities;
}

function gravestFirst(groups: readonly FindingWithRows[][], severities: ReadonlyMap<string, Severity>) {
  const graded = groups.map(group => {
    const { rows, field } = group[0]!;
    return { group, severity: severities.get(reasonKey(rows.code, field, rows.rule))! };
  });
  return graded.toSorted(
    (a, b) => rankOf(b.severity) - rankOf(a.severity) || placeOf(a.group) - placeOf(b.group),
  );
}

/** Among reasons of one severity: a broken rule or a wrong cell, a wrong row, a new value, what is far off, what is unusual. */
const PLACES: Record<RowCode, number> = {
  rule_violation: 0,
  type_mismatch: 0,
  null: 0,
  empty: 0,
  ragged: 1,
  layout: 1,
  damaged_value: 1,
  duplicate_row: 1,
  new_value: 2,
  outlier: 3,
  repeated_value: 4,
  unusual_number: 4,
  unusual_text: 4,
};

const placeOf = ([first]: readonly FindingWithRows[]): number => {
  const isNoIssue =
    first!.kind === 'unusual_statistic' && first!.rows.code === 'new_value' && !first!.evidence.newValues;
  return isNoIssue ? PLACES.unusual_text : PLACES[first!.rows.code];
};

/** How grave the finding's rows are, which the report may grade apart from the verdict. */

/** Rows of any of the findings, ascending. */
function rowsOf(
  group: readonly FindingWithRows[],
  finds: ReadonlyMap<Finding, Find>,
  rowCount: number,
): RowList {
  const found = group.map(finding => finds.get(finding)!(MAX_ROWS));
  if (found.length === 1) return found[0]!;
  const isIn = new Uint8Array(rowCount);
  for (const rows of found) for (const row of rows) isIn[row] = 1;
  return indexesOf(isIn);
}

/** Where it is not 0. */
function indexesOf(flags: Uint8Array): Uint16Array {
  const indexes = new Uint16Array(flags.length);
  let count = 0;
  for (let i = 0; i < flags.length; i++) if (flags[i] !== 0) indexes[count++] = i;
  return indexes.subarray(0, count);
}

/** Each row with the places of its first reasons. */
class HeldRows {
  readonly #counts: Uint8Array;
  readonly #places: Uint16Array;

  constructor(rowCount: number) {
    this.#counts = new Uint8Array(rowCount);
    this.#places = new Uint16Array(rowCount * ROW_REASONS);
  }

  /** By index: an iterator over the millions that there may be takes several times as long. */
  add(rows: RowList, place: number): void {
    const [counts, places] = [this.#counts, this.#places];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const count = counts[row]!;
      if (count === ROW_REASONS) continue;
      places[row * ROW_REASONS + count] = place;
      counts[row] = count + 1;
    }
  }

  list(finder: RowFinder): Quarantine['rows'] {
    const held = indexesOf(this.#counts);
    return finder.numbers(held).map((number, i) => {
      const start = held[i]! * ROW_REASONS;
      return [number, Array.from(this.#places.subarray(start, start + this.#counts[held[i]!]!))];
    });
  }
}

/** Findings that stay whichever rows are held back. */
export function wholeBatch(findings: readonly Finding[], reasons: readonly RowReason[]): BatchReason[] {
  const named = new Set(reasons.map(({ code, field, rule }) => reasonKey(code, field, rule)));
  const stays = ({ rowCode }: { rowCode: string | null }, finding: Finding): boolean =>
    rowCode === null || !named.has(reasonKey(rowCode, finding.field, ruleOf(finding)));
  const isRate = ({ kind }: Finding): boolean => kind === 'null_rate';
  const ratesFirst = [...findings.filter(isRate), ...findings.filter(finding => !isRate(finding))];
  let anomalies = 0;
  const found: BatchReason[] = [];
  for (const finding of ratesFirst) {
    const kind = kindOf(finding);
    if (isAnomaly(finding) && ++anomalies > ANOMALIES_LISTED) continue;
    const code = stays(kind, finding) ? kind.batchCode(finding) : null;
    if (code === null) continue;
    const rule = ruleOf(finding);
    const reason = { code, field: fieldOf(finding), ...(rule !== undefined && { rule }) };
    found.push({ ...reason, severity: inIssuesFromWarn(finding.severity) });
  }
  if (anomalies > ANOMALIES_LISTED)
    found.push({ code: 'anomalies', field: WHOLE_BATCH, severity: 'warning' });
  return found;
}
