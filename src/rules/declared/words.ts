/** The words that rules choose from. Apart from the schema, whose library the command line does not need. */
import { STATISTICS } from '../../statistics/registry.ts';

export const SEVERITIES = ['warn', 'block'] as const;
export const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
export const FORMATS = [
  'date',
  'time',
  'date-time',
  'email',
  'uri',
  'uuid',
  'ipv4',
  'ipv6',
  'country',
  'currency',
] as const;
export const DIRECTIONS = ['increasing', 'decreasing'] as const;
export const OPERATORS = ['==', '!=', '<', '<=', '>', '>='] as const;

/** They compare with earlier batches. */
const NEED_A_PAST: ReadonlySet<string> = new Set(['new_value_share', 'far_number_share']);

/** Of a field: shares, levels, and some that are for rules alone. Distributions are no numbers. */
export const STATISTIC_NAMES: readonly string[] = [
  ...STATISTICS.filter(
    ({ id, kind, family }) =>
      kind !== 'distribution' && family !== 'neighbours' && family !== 'rows' && !NEED_A_PAST.has(id),
  ).map(({ id }) => id),
  'sum',
  'min',
  'max',
  'distinct_count',
];
