/** What a job keeps of each field, as `profile/describe.ts` makes it and `report/redact-profile.ts` cuts it. */
import { type TSchema, Type } from '@sinclair/typebox';
import { HISTOGRAM_BINS } from '../../assembly/abi.ts';
import { DATE_UNITS } from '../profile/describe-dates.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import { SEMANTIC_TYPES } from '../semantics/semantic-type.ts';
import { PROFILE_STATISTICS } from '../statistics/registry.ts';
import { byName, count, orNull, share, text, word } from './values.ts';

/** Left out where no value of the rows is kept. */
const number = (description: string) => Type.Optional(Type.Number({ description }));

const Histogram = Type.Object(
  {
    low: Type.Number({ description: 'The smallest number' }),
    high: Type.Number({ description: 'The largest number' }),
    counts: Type.Array(count('Numbers in the interval'), {
      minItems: HISTOGRAM_BINS,
      maxItems: HISTOGRAM_BINS,
      description: 'Of equal intervals, each with its lower bound, the last one with its upper too',
    }),
  },
  { $id: 'Histogram' },
);

const Numbers = Type.Object(
  {
    count: count('Finite numbers that were measured'),
    min: number('The smallest'),
    max: number('The largest'),
    mean: number('Their mean'),
    standard_deviation: Type.Optional(
      orNull(Type.Number({ minimum: 0, description: 'Divided by the count; null beyond a double' })),
    ),
    quantiles: Type.Optional(byName(Type.Number(), 'By probability (type 7)')),
    histogram: Type.Optional(Histogram),
  },
  { $id: 'Numbers', description: 'Where no values are kept (`STORE_VALUES=false`), only the count' },
);

const TopValue = Type.Object(
  { value: text('Cut at 64 characters'), count: count('How often it occurs') },
  { $id: 'TopValue' },
);

const moment = (description: string) =>
  Type.Optional(
    Type.String({ format: 'date-time', description: `${description}, in UTC where no zone is written` }),
  );

const Dates = Type.Object(
  {
    format: Type.String({
      description: 'How most of them are written, such as `YYYY-MM-DD` or `epoch seconds`',
    }),
    formats: count('How many notations there are; above 1 the field mixes them'),
    share: share('Share of the inspected texts, or of the numbers, that are dates: at least 0.5'),
    earliest: moment('The earliest'),
    latest: moment('The latest'),
    resolution: Type.Optional(word(DATE_UNITS, 'The longest unit that all are multiples of')),
  },
  {
    $id: 'Dates',
    description:
      'Where no values are kept (`STORE_VALUES=false`), or the order of day and month is not known, without `earliest` and `latest`',
  },
);

const SemanticType = Type.Object(
  {
    type: word(SEMANTIC_TYPES, 'What the values are'),
    share: share('About their share of the values that are not empty, by some of them: at least 0.8'),
  },
  {
    $id: 'SemanticType',
    description: 'Of fields that are likely to be personal data, told by pattern and check digits',
  },
);

/** Nothing while no statistic of the registry has an `inProfile`. */
const statistics: Record<string, TSchema> =
  PROFILE_STATISTICS.length === 0
    ? {}
    : {
        statistics: Type.Optional(
          Type.Object(
            Object.fromEntries(
              PROFILE_STATISTICS.map(({ id, inProfile }) => [
                id,
                Type.Optional(Type.Number({ description: inProfile! })),
              ]),
            ),
            { description: 'Those that the field has' },
          ),
        ),
      };

const FieldProfile = Type.Object(
  {
    physical_type: Type.Optional(
      text(
        'The type that an Arrow or Parquet body declares, as pyarrow writes it: `int64`, `timestamp[us, tz=UTC]`',
      ),
    ),
    present: count('Rows that have the field, nulls included'),
    nulls: count('Rows without a value'),
    null_rate: share('Their share of the rows'),
    empties: count('Empty strings'),
    types: Type.Object(Object.fromEntries(VALUE_TYPES.map(type => [type, count(`Values of type ${type}`)]))),
    // Not as properties: `true` is no name in Java, and its generator does not escape it.
    booleans: Type.Optional(
      byName(count('How often it occurs'), 'By value, `true` and `false`, where there are any'),
    ),
    values: count('Non-null values that were measured'),
    distinct: count('How many of them differ'),
    numbers: Type.Optional(Numbers),
    dates: Type.Optional(Dates),
    semantic_type: Type.Optional(SemanticType),
    ...statistics,
    top_values: Type.Optional(
      Type.Array(TopValue, {
        maxItems: 10,
        description: 'The most frequent strings, where few differ and some repeat',
      }),
    ),
  },
  { $id: 'FieldProfile' },
);

export const Profile = Type.Object(
  {
    fields: byName(FieldProfile, 'By name of the field'),
    left_out: Type.Optional(
      count(
        'Fields that are missing, so that the job has at most 2,048 KiB; fields with findings stay first. Absent where none is missing',
      ),
    ),
  },
  { $id: 'Profile' },
);
