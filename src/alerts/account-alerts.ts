/** What an account does with its channels, deliveries and incidents. */
import { DAY_MS } from '../time/durations.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { instantOf } from '../time/instant.ts';
import { MAX_DELIVERIES } from '../stores/ports/alerts.ts';
import type { AlertStore, Channel, Delivery, Incident } from '../stores/ports.ts';
import { type ChannelRules, channelSettings, channelType, MAX_CHANNELS } from './channel.ts';
import type { AlertKind } from './ids.ts';
import { testPayload } from './message.ts';
import { newDelivery } from './outbox.ts';

/** A secret that was replaced signs for so long. */
export const ROTATION_MS = DAY_MS;
/** Most secrets of a webhook that are valid at the same time: each adds 48 bytes to a header of its messages. */
export const MAX_SECRETS = 32;
export const MAX_SNOOZE_DAYS = 365;
const SECRET_BYTES = 32;
/** If others change the same incident or secrets, it is tried this often. */
const ATTEMPTS = 5;

export interface AlertDependencies extends ChannelRules {
  alerts: AlertStore;
  /** Of the service, without a trailing slash. */
  publicUrl(): string;
  /** Milliseconds since 1970. */
  now(): number;
  random(bytes: number): Uint8Array;
  newAlertId(kind: AlertKind): string;
}

type Given = Record<string, unknown>;
type Secret = Channel['secrets'][number];

/** Adds a channel. Throws `Rejection` INVALID_PARAMETER, CHANNEL_LIMIT, SERVICE_UNAVAILABLE. */
export async function createChannel(
  account: string,
  given: Given,
  deps: AlertDependencies,
): Promise<Channel> {
  const type = channelType(given, deps);
  const channel: Channel = {
    ...channelSettings(given, type, deps, null),
    id: deps.newAlertId('chn'),
    type,
    secrets: type === 'webhook' ? [newSecret(deps)] : [],
    createdAt: deps.now(),
    failingSince: null,
  };
  if (!(await deps.alerts.addChannel(account, channel, MAX_CHANNELS)))
    throw new Rejection(
      'CHANNEL_LIMIT',
      `An account may have at most ${MAX_CHANNELS} alert channels: delete one that you no longer need`,
    );
  return channel;
}

/** Keeps what others change at the same time. Throws `Rejection` NOT_FOUND, INVALID_PARAMETER, SERVICE_UNAVAILABLE. */
export async function changeChannel(
  account: string,
  id: string,
  given: Given,
  deps: AlertDependencies,
): Promise<Channel> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await findChannel(account, id, deps);
    const channel = { ...before, ...channelSettings(given, before.type, deps, before) };
    if (await deps.alerts.changeChannel(account, channel, before)) return channel;
  }
  throw beingChanged('channel');
}

/**
 * Adds a secret of a webhook. Those before it sign too, each for a day after it was replaced.
 * Throws `Rejection` NOT_FOUND, INVALID_PARAMETER, RATE_LIMITED, SERVICE_UNAVAILABLE.
 */
export async function rotateSecret(account: string, id: string, deps: AlertDependencies): Promise<Channel> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await findChannel(account, id, deps);
    const secrets = [newSecret(deps), ...secretsBefore(before, deps.now())];
    if (await deps.alerts.changeSecrets(account, { ...before, secrets }, before.secrets))
      return { ...before, secrets };
  }
  throw beingChanged('channel');
}

/** Those that sign beside a new one, the newest first. */
function secretsBefore({ type, secrets: [newest, ...older] }: Channel, now: number): Secret[] {
  if (!newest)
    throw new Rejection(
      'INVALID_PARAMETER',
      `Only a webhook has a secret, and this channel is of type ${type}`,
    );
  const valid = older.filter(({ until }) => until !== null && until > now);
  if (valid.length + 2 > MAX_SECRETS) {
    const seconds = Math.ceil((valid.at(-1)!.until! - now) / 1000);
    throw new Rejection(
      'RATE_LIMITED',
      `This webhook has ${MAX_SECRETS} valid secrets, the maximum: rotate it again in ${seconds} seconds, when the oldest expires`,
      { 'Retry-After': String(seconds) },
    );
  }
  return [{ ...newest, until: now + ROTATION_MS }, ...valid];
}

