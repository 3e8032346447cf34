/** /v1/alerts: channels and deliveries. */
import {
  type AlertDependencies,
  changeChannel,
  createChannel,
  deleteChannel,
  findChannel,
  findDelivery,
  resend,
  rotateSecret,
  testChannel,
} from '../../alerts/account-alerts.ts';
import { MAX_CHANNELS } from '../../alerts/channel.ts';
import type { Channel as StoredChannel, Delivery as StoredDelivery } from '../../stores/ports.ts';
import { dateTime, dateTimeOrNull } from '../date-time.ts';
import { answer, idOf, noStore } from '../documents/operation.ts';
import { integer, optional, PAGE } from '../parameters.ts';
import { route } from '../route.ts';
import {
  CHANNEL,
  CHANNEL_ID,
  Channel,
  ChannelChange,
  ChannelList,
  ChannelRequest,
  DELIVERY,
  DELIVERY_ID,
  DeletedChannel,
  Delivery,
  DeliveryList,
  NewChannel,
  RotatedChannel,
  SECRET_EXAMPLE,
} from './schema.ts';

/** What the routes of one channel share. */
const ONE = { params: idOf('channel', CHANNEL.id), refusals: ['NOT_FOUND'] } as const;
const MESSAGES = {
  NOT_FOUND: `The account has no alert channel '${CHANNEL.id}'`,
  INVALID_PARAMETER:
    'url must not lead to a private, loopback or link-local address: the operator may allow it with ALERT_ALLOW_PRIVATE=true',
};

const list = route('GET /v1/alerts/channels', {
  operationId: 'listAlertChannels',
  tag: 'Alerts',
  summary: 'List alert channels',
  description: 'Oldest first.',
  answers: { 200: answer('The channels', ChannelList, { channels: { channels: [CHANNEL] } }) },
  handle: async ({ caller }, deps: AlertDependencies) => ({
    channels: (await deps.alerts.channels(caller.account.id)).map(channelEntry),
  }),
});

const create = route('POST /v1/alerts/channels', {
  operationId: 'createAlertChannel',
  tag: 'Alerts',
  summary: 'Create an alert channel',
  description: `A message is sent when a source turns from PASS, when its verdict becomes BLOCK, once a day while that lasts, and when it passes again. An account may have at most ${MAX_CHANNELS} channels.`,
  body: {
    schema: ChannelRequest,
    examples: {
      webhook: { type: 'webhook', name: 'on call', url: CHANNEL.url, sources: CHANNEL.sources },
      slack: {
        type: 'slack',
        name: 'data team',
        url: 'https://hooks.slack.com/services/T0/B0/x',
        on: 'block',
      },
      email: { type: 'email', name: 'owner', to: 'ann@example.com' },
    },
  },
  answers: {
    201: answer(
      'The channel',
      NewChannel,
      { made: { ...CHANNEL, secret: SECRET_EXAMPLE } },
      noStore('the secret'),
    ),
  },
  refusals: ['CHANNEL_LIMIT'],
  messages: MESSAGES,
  async handle({ caller, body }, deps: AlertDependencies) {
    const channel = await createChannel(caller.account.id, body, deps);
    return { ...channelEntry(channel), ...newestSecret(channel) };
  },
});

const find = route('GET /v1/alerts/channels/:id', {
  operationId: 'findAlertChannel',
  tag: 'Alerts',
  summary: 'Get an alert channel',
  ...ONE,
  answers: { 200: answer('The channel', Channel, { webhook: CHANNEL }) },
  messages: MESSAGES,
  handle: async ({ caller, id }, deps: AlertDependencies) =>
    channelEntry(await findChannel(caller.account.id, id, deps)),
});

const change = route('PATCH /v1/alerts/channels/:id', {
  operationId: 'changeAlertChannel',
  tag: 'Alerts',
  summary: 'Change an alert channel',
  description: 'What is absent stays as it is. The type cannot be changed.',
  ...ONE,
  body: { schema: ChannelChange, examples: { graver: { on: 'block' } } },
  answers: { 200: answer('The channel', Channel, { changed: { ...CHANNEL, on: 'block' } }) },
  messages: MESSAGES,
  handle: async ({ caller, id, body }, deps: AlertDependencies) =>
    channelEntry(await changeChannel(caller.account.id, id, body, deps)),
});

const remove = route('DELETE /v1/alerts/channels/:id', {
  operationId: 'deleteAlertChannel',
  tag: 'Alerts',
  summary: 'Delete an alert channel',
  description: 'Its deliveries are deleted with it, those that are not sent yet too.',
  ...ONE,
  answers: {
    200: answer('The channel is deleted', DeletedChannel, { deleted: { ok: true, id: CHANNEL.id } }),
  },
  messages: MESSAGES,
  async handle({ caller, id }, deps: AlertDependencies) {
    await deleteChannel(caller.account.id, id, deps);
    return { ok: true, id };
  },
});

