/** Documents of /v1/schema/{source}/settings and /pin. */
import { Type } from '@sinclair/typebox';
import { MODES } from '../../options/options.ts';
import { LEAST_FALSE_ALARM_RATE, MOST_FALSE_ALARM_RATE, THRESHOLDS } from '../../policy.ts';
import { answer, json, operation } from './operation.ts';
import { SOURCE_IN_PATH } from './parameters.ts';
import { CALLER, JSON_BODY, refusals } from './refusals.ts';
import { flag, orNull, SOURCE, share, text, word } from '../../contract/values.ts';

const NAMES = Object.keys(THRESHOLDS);
const someThresholds = Type.Unsafe<object>({
  type: ['object', 'null'],
  properties: Object.fromEntries(NAMES.map(name => [name, orNull(share('As in the options of a batch'))])),
  additionalProperties: false,
  description: 'Those that are set, by name; null or absent: the default of the server',
});
const budget = {
  minimum: LEAST_FALSE_ALARM_RATE,
  maximum: MOST_FALSE_ALARM_RATE,
  description: 'Adaptive mode: share of clean batches that may be WARN',
};
const mode = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  enum: [...MODES, null],
  description: 'What judges the source; null or absent: the default of the server',
});
const rate = Type.Unsafe<number | null>({ type: ['number', 'null'], ...budget });

const SettingsRequest = Type.Object(
  {
    mode: Type.Optional(mode),
    thresholds: Type.Optional(someThresholds),
    false_alarm_rate: Type.Optional(rate),
  },
  { $id: 'SettingsRequest', description: 'All that is set: what is null or absent is taken away' },
);

const SourceSettings = Type.Object(
  {
    source: SOURCE,
    mode,
    thresholds: someThresholds,
    false_alarm_rate: rate,
    effective: Type.Object(
      {
        mode: word(MODES, 'What judges'),
        thresholds: Type.Object(Object.fromEntries(NAMES.map(name => [name, share('In force')]))),
        false_alarm_rate: Type.Number(budget),
      },
      { description: 'What holds for a batch whose options say nothing' },
    ),
  },
  { $id: 'Settings' },
);

const EXAMPLE = {
  source: 'orders',
  mode: 'adaptive',
  thresholds: { null_rate_warn: 0.8 },
  false_alarm_rate: null,
  effective: {
    mode: 'adaptive',
    thresholds: { ...THRESHOLDS, null_rate_warn: 0.8, null_rate_block: 0.8 },
    false_alarm_rate: 0.01,
  },
};
const BAD_SOURCE = { INVALID_PARAMETER: 'The source in the address must not be blank' };

export const GET_SETTINGS = operation({
  operationId: 'getSettings',
  tags: ['Baselines'],
  summary: 'What is set for a source',
  description: 'Also for a source that was never screened.',
  parameters: [SOURCE_IN_PATH],
  responses: {
    200: answer('The settings', SourceSettings, { adaptive: EXAMPLE }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], BAD_SOURCE),
  },
});

export const PUT_SETTINGS = operation({
  operationId: 'putSettings',
  tags: ['Baselines'],
  summary: 'Set how a source is judged',
  description:
    'Takes the place of what was set. A batch is judged by its own options, then by these, then by the defaults of the server; thresholds one by one. ' +
    'Holds for every batch that arrives from now on, and stays when the baseline is reset.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: false,
    content: json(SettingsRequest, {
      adaptive: { mode: 'adaptive', thresholds: { null_rate_warn: 0.8 } },
      nothing: { mode: null },
    }),
  },
  responses: {
    200: answer('They are set', SourceSettings, { adaptive: EXAMPLE }),
    ...refusals(['INVALID_OPTIONS', ...JSON_BODY, ...CALLER], {
      ...BAD_SOURCE,
      INVALID_OPTIONS: "mode must be contract or adaptive, not 'strict'",
    }),
  },
});

const Pinned = Type.Object(
  {
    ok: flag('true'),
    source: SOURCE,
    pinned: flag('Whether nothing more is learnt'),
    message: text('What follows, for people'),
  },
  { $id: 'Pinned' },
);

export const PIN = operation({
  operationId: 'pinBaseline',
  tags: ['Baselines'],
  summary: 'Stop a baseline from learning, or let it learn again',
  description:
    'Batches are judged all the same. `accept`, `feedback` and `rollback` still change it; a reset ends it.',
  parameters: [SOURCE_IN_PATH],
  requestBody: {
    required: true,
    content: json(
      Type.Object({ pinned: flag('Whether nothing more is to be learnt') }, { $id: 'PinRequest' }),
      {
        pin: { pinned: true },
        unpin: { pinned: false },
      },
    ),
  },
  responses: {
    200: answer('It is done', Pinned, {
      pinned: {
        ok: true,
        source: 'orders',
        pinned: true,
        message: "The baseline of 'orders' stays as it is until it is unpinned or reset",
      },
    }),
    ...refusals(['NOT_FOUND', ...JSON_BODY, ...CALLER], {
      INVALID_PARAMETER: 'pinned must be true or false: whether nothing more is learnt',
      NOT_FOUND: "The source 'orders' has no baseline",
    }),
  },
});
