/** null_rate: the share of rows without a value is above a threshold of the contract. */
import { share, severityAt } from '../../findings/rates.ts';
import { NEVER_NULL_ROWS } from '../../terms/policy.ts';
import type { FieldRule } from '../rule.ts';
import { nullLimits } from './limits.ts';
import { scopeOf } from './scope.ts';

export const nullRateRule: FieldRule = ({ name, now, before }, facts) => {
  if (!now || now.nulls === 0) return null;
  const { rows } = facts.profile;
  const rate = share(now.nulls, rows);
  const limits = nullLimits(facts.options, rows);
  const severity = severityAt(rate, limits);
  const wasNeverNull = before?.nullRate === 0 && facts.baseline!.rows >= NEVER_NULL_ROWS;
  return {
    kind: 'null_rate',
    field: name,
    severity,
    scope: scopeOf(severity, facts, rows),
    evidence: { rate, limits, wasNeverNull },
  };
};
