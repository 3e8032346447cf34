/** ragged_rows: CSV records whose cell count is not the header's, by the thresholds of type mismatches. */
import { share, severityAt } from '../../findings/rates.ts';
import type { BatchRule } from '../rule.ts';
import { raggedLimits } from './limits.ts';
import { scopeOf } from './scope.ts';

export const raggedRowsRule: BatchRule = facts => {
  const { count, firstLine, firstCells } = facts.profile.ragged;
  if (count === 0) return [];
  const { rows } = facts.profile;
  const rate = share(count, rows);
  const limits = raggedLimits(facts.options);
  const severity = severityAt(rate, limits);
  return [
    {
      kind: 'ragged_rows',
      field: null,
      severity,
      scope: scopeOf(severity, facts, rows),
      evidence: {
        ...{ count, rate, firstLine, endsEarly: facts.profile.endsEarly, limits },
        ...(firstCells !== undefined && {
          cells: { first: firstCells, header: facts.profile.fields.length },
        }),
      },
    },
  ];
};
