/** unchecked_rules: declared rules that check nothing, because no row has a field that they name. */
import { type Baseline, isMissed } from '../../baseline/baseline.ts';
import { listed } from '../declared/missing-fields.ts';
import type { BatchRule } from '../rule.ts';

export const uncheckedRulesRule: BatchRule = ({ missing = [], baseline, profile }) =>
  missing.map(field => ({
    kind: 'unchecked_rules',
    field: field.field,
    severity: isUsual(field.field, baseline, profile.rows) ? 'info' : 'warn',
    scope: 'field',
    evidence: listed(field),
  }));

/** Whether most rows of earlier batches lacked it, or so few rows as these may lack it by chance. */
function isUsual(field: string, baseline: Baseline | null, rows: number): boolean {
  if (baseline === null || baseline.provisional) return false;
  const { presence = 0 } = baseline.fields.get(field) ?? {};
  return presence < 0.5 || !isMissed(presence, rows);
}
