/** What is kept of a profile where values of the payload must not be: `STORE_VALUES=false`. */
import { byName } from '../names/by-name.ts';
import type { FieldDescription, ProfileDescription } from '../profile/describe.ts';
import type { DatesDescription } from '../profile/describe-dates.ts';
import { statisticById } from '../statistics/registry.ts';

/** What may be stored: counts, rates and types. Any other member of a description is left out. */
export type RedactedField = Pick<
  FieldDescription,
  | 'present'
  | 'nulls'
  | 'null_rate'
  | 'empties'
  | 'types'
  | 'values'
  | 'distinct'
  | 'semantic_type'
  | 'statistics'
> & { numbers?: { count: number }; dates?: Omit<DatesDescription, 'earliest' | 'latest'> };

/** Numbers that can be values go, the mean too: of one number it is that number. */
export const redactProfile = ({ fields }: ProfileDescription): { fields: Record<string, RedactedField> } => ({
  fields: byName(Object.entries(fields).map(([name, field]) => [name, redactField(field)] as const)),
});

function redactField(field: FieldDescription): RedactedField {
  const { present, nulls, null_rate, empties, types, values, distinct, numbers, statistics, dates } = field;
  const { semantic_type: semantics } = field;
  return {
    present,
    nulls,
    null_rate,
    empties,
    types,
    values,
    distinct,
    ...(numbers && { numbers: { count: numbers.count } }),
    ...(dates && { dates: withoutTimes(dates) }),
    ...(semantics && { semantic_type: semantics }),
    ...(statistics && { statistics: publicOf(statistics) }),
  };
}

const withoutTimes = ({ earliest: _, latest: __, ...dates }: DatesDescription) => dates;

const publicOf = (statistics: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(statistics).filter(([id]) => statisticById(id)?.isPrivate === false));
