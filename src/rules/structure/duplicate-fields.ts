/** duplicate_fields: names that are one field to a careless reader. */
import type { Profile } from '../../profile/profile.ts';
import { withoutSpelling } from '../../names/nearest.ts';
import type { BatchRule } from '../rule.ts';

export const duplicateFieldsRule: BatchRule = ({ profile }) => {
  const names = duplicateFields(profile);
  if (names.length === 0) return [];
  return [
    {
      kind: 'duplicate_fields',
      field: null,
      severity: 'info',
      scope: 'batch',
      evidence: { names },
    },
  ];
};

/**
 * Names repeated within a row or header, then all spellings of names that differ only in case, spaces, `_` or `-`.
 * Each name once, in order of first sight.
 */
function duplicateFields(profile: Profile): string[] {
  const spellings = Map.groupBy(
    profile.fields.map(field => field.name),
    withoutSpelling,
  );
  const alike = [...spellings.values()].filter(names => names.length > 1);
  return [...new Set([...profile.repeatedNames, ...alike.flat()])];
}
