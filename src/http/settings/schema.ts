/** Requests and answers of /v1/schema/{source}/settings and /pin. */
import { type TSchema, Type } from '@sinclair/typebox';
import {
  checkedBy,
  count,
  dateTime,
  flag,
  orNull,
  PLAIN_NOT_BLANK,
  SOURCE,
  share,
  text,
  word,
} from '../../report-schema/values.ts';
import { ASKED_MODES, type SignsGiven } from '../../options/options.ts';
import { isSettleAfter, MAX_OWNER_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS } from '../../options/settings.ts';
import { FIELD_SIGN_NAMES } from '../../signs/sign.ts';
import { isPlainName, NOT_PLAIN } from '../../names/plain-name.ts';
import {
  MAX_FALSE_ALARM_RATE,
  MAX_SETTLE_AFTER,
  MIN_FALSE_ALARM_RATE,
  MIN_SETTLE_AFTER,
  SETTLE_AFTER,
  THRESHOLDS,
  WINDOW_MS,
  WINDOW_ROWS,
} from '../../terms/policy.ts';

const NAMES = Object.keys(THRESHOLDS);
const someThresholds = orNull(
  Type.Object(
    Object.fromEntries(NAMES.map(name => [name, Type.Optional(orNull(share('Like the option of a batch')))])),
    {
      // The handler refuses other names, and says which there are.
      unevaluatedProperties: false,
      description: 'Thresholds that are set, by name; null or absent: the default of the server',
    },
  ),
);
const budget = {
  minimum: MIN_FALSE_ALARM_RATE,
  maximum: MAX_FALSE_ALARM_RATE,
  description: 'Share of clean batches that may be WARN',
};
const mode = {
  ...orNull(word(ASKED_MODES, 'Mode of the source; null or absent: the default of the server')),
  enum: [...ASKED_MODES, null],
};
const rate = orNull(Type.Number(budget));

const settling = {
  anyOf: [
    { type: 'integer', minimum: MIN_SETTLE_AFTER, maximum: MAX_SETTLE_AFTER },
    { type: 'string', enum: ['never'] },
  ],
  description:
    'Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK',
};
const settleAfter = checkedBy<number | 'never' | null>(
  isSettleAfter,
  `a whole number from ${MIN_SETTLE_AFTER} to ${MAX_SETTLE_AFTER}, or 'never'`,
  { ...settling, anyOf: [...settling.anyOf, { type: 'null' }] },
);

const signs = checkedBy<SignsGiven | null>(
  value => value === null || typeof value === 'boolean' || Array.isArray(value),
  'true, false or a list of signs',
  {
    anyOf: [
      { type: 'boolean' },
      { type: 'array', items: { type: 'string', enum: FIELD_SIGN_NAMES } },
      { type: 'null' },
    ],
    description:
      'Signs of damaged values and names that are looked for, as `options.signs` of a batch; null or absent: all',
  },
);
const window = orNull(
  Type.Object(
    {
      rows: Type.Integer({
        minimum: WINDOW_ROWS.least,
        maximum: WINDOW_ROWS.most,
        description: 'It ends with so many rows',
      }),
      ms: Type.Integer({
        minimum: WINDOW_MS.least,
        maximum: WINDOW_MS.most,
        description: 'It ends so long after its first post',
      }),
    },
    {
      description:
        'For a source that gets many small posts: each is judged alone, and together they are one batch, which is judged by the past when the window ends. A change ends the open window',
    },
  ),
);

const name = (maxLength: number, description?: string) =>
  checkedBy<string>(
    value => isPlainName(value, maxLength),
    `one line of 1 to ${maxLength} characters, without ${NOT_PLAIN}`,
    {
      type: 'string',
      minLength: 1,
      maxLength,
      pattern: PLAIN_NOT_BLANK,
      ...(description && { description }),
    },
  );
const owner = orNull(name(MAX_OWNER_CHARACTERS, 'Who answers for the source: a person or a team'));
const tags = orNull(
  Type.Array(name(MAX_TAG_CHARACTERS), { maxItems: MAX_TAGS, description: 'Words to find the source by' }),
);
const kept = <Schema extends TSchema>(schema: Schema): Schema => ({
  ...schema,
  description: `${schema.description}; absent: it stays; null: it is removed`,
});

export const SettingsRequest = Type.Object(
  {
    mode: Type.Optional(mode),
    thresholds: Type.Optional(someThresholds),
    false_alarm_rate: Type.Optional(rate),
    settle_after: Type.Optional(settleAfter),
    signs: Type.Optional(signs),
    window: Type.Optional(kept(window)),
    owner: Type.Optional(kept(owner)),
    tags: Type.Optional(kept(tags)),
  },
  {
    $id: 'SettingsRequest',
    description: 'All settings: null or absent ones are removed, but for window, owner and tags',
  },
);

export const SourceSettings = Type.Object(
  {
    source: SOURCE,
    mode,
    thresholds: someThresholds,
    false_alarm_rate: rate,
    settle_after: settleAfter,
    signs,
    window,
    owner,
    tags,
    version: count('Grows with each change, and when all settings are removed; 0: the source never had any'),
    updated_at: Type.Optional(
      dateTime('When they were changed last; absent without settings, and for those of older releases'),
    ),
    updated_by: Type.Optional(
      orNull(text('Id of the API key that changed them; null: a person who was signed in')),
    ),
    effective: Type.Object(
      {
        mode: word(ASKED_MODES, 'The mode'),
        thresholds: Type.Object(Object.fromEntries(NAMES.map(name => [name, share('The threshold')]))),
        false_alarm_rate: Type.Number(budget),
        settle_after: Type.Unsafe<number | 'never'>(settling),
        signs: Type.Array(word(FIELD_SIGN_NAMES, 'A sign')),
      },
      { description: 'Settings of a batch without options' },
    ),
  },
  { $id: 'Settings' },
);

export const EXAMPLE = {
  source: 'orders',
  mode: 'adaptive',
  thresholds: { null_rate_warn: 0.8 },
  false_alarm_rate: null,
  settle_after: null,
  signs: null,
  window: null,
  owner: 'team-checkout',
  tags: ['billing'],
  version: 2,
  updated_at: '2026-11-21T12:12:45.455Z',
  updated_by: null,
  effective: {
    mode: 'adaptive',
    thresholds: { ...THRESHOLDS, null_rate_warn: 0.8, null_rate_block: 0.8 },
    false_alarm_rate: 0.01,
    settle_after: SETTLE_AFTER,
    signs: FIELD_SIGN_NAMES,
  },
};

export const PinRequest = Type.Object({ pinned: flag('Whether to stop learning') }, { $id: 'PinRequest' });

export const Pinned = Type.Object(
  {
    ok: flag('true'),
    source: SOURCE,
    pinned: flag('Whether the baseline stopped learning'),
    message: text('What happened, for people'),
  },
  { $id: 'Pinned' },
);
