/** Checks a batch by rules, and says which rows fail each. */
import { Format } from '../../../assembly/abi.ts';
import { parseRules } from '../../../src/rules/declared/parse.ts';
import { PatternCache } from '../../../src/rules/declared/patterns.ts';
import { checkRules } from '../../../src/rules/violations/check.ts';
import type { Violation } from '../../../src/rules/violations/violation.ts';
import { ENGINE, screenBytes } from '../../engine/screen-bytes.ts';

const PATTERNS = new PatternCache();
/** 2026-01-10T00:00:00Z */
export const NOW = Date.UTC(2026, 0, 10);

export function violationsOf(
  rows: readonly object[] | string,
  document: unknown,
  patterns = PATTERNS,
): Violation[] {
  const isCsv = typeof rows === 'string';
  const bytes = new TextEncoder().encode(isCsv ? rows : JSON.stringify({ source: 's', rows }));
  const { profile } = screenBytes(ENGINE, bytes, { format: isCsv ? Format.CSV : Format.JSON });
  const batch = { profile: profile!, checks: ENGINE.ruleChecks, patterns, now: NOW, rowsListed: 10_000 };
  return checkRules(batch, parseRules(document)).violations;
}

/** By rule; null for one that the batch violates as a whole. */
export const rowsOf = (
  rows: readonly object[] | string,
  document: unknown,
): Record<string, number[] | null> =>
  Object.fromEntries(
    violationsOf(rows, document).map(({ constraint, rows: failing }) => [
      constraint.rule,
      failing && [...failing],
    ]),
  );

/** Whether a value keeps the rules of its field. */
export const isKept = (value: unknown, rules: object): boolean =>
  violationsOf([{ a: value }], { fields: { a: rules } }).length === 0;
