/** Fields that are one field to a careless reader. */
import type { Profile } from '../profile/profile.ts';

/**
 * Names repeated within a row or header, then all spellings of names that differ only in case, spaces, `_` or `-`.
 * Each name once, in order of first sight.
 */
export function duplicateFields(profile: Profile): string[] {
  const spellings = Map.groupBy(
    profile.fields.map(field => field.name),
    withoutSpelling,
  );
  const alike = [...spellings.values()].filter(names => names.length > 1);
  return [...new Set([...profile.repeatedNames, ...alike.flat()])];
}

/** Upper case after lower case, so that ß, ẞ and SS, σ and ς meet. */
const withoutSpelling = (name: string): string =>
  name
    .replace(/[\s_-]/g, '')
    .toLowerCase()
    .toUpperCase();
