/** What is kept of a profile where values of the payload must not be: `STORE_VALUES=false`. */
import { byName } from '../by-name.ts';
import type { FieldDescription, ProfileDescription } from '../profile/describe.ts';
import { statisticById } from '../statistics/registry.ts';

export interface RedactedProfile {
  fields: Record<string, RedactedField>;
}

export interface RedactedField extends Omit<FieldDescription, 'booleans' | 'numbers' | 'top_values'> {
  numbers?: { count: number };
}

/** Types, counts and rates stay. Every number that can be a value goes, the mean too: of one number it is that number. */
export const redactProfile = ({ fields }: ProfileDescription): RedactedProfile => ({
  fields: byName(Object.entries(fields).map(([name, field]) => [name, redactField(field)] as const)),
});

function redactField(field: FieldDescription): RedactedField {
  const { booleans: _, top_values: __, numbers, statistics, ...kept } = field;
  return {
    ...kept,
    ...(numbers && { numbers: { count: numbers.count } }),
    ...(statistics && { statistics: publicOf(statistics) }),
  };
}

const publicOf = (statistics: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(statistics).filter(([id]) => statisticById(id)?.isPrivate === false));
