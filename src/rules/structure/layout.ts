/** layout: signs that the text was not cut into the table that it is. They need no past, and hold in both modes. */
import { ROWS_LISTED } from '../../terms/policy.ts';
import type { BatchRule } from '../rule.ts';

export const layoutRule: BatchRule = ({ profile }) =>
  profile.signs.map(({ sign, count, lines, rows }) => ({
    kind: 'layout',
    field: null,
    severity: 'warn',
    scope: 'batch',
    evidence: { sign, count, lines: lines.slice(0, ROWS_LISTED), rowIndexes: rows },
  }));
