/** What is kept of the rows that a part holds back, so that the end of the batch can say which of their reasons hold. */
import { fieldOf } from '../findings/finding.ts';
import { type Finding, kindOf } from '../findings/kinds.ts';
import { inIssuesFromWarn } from '../findings/severity.ts';
import { reasonKey, wholeBatch } from '../judge/quarantine.ts';
import type { BatchReason, Quarantine, RowReason } from '../report-schema/report.ts';

export interface HeldReasons {
  reasons: RowReason[];
  /** Rows that have exactly these reasons, by their places, such as `0 2`. */
  sets: Record<string, number>;
  /** Rows that were not listed. */
  others: number;
}

export function reasonsOf({ reasons, rows, count }: Quarantine): HeldReasons {
  const sets: Record<string, number> = {};
  for (const [, places] of rows) {
    const key = places.join(' ');
    sets[key] = (sets[key] ?? 0) + 1;
  }
  return { reasons, sets, others: count - rows.length };
}

/** Of all parts: the reasons that hold for the whole batch, with the rows that have one of them. The rows themselves are in the answers to the parts. */
export function wholeQuarantine(findings: readonly Finding[], parts: readonly HeldReasons[]): Quarantine {
  const holding = new Set(
    findings.flatMap(({ rows, field }) => (rows ? [reasonKey(rows.code, field, rows.rule)] : [])),
  );
  const reasons = new Map<string, RowReason>();
  let count = 0;
  for (const { reasons: ofPart, sets, others } of parts) {
    const areHolding = ofPart.map(({ code, field, rule }) => holding.has(reasonKey(code, field, rule)));
    for (const [i, reason] of ofPart.entries()) {
      if (!areHolding[i]) continue;
      const key = reasonKey(reason.code, reason.field, reason.rule);
      const before = reasons.get(key);
      reasons.set(key, { ...reason, count: reason.count + (before?.count ?? 0) });
    }
    for (const [places, rows] of Object.entries(sets))
      if (places.split(' ').some(place => areHolding[Number(place)])) count += rows;
    if (areHolding.includes(true)) count += others;
  }
  const all = [...reasons.values()];
  const unnamed = findings.flatMap(finding =>
    (parts.length > 1 && repeatsRows(finding)) || !isNamed(finding, reasons) ? unnamedRows(finding) : [],
  );
  const whole = wholeBatch(findings, all).filter(each => !unnamed.some(other => isSame(each, other)));
  return { count, reasons: all, rows: [], whole_batch: [...unnamed, ...whole] };
}

const isSame = (a: BatchReason, b: BatchReason): boolean =>
  a.code === b.code && a.field === b.field && a.rule === b.rule;

const isNamed = ({ rows, field }: Finding, reasons: ReadonlyMap<string, RowReason>): boolean =>
  rows !== undefined && reasons.has(reasonKey(rows.code, field, rows.rule));

/** A part names rows that repeat others of its own only. */
const repeatsRows = ({ kind, evidence, rows }: Finding): boolean =>
  rows?.code === 'duplicate_row' ||
  rows?.code === 'repeated_value' ||
  (kind === 'rule_violation' && evidence.check === 'unique');

/** The finding has rows to hold back that no part has named: alone, a part may be as it should be. */
function unnamedRows(finding: Finding): BatchReason[] {
  const { rows } = finding;
  if (rows === undefined || kindOf(finding).isHeld?.(finding) === false) return [];
  const { code, rule } = rows;
  const severity = inIssuesFromWarn(finding.severity);
  return [{ code, field: fieldOf(finding), ...(rule !== undefined && { rule }), severity }];
}