/** Deletes a channel with its deliveries. Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function deleteChannel(
  account: string,
  id: string,
  { alerts }: AlertDependencies,
): Promise<void> {
  if (!(await alerts.removeChannel(account, id))) throw unknown('alert channel', id);
}

/** Puts a test message into the outbox. Throws `Rejection` NOT_FOUND, RATE_LIMITED, SERVICE_UNAVAILABLE. */
export async function testChannel(account: string, id: string, deps: AlertDependencies): Promise<Delivery> {
  await findChannel(account, id, deps);
  const payload = JSON.stringify(testPayload(deps.now(), deps.publicUrl()));
  const facts = {
    id: deps.newAlertId('msg'),
    account,
    channel: id,
    incident: null,
    type: 'channel.test',
    payload,
  };
  const delivery = newDelivery(facts, deps.now());
  if (!(await deps.alerts.addDelivery(delivery)))
    throw new Rejection(
      'RATE_LIMITED',
      `${MAX_DELIVERIES} messages wait to be sent to this channel: try again later`,
      {
        'Retry-After': '60',
      },
    );
  return delivery;
}

/** Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function findDelivery(
  account: string,
  id: string,
  { alerts }: AlertDependencies,
): Promise<Delivery> {
  // Nothing sorts between an id and the same with one more digit.
  const [found] = await alerts.deliveries(account, { limit: 1, before: `${id}0` });
  if (found?.id !== id) throw unknown('delivery', id);
  return found;
}

/** Sends a settled delivery again. Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function resend(
  account: string,
  id: string,
  { alerts, now }: AlertDependencies,
): Promise<Delivery> {
  const delivery = await alerts.resend(account, id, now());
  if (delivery === null)
    throw new Rejection(
      'NOT_FOUND',
      `The account has no delivery ${quoted(id)} that has been delivered or given up`,
    );
  return delivery;
}

/** Ends the daily reminders of an incident. Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export const acknowledge = (account: string, id: string, deps: AlertDependencies): Promise<Incident> =>
  changeIncident(account, id, deps, incident => ({
    ...incident,
    acknowledgedAt: incident.acknowledgedAt ?? deps.now(),
  }));

/** Nothing is sent of the source before `until`; null ends that. Throws `Rejection` NOT_FOUND, INVALID_PARAMETER, SERVICE_UNAVAILABLE. */
export async function snooze(
  account: string,
  id: string,
  until: string | null,
  deps: AlertDependencies,
): Promise<Incident> {
  const snoozedUntil = until === null ? null : snoozeTime(until, deps.now());
  return changeIncident(account, id, deps, incident => ({ ...incident, snoozedUntil }));
}

function snoozeTime(until: string, now: number): number {
  const time = instantOf(until);
  if (time === null || time <= now || time > now + MAX_SNOOZE_DAYS * DAY_MS)
    throw new Rejection(
      'INVALID_PARAMETER',
      `until must be a time within the next ${MAX_SNOOZE_DAYS} days, such as ${new Date(now + DAY_MS).toISOString()}, or null to end the snooze`,
    );
  return time;
}

/** Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function findIncident(
  account: string,
  id: string,
  { alerts }: Pick<AlertDependencies, 'alerts'>,
): Promise<Incident> {
  const found = await alerts.findIncident(account, id);
  if (found === null) throw unknown('incident', id);
  return found;
}

async function changeIncident(
  account: string,
  id: string,
  { alerts }: AlertDependencies,
  change: (incident: Incident) => Incident,
): Promise<Incident> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const incident = await findIncident(account, id, { alerts });
    const changed = change(incident);
    if (await alerts.move(changed, [], [])) return changed;
  }
  throw beingChanged('incident');
}

const beingChanged = (what: string) =>
  new Rejection('SERVICE_UNAVAILABLE', `Others are changing this ${what}: send the request again`, {
    'Retry-After': '1',
  });

/** Throws `Rejection` NOT_FOUND, SERVICE_UNAVAILABLE. */
export async function findChannel(
  account: string,
  id: string,
  { alerts }: AlertDependencies,
): Promise<Channel> {
  const found = (await alerts.channels(account)).find(channel => channel.id === id);
  if (!found) throw unknown('alert channel', id);
  return found;
}

const newSecret = ({ random }: AlertDependencies) => ({
  secret: `whsec_${Buffer.from(random(SECRET_BYTES)).toString('base64')}`,
  until: null,
});

const unknown = (what: string, id: string) =>
  new Rejection('NOT_FOUND', `The account has no ${what} ${quoted(id)}`);
