/** API description of /v1/alerts. */
import { type TSchema, Type } from '@sinclair/typebox';
import {
  CHANNEL_TYPES,
  MAX_CHANNELS,
  MAX_NAME_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  MAX_URL_CHARACTERS,
  THRESHOLDS,
} from '../../alerts/channel.ts';
import { count, dateTime, flag, orNull, PLAIN, text, word } from '../../contract/values.ts';
import { NOT_PLAIN } from '../../plain-name.ts';
import { PAGE } from '../jobs.ts';
import { INCIDENT_ID } from './incidents.ts';
import { answer, json, operation, type Parameter } from './operation.ts';
import { integerInQuery } from './parameters.ts';
import { CALLER, JSON_BODY, refusals } from './refusals.ts';

const id = (kind: string, description: string) =>
  Type.String({ pattern: `^${kind}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`, description });
const CHANNEL_ID = id('chn', 'Id of the channel; ids sort by time');
const DELIVERY_ID = id('msg', 'Id of the delivery, the webhook-id of each of its attempts; ids sort by time');

const SETTINGS = {
  name: Type.String({
    minLength: 1,
    maxLength: MAX_NAME_CHARACTERS,
    pattern: PLAIN,
    description: `For people, without ${NOT_PLAIN}`,
  }),
  url: Type.String({
    maxLength: MAX_URL_CHARACTERS,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
    description: 'Of a webhook or of Slack: where messages are posted to',
  }),
  to: Type.String({ maxLength: 254, description: 'Of type email: the address' }),
  sources: Type.Array(Type.String({ minLength: 1, maxLength: MAX_PATTERN_CHARACTERS }), {
    minItems: 1,
    maxItems: MAX_PATTERNS,
    description: 'Names of sources; `*` stands for any characters. Default: all',
  }),
  on: word(THRESHOLDS, 'How grave a verdict must be. Default: warn'),
};
const SECRET = text('Signs what is posted, by Standard Webhooks; shown only in this response');

const ENTRY = {
  id: CHANNEL_ID,
  type: word(CHANNEL_TYPES, 'What it takes'),
  name: SETTINGS.name,
  url: Type.Optional(SETTINGS.url),
  to: Type.Optional(SETTINGS.to),
  sources: SETTINGS.sources,
  on: SETTINGS.on,
  created_at: dateTime('When it was created'),
  failing_since: orNull(dateTime('Since when no message could be delivered; null while it works')),
};
const Channel = Type.Object(ENTRY, { $id: 'AlertChannel' });
const NewChannel = Type.Object({ ...ENTRY, secret: Type.Optional(SECRET) }, { $id: 'CreatedAlertChannel' });
const { to: _, ...WEBHOOK } = ENTRY;
const RotatedChannel = Type.Object(
  { ...WEBHOOK, secret: SECRET, previous_until: dateTime('Until when the secret before signs too') },
  { $id: 'RotatedAlertChannel' },
);

const optional = <Members extends Record<string, TSchema>>(members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]));
const ChannelRequest = Type.Object(
  { type: word(CHANNEL_TYPES, 'What it takes'), ...optional(SETTINGS) },
  { $id: 'AlertChannelRequest' },
);
const ChannelChange = Type.Object(optional(SETTINGS), { $id: 'AlertChannelChange' });

const Delivery = Type.Object(
  {
    id: DELIVERY_ID,
    channel: CHANNEL_ID,
    incident: orNull(INCIDENT_ID),
    type: text('`incident.opened`, `incident.updated`, `incident.resolved` or `channel.test`'),
    status: word(
      ['pending', 'delivered', 'failed'],
      'Failed: given up after a day, or refused by the receiver',
    ),
    attempts: count('Attempts so far'),
    created_at: dateTime('When it was put into the outbox'),
    next_attempt_at: orNull(dateTime('When it is tried next; null if it is settled')),
    settled_at: orNull(dateTime('When it was delivered or given up')),
    error: orNull(text('What was wrong with the last attempt; null: nothing')),
  },
  { $id: 'AlertDelivery' },
);

