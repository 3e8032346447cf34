/** API description of /v1/schema/{source}/settings and /pin. */
import { type TSchema, Type } from '@sinclair/typebox';
import { MODES } from '../../options/options.ts';
import { MAX_OWNER_CHARACTERS, MAX_TAG_CHARACTERS, MAX_TAGS } from '../../options/settings.ts';
import {
  MAX_FALSE_ALARM_RATE,
  MAX_SETTLE_AFTER,
  MIN_FALSE_ALARM_RATE,
  MIN_SETTLE_AFTER,
  SETTLE_AFTER,
  THRESHOLDS,
} from '../../policy.ts';
import { answer, json, operation } from './operation.ts';
import { ifVersion, SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, NO_ROOM, refusals } from './refusals.ts';
import {
  count,
  dateTime,
  flag,
  orNull,
  PLAIN_NOT_BLANK,
  SOURCE,
  share,
  text,
  word,
} from '../../contract/values.ts';

const NAMES = Object.keys(THRESHOLDS);
const someThresholds = Type.Unsafe<object>({
  type: ['object', 'null'],
  properties: Object.fromEntries(NAMES.map(name => [name, orNull(share('Like the option of a batch'))])),
  unevaluatedProperties: false,
  description: 'Thresholds that are set, by name; null or absent: the default of the server',
});
const budget = {
  minimum: MIN_FALSE_ALARM_RATE,
  maximum: MAX_FALSE_ALARM_RATE,
  description: 'Share of clean batches that may be WARN',
};
const mode = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  enum: [...MODES, null],
  description: 'Mode of the source; null or absent: the default of the server',
});
const rate = Type.Unsafe<number | null>({ type: ['number', 'null'], ...budget });

const settling = {
  anyOf: [
    { type: 'integer', minimum: MIN_SETTLE_AFTER, maximum: MAX_SETTLE_AFTER },
    { type: 'string', enum: ['never'] },
  ],
  description:
    'Number of batches that differ in the same way after which they are the new normal; half as many if none was BLOCK',
};
const settleAfter = Type.Unsafe<number | 'never' | null>({
  ...settling,
  anyOf: [...settling.anyOf, { type: 'null' }],
});

export const owner = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: MAX_OWNER_CHARACTERS,
  pattern: PLAIN_NOT_BLANK,
  description: 'Who answers for the source: a person or a team',
});
export const tags = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  maxItems: MAX_TAGS,
  items: { type: 'string', minLength: 1, maxLength: MAX_TAG_CHARACTERS, pattern: PLAIN_NOT_BLANK },
  description: 'Words to find the source by',
});
const kept = (schema: TSchema) => ({
  ...schema,
  description: `${schema.description}; absent: it stays; null: it is removed`,
});

const SettingsRequest = Type.Object(
  {
    mode: Type.Optional(mode),
    thresholds: Type.Optional(someThresholds),
    false_alarm_rate: Type.Optional(rate),
    settle_after: Type.Optional(settleAfter),
    owner: Type.Optional(kept(owner) as typeof owner),
    tags: Type.Optional(kept(tags) as typeof tags),
  },
  {
    $id: 'SettingsRequest',
    description: 'All settings: null or absent ones are removed, but for owner and tags',
  },
);

const SourceSettings = Type.Object(
  {
    source: SOURCE,
    mode,
    thresholds: someThresholds,
    false_alarm_rate: rate,
    settle_after: settleAfter,
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
        mode: word(MODES, 'The mode'),
        thresholds: Type.Object(Object.fromEntries(NAMES.map(name => [name, share('The threshold')]))),
        false_alarm_rate: Type.Number(budget),
        settle_after: Type.Unsafe<number | 'never'>(settling),
      },
      { description: 'Settings of a batch without options' },
    ),
  },
  { $id: 'Settings' },
);

const EXAMPLE = {
  source: 'orders',
  mode: 'adaptive',
  thresholds: { null_rate_warn: 0.8 },
  false_alarm_rate: null,
  settle_after: null,
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
  },
};
const BAD_SOURCE = { INVALID_PARAMETER: 'The source in the address must not be blank' };

export const GET_SETTINGS = operation({
  operationId: 'getSettings',
  tags: ['Baselines'],
  summary: 'Get the settings of a source',
  description: 'Works for a source that was never screened too.',
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The settings', SourceSettings, { adaptive: EXAMPLE }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});

export const PUT_SETTINGS = operation({
  operationId: 'putSettings',
  tags: ['Baselines'],
  summary: 'Replace the settings of a source',
  description:
    'Replaces all settings but owner and tags, which stay unless they are given. The options of a batch take precedence over them, and they over the defaults of the server; this holds for each threshold. ' +
    'They apply to all later batches and survive a reset of the baseline.',
  parameters: [SOURCE_IN_PATH, ifVersion('settings')],
  requestBody: {
    required: false,
    content: json(SettingsRequest, {
      adaptive: {
        mode: 'adaptive',
        thresholds: { null_rate_warn: 0.8 },
        owner: 'team-checkout',
        tags: ['billing'],
      },
      nothing: { mode: null },
    }),
  },
  responses: {
    200: answer('The settings are stored', SourceSettings, { adaptive: EXAMPLE }),
    ...refusals(['INVALID_OPTIONS', 'VERSION_CONFLICT', 'PLAN_LIMIT_EXCEEDED', ...JSON_BODY, ...CALLER], {
      ...BAD_SOURCE,
      ...NO_ROOM,
      INVALID_OPTIONS: "mode must be contract or adaptive, not 'strict'",
      VERSION_CONFLICT:
        "The settings of 'orders' have version 3, not 2: read them again and repeat the change",
    }),
  },
});

const Pinned = Type.Object(
  {
    ok: flag('true'),
    source: SOURCE,
    pinned: flag('Whether the baseline stopped learning'),
    message: text('What happened, for people'),
  },
  { $id: 'Pinned' },
);

export const PIN = operation({
  operationId: 'pinBaseline',
  tags: ['Baselines'],
  summary: 'Pin or unpin a baseline',
  description:
    'A pinned baseline does not learn. Batches are still judged. `accept`, `feedback` and `rollback` still change the baseline; a reset ends the pin.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(Type.Object({ pinned: flag('Whether to stop learning') }, { $id: 'PinRequest' }), {
      pin: { pinned: true },
      unpin: { pinned: false },
    }),
  },
  responses: {
    200: answer('The pin is set or removed', Pinned, {
      pinned: {
        ok: true,
        source: 'orders',
        pinned: true,
        message: "The baseline of 'orders' does not change until it is unpinned or reset",
      },
    }),
    ...refusals(['NOT_FOUND', ...JSON_BODY, ...CALLER], {
      INVALID_PARAMETER: 'pinned must be true or false',
      NOT_FOUND: "The source 'orders' has no baseline",
    }),
  },
});
