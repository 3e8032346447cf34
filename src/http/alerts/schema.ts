/** Requests and answers of /v1/alerts. */
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import {
  CHANNEL_TYPES,
  MAX_NAME_CHARACTERS,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  MAX_URL_CHARACTERS,
  THRESHOLDS,
} from '../../alerts/channel.ts';
import { checkedBy, count, dateTime, flag, orNull, PLAIN, text, word } from '../../report-schema/values.ts';
import { NOT_PLAIN } from '../../names/plain-name.ts';
import { INCIDENT_ID } from '../incidents/schema.ts';
import { alertId } from '../parameters.ts';

export const CHANNEL_ID = alertId('chn', 'Id of the channel; ids sort by time');
export const DELIVERY_ID = alertId(
  'msg',
  'Id of the delivery, the webhook-id of each of its attempts; ids sort by time',
);

/** A text that `alerts/channel.ts` checks, which knows the type of the channel and what the operator allows. */
const checkedText = (shown: SchemaOptions) =>
  checkedBy<string>(value => typeof value === 'string', 'a string', { type: 'string', ...shown });

const SETTINGS = {
  name: checkedText({
    minLength: 1,
    maxLength: MAX_NAME_CHARACTERS,
    pattern: PLAIN,
    description: `For people, without ${NOT_PLAIN}`,
  }),
  url: checkedText({
    maxLength: MAX_URL_CHARACTERS,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?:',
    description: 'Of a webhook or of Slack: where messages are posted to',
  }),
  to: checkedText({ maxLength: 254, description: 'Of type email: the address' }),
  sources: Type.Array(checkedText({ minLength: 1, maxLength: MAX_PATTERN_CHARACTERS }), {
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
export const Channel = Type.Object(ENTRY, { $id: 'AlertChannel' });
export const NewChannel = Type.Object(
  { ...ENTRY, secret: Type.Optional(SECRET) },
  { $id: 'CreatedAlertChannel' },
);
const { to: _, ...WEBHOOK } = ENTRY;
export const RotatedChannel = Type.Object(
  { ...WEBHOOK, secret: SECRET, previous_until: dateTime('Until when the secret before signs too') },
  { $id: 'RotatedAlertChannel' },
);

const optional = <Members extends Record<string, TSchema>>(members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]));
export const ChannelRequest = Type.Object(
  { type: word(CHANNEL_TYPES, 'What it takes'), ...optional(SETTINGS) },
  { $id: 'AlertChannelRequest' },
);
export const ChannelChange = Type.Object(optional(SETTINGS), { $id: 'AlertChannelChange' });

export const Delivery = Type.Object(
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

export const CHANNEL = {
  id: 'chn_01KAHZ8V3N2Q4R5S6T7V8W9XYC',
  type: 'webhook',
  name: 'on call',
  url: 'https://example.com/hooks/sluice',
  sources: ['orders', 'raw/*'],
  on: 'warn',
  created_at: '2026-11-21T12:00:00.000Z',
  failing_since: null,
};
export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
export const DELIVERY = {
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

export const ChannelList = Type.Object({ channels: Type.Array(Channel) }, { $id: 'AlertChannelList' });
export const DeletedChannel = Type.Object(
  { ok: flag('true'), id: CHANNEL_ID },
  { $id: 'DeletedAlertChannel' },
);
export const DeliveryList = Type.Object({ deliveries: Type.Array(Delivery) }, { $id: 'AlertDeliveryList' });