const CHANNEL = {
  id: 'chn_01KAHZ8V3N2Q4R5S6T7V8W9XYC',
  type: 'webhook',
  name: 'on call',
  url: 'https://example.com/hooks/sluice',
  sources: ['orders', 'raw/*'],
  on: 'warn',
  created_at: '2026-11-21T12:00:00.000Z',
  failing_since: null,
};
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const DELIVERY = {
  id: 'msg_01KAHZ8V3N2Q4R5S6T7V8W9XYD',
  channel: CHANNEL.id,
  incident: 'inc_01KAHZ8V3N2Q4R5S6T7V8W9XYZ',
  type: 'incident.opened',
  status: 'delivered',
  attempts: 1,
  created_at: '2026-11-21T12:00:00.000Z',
  next_attempt_at: null,
  settled_at: '2026-11-21T12:00:01.000Z',
  error: null,
};

const idInPath = (what: string, example: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Id of the ${what}`,
  schema: Type.String({ minLength: 1 }),
  example,
});
const OF_CHANNEL = idInPath('channel', CHANNEL.id);

const MESSAGES = {
  NOT_FOUND: `The account has no alert channel '${CHANNEL.id}'`,
  INVALID_PARAMETER:
    'url must not lead to a private, loopback or link-local address: the operator may allow it with ALERT_ALLOW_PRIVATE=true',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON: send Content-Type: application/json',
  PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 65,536 bytes',
  INVALID_JSON: 'The body must be one JSON text in UTF-8',
};

export const LIST_CHANNELS = operation({
  operationId: 'listAlertChannels',
  tags: ['Alerts'],
  summary: 'List alert channels',
  description: 'Oldest first.',
  responses: {
    200: answer('The channels', Type.Object({ channels: Type.Array(Channel) }, { $id: 'AlertChannelList' }), {
      channels: { channels: [CHANNEL] },
    }),
    ...refusals(CALLER),
  },
});

export const CREATE_CHANNEL = operation({
  operationId: 'createAlertChannel',
  tags: ['Alerts'],
  summary: 'Create an alert channel',
  description: `A message is sent when a source turns from PASS, when its verdict becomes BLOCK, once a day while that lasts, and when it passes again. An account may have at most ${MAX_CHANNELS} channels.`,
  requestBody: {
    required: true,
    content: json(ChannelRequest, {
      webhook: { type: 'webhook', name: 'on call', url: CHANNEL.url, sources: CHANNEL.sources },
      slack: {
        type: 'slack',
        name: 'data team',
        url: 'https://hooks.slack.com/services/T0/B0/x',
        on: 'block',
      },
      email: { type: 'email', name: 'owner', to: 'ann@example.com' },
    }),
  },
  responses: {
    201: answer(
      'The channel',
      NewChannel,
      { made: { ...CHANNEL, secret: SECRET_EXAMPLE } },
      {
        'Cache-Control': {
          description: 'Keeps caches from storing the secret',
          required: true,
          schema: Type.String(),
          example: 'no-store',
        },
      },
    ),
    ...refusals([...JSON_BODY, 'CHANNEL_LIMIT', ...CALLER], MESSAGES),
  },
});

export const FIND_CHANNEL = operation({
  operationId: 'findAlertChannel',
  tags: ['Alerts'],
  summary: 'Get an alert channel',
  parameters: [OF_CHANNEL],
  responses: {
    200: answer('The channel', Channel, { webhook: CHANNEL }),
    ...refusals(['NOT_FOUND', ...CALLER], MESSAGES),
  },
});

export const CHANGE_CHANNEL = operation({
  operationId: 'changeAlertChannel',
  tags: ['Alerts'],
  summary: 'Change an alert channel',
  description: 'What is absent stays as it is. The type cannot be changed.',
  parameters: [OF_CHANNEL],
  requestBody: { required: true, content: json(ChannelChange, { graver: { on: 'block' } }) },
  responses: {
    200: answer('The channel', Channel, { changed: { ...CHANNEL, on: 'block' } }),
    ...refusals([...JSON_BODY, 'NOT_FOUND', ...CALLER], MESSAGES),
  },
});

export const DELETE_CHANNEL = operation({
  operationId: 'deleteAlertChannel',
  tags: ['Alerts'],
  summary: 'Delete an alert channel',
  description: 'Its deliveries are deleted with it, those that are not sent yet too.',
  parameters: [OF_CHANNEL],
  responses: {
    200: answer(
      'The channel is deleted',
      Type.Object({ ok: flag('true'), id: CHANNEL_ID }, { $id: 'DeletedAlertChannel' }),
      { deleted: { ok: true, id: CHANNEL.id } },
    ),
    ...refusals(['NOT_FOUND', ...CALLER], MESSAGES),
  },
});

export const TEST_CHANNEL = operation({
  operationId: 'testAlertChannel',
  tags: ['Alerts'],
  summary: 'Test an alert channel',
  description: 'Sends a message of type `channel.test`; its outcome is in `GET /v1/alerts/deliveries`.',
  parameters: [OF_CHANNEL],
  responses: {
    200: answer('The delivery', Delivery, {
      pending: {
        ...DELIVERY,
        incident: null,
        type: 'channel.test',
        status: 'pending',
        attempts: 0,
        next_attempt_at: DELIVERY.created_at,
        settled_at: null,
      },
    }),
    ...refusals(['NOT_FOUND', ...CALLER], MESSAGES),
  },
});

export const ROTATE_SECRET = operation({
  operationId: 'rotateAlertSecret',
  tags: ['Alerts'],
  summary: 'Rotate the secret of a webhook',
  description:
    'Each secret signs for a day after it was replaced: until then messages are signed with it too.',
  parameters: [OF_CHANNEL],
  responses: {
    200: answer('The channel with its new secret', RotatedChannel, {
      rotated: { ...CHANNEL, secret: SECRET_EXAMPLE, previous_until: '2026-11-22T12:00:00.000Z' },
    }),
    ...refusals(['INVALID_PARAMETER', 'NOT_FOUND', ...CALLER], {
      ...MESSAGES,
      INVALID_PARAMETER: 'Only a webhook has a secret, and this channel is of type slack',
    }),
  },
});

export const LIST_DELIVERIES = operation({
  operationId: 'listAlertDeliveries',
  tags: ['Alerts'],
  summary: 'List alert deliveries',
  description: 'Newest first. They are kept for 30 days.',
  parameters: [
    {
      name: 'channel',
      in: 'query',
      required: false,
      description: 'Only deliveries to this channel',
      schema: CHANNEL_ID,
    },
    integerInQuery('limit', 'Deliveries per page', PAGE),
    {
      name: 'before',
      in: 'query',
      required: false,
      description: 'Only deliveries older than this id: pass the last id of a page to get the next page',
      schema: DELIVERY_ID,
    },
  ],
  responses: {
    200: answer(
      'The deliveries',
      Type.Object({ deliveries: Type.Array(Delivery) }, { $id: 'AlertDeliveryList' }),
      { deliveries: { deliveries: [DELIVERY] } },
    ),
    ...refusals(['INVALID_PARAMETER', ...CALLER]),
  },
});

export const RESEND_DELIVERY = operation({
  operationId: 'resendAlertDelivery',
  tags: ['Alerts'],
  summary: 'Send a delivery again',
  description: 'With the same id, so that a receiver knows it if it has it.',
  parameters: [idInPath('delivery', DELIVERY.id)],
  responses: {
    200: answer('The delivery', Delivery, {
      pending: {
        ...DELIVERY,
        status: 'pending',
        attempts: 0,
        next_attempt_at: '2026-11-21T12:10:00.000Z',
        settled_at: null,
      },
    }),
    ...refusals(['NOT_FOUND', ...CALLER], {
      NOT_FOUND: `The account has no delivery '${DELIVERY.id}' that has been delivered or given up`,
    }),
  },
});