const test = route('POST /v1/alerts/channels/:id/test', {
  operationId: 'testAlertChannel',
  tag: 'Alerts',
  summary: 'Test an alert channel',
  description: 'Sends a message of type `channel.test`; its outcome is in `GET /v1/alerts/deliveries`.',
  ...ONE,
  answers: {
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
  },
  messages: MESSAGES,
  handle: async ({ caller, id }, deps: AlertDependencies) =>
    deliveryEntry(await testChannel(caller.account.id, id, deps)),
});

const rotate = route('POST /v1/alerts/channels/:id/rotate', {
  operationId: 'rotateAlertSecret',
  tag: 'Alerts',
  summary: 'Rotate the secret of a webhook',
  description:
    'Each secret signs for a day after it was replaced: until then messages are signed with it too.',
  params: ONE.params,
  answers: {
    200: answer('The channel with its new secret', RotatedChannel, {
      rotated: { ...CHANNEL, secret: SECRET_EXAMPLE, previous_until: '2026-11-22T12:00:00.000Z' },
    }),
  },
  refusals: ['INVALID_PARAMETER', 'NOT_FOUND'],
  messages: {
    ...MESSAGES,
    INVALID_PARAMETER: 'Only a webhook has a secret, and this channel is of type slack',
  },
  async handle({ caller, id }, deps: AlertDependencies) {
    const channel = await rotateSecret(caller.account.id, id, deps);
    const before = channel.secrets[1]!.until!;
    return { ...channelEntry(channel), ...newestSecret(channel), previous_until: dateTime(before) };
  },
});

const OF_DELIVERY = idOf('delivery', DELIVERY.id);

const listDeliveries = route('GET /v1/alerts/deliveries', {
  operationId: 'listAlertDeliveries',
  tag: 'Alerts',
  summary: 'List alert deliveries',
  description: 'Newest first. They are kept for 30 days.',
  query: {
    channel: optional('Only deliveries to this channel', CHANNEL_ID),
    limit: integer('Deliveries per page', PAGE),
    before: optional(
      'Only deliveries older than this id: pass the last id of a page to get the next page',
      DELIVERY_ID,
    ),
  },
  answers: { 200: answer('The deliveries', DeliveryList, { deliveries: { deliveries: [DELIVERY] } }) },
  handle: async ({ caller, query }, deps: AlertDependencies) => ({
    deliveries: (await deps.alerts.deliveries(caller.account.id, query)).map(deliveryEntry),
  }),
});

const findOneDelivery = route('GET /v1/alerts/deliveries/:id', {
  operationId: 'findAlertDelivery',
  tag: 'Alerts',
  summary: 'Get an alert delivery',
  params: OF_DELIVERY,
  answers: { 200: answer('The delivery', Delivery, { delivered: DELIVERY }) },
  refusals: ['NOT_FOUND'],
  messages: { NOT_FOUND: `The account has no delivery '${DELIVERY.id}'` },
  handle: async ({ caller, id }, deps: AlertDependencies) =>
    deliveryEntry(await findDelivery(caller.account.id, id, deps)),
});

const resendDelivery = route('POST /v1/alerts/deliveries/:id/resend', {
  operationId: 'resendAlertDelivery',
  tag: 'Alerts',
  summary: 'Send a delivery again',
  description: 'With the same id, so that a receiver knows it if it has it.',
  params: OF_DELIVERY,
  answers: {
    200: answer('The delivery', Delivery, {
      pending: {
        ...DELIVERY,
        status: 'pending',
        attempts: 0,
        next_attempt_at: '2026-11-21T12:10:00.000Z',
        settled_at: null,
      },
    }),
  },
  refusals: ['NOT_FOUND'],
  messages: { NOT_FOUND: `The account has no delivery '${DELIVERY.id}' that has been delivered or given up` },
  handle: async ({ caller, id }, deps: AlertDependencies) =>
    deliveryEntry(await resend(caller.account.id, id, deps)),
});

const channelEntry = ({ id, type, name, target, sources, on, createdAt, failingSince }: StoredChannel) => ({
  id,
  type,
  name,
  [type === 'email' ? 'to' : 'url']: target,
  sources,
  on,
  created_at: dateTime(createdAt),
  failing_since: dateTimeOrNull(failingSince),
});

/** Shown once. */
const newestSecret = ({ secrets: [newest] }: StoredChannel) => (newest ? { secret: newest.secret } : {});

const deliveryEntry = (delivery: StoredDelivery) => ({
  id: delivery.id,
  channel: delivery.channel,
  incident: delivery.incident,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: dateTime(delivery.createdAt),
  next_attempt_at: delivery.status === 'pending' ? dateTime(delivery.nextAt) : null,
  settled_at: dateTimeOrNull(delivery.settledAt),
  error: delivery.error,
});

export const channelRoutes = [list, create, find, change, remove, test, rotate];
export const deliveryRoutes = [listDeliveries, findOneDelivery, resendDelivery];
