/** /v1/alerts: channels and deliveries. */
import { Elysia } from 'elysia';
import {
  type AlertDependencies,
  changeChannel,
  createChannel,
  deleteChannel,
  findChannel,
  resend,
  rotateSecret,
  testChannel,
} from '../alerts/account-alerts.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { Channel, Delivery } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime, dateTimeOrNull } from './date-time.ts';
import {
  CHANGE_CHANNEL,
  CREATE_CHANNEL,
  DELETE_CHANNEL,
  FIND_CHANNEL,
  LIST_CHANNELS,
  LIST_DELIVERIES,
  RESEND_DELIVERY,
  ROTATE_SECRET,
  TEST_CHANNEL,
} from './documents/alerts.ts';
import { PAGE } from './jobs.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { queryAlertId, queryInteger } from './parameters.ts';

export interface AlertRouteDependencies extends CallerDependencies, UploadLimits, AlertDependencies {}

const CHANNELS = '/v1/alerts/channels';
const CHANNEL = `${CHANNELS}/:id`;
const DELIVERIES = '/v1/alerts/deliveries';

/** Elysia gives null for invalid percent-encoding, which names nothing. */
type Context = { request: Request; params: { id?: string } };

const accountOf = (deps: AlertRouteDependencies) => async (request: Request) =>
  (await callerOf(request, deps)).account.id;

export function alertChannelRoutes(deps: AlertRouteDependencies) {
  const account = accountOf(deps);
  return new Elysia()
    .get(
      CHANNELS,
      async ({ request }) => {
        const channels = await deps.alerts.channels(await account(request));
        return { channels: channels.map(channelEntry) };
      },
      { detail: LIST_CHANNELS },
    )
    .post(
      CHANNELS,
      async ({ request }) => {
        const owner = await account(request);
        const channel = await createChannel(owner, await jsonBody(request, deps), deps);
        return Response.json({ ...channelEntry(channel), ...newestSecret(channel) }, { status: 201 });
      },
      { parse: 'none', detail: CREATE_CHANNEL },
    )
    .all(CHANNELS, otherMethods('GET, HEAD, POST'))
    .get(
      CHANNEL,
      async ({ request, params }: Context) =>
        channelEntry(await findChannel(await account(request), params.id ?? '', deps)),
      { detail: FIND_CHANNEL },
    )
    .patch(
      CHANNEL,
      async ({ request, params }: Context) => {
        const owner = await account(request);
        const given = await jsonBody(request, deps);
        return channelEntry(await changeChannel(owner, params.id ?? '', given, deps));
      },
      { parse: 'none', detail: CHANGE_CHANNEL },
    )
    .delete(
      CHANNEL,
      async ({ request, params }: Context) => {
        await deleteChannel(await account(request), params.id ?? '', deps);
        return { ok: true, id: params.id };
      },
      { detail: DELETE_CHANNEL },
    )
    .all(CHANNEL, otherMethods('GET, HEAD, PATCH, DELETE'));
}

export function alertActionRoutes(deps: AlertRouteDependencies) {
  const account = accountOf(deps);
  return new Elysia()
    .post(
      `${CHANNEL}/test`,
      async ({ request, params }: Context) =>
        deliveryEntry(await testChannel(await account(request), params.id ?? '', deps)),
      { parse: 'none', detail: TEST_CHANNEL },
    )
    .all(`${CHANNEL}/test`, otherMethods('POST'))
    .post(
      `${CHANNEL}/rotate`,
      async ({ request, params }: Context) => {
        const channel = await rotateSecret(await account(request), params.id ?? '', deps);
        const before = channel.secrets[1]!.until!;
        return { ...channelEntry(channel), ...newestSecret(channel), previous_until: dateTime(before) };
      },
      { parse: 'none', detail: ROTATE_SECRET },
    )
    .all(`${CHANNEL}/rotate`, otherMethods('POST'));
}

export function alertDeliveryRoutes(deps: AlertRouteDependencies) {
  const account = accountOf(deps);
  return new Elysia()
    .get(
      DELIVERIES,
      async ({ request }) => {
        const deliveries = await deps.alerts.deliveries(await account(request), {
          limit: queryInteger(request, 'limit', PAGE),
          before: queryAlertId(request, 'before', 'msg'),
          channel: queryAlertId(request, 'channel', 'chn'),
        });
        return { deliveries: deliveries.map(deliveryEntry) };
      },
      { detail: LIST_DELIVERIES },
    )
    .all(DELIVERIES, otherMethods('GET, HEAD'))
    .post(
      `${DELIVERIES}/:id/resend`,
      async ({ request, params }: Context) =>
        deliveryEntry(await resend(await account(request), params.id ?? '', deps)),
      { parse: 'none', detail: RESEND_DELIVERY },
    )
    .all(`${DELIVERIES}/:id/resend`, otherMethods('POST'));
}

const channelEntry = ({ id, type, name, target, sources, on, createdAt, failingSince }: Channel) => ({
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
const newestSecret = ({ secrets: [newest] }: Channel) => (newest ? { secret: newest.secret } : {});

const deliveryEntry = (delivery: Delivery) => ({
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
