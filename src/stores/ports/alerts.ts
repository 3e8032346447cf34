/** Port: channels, incidents, and the outbox of messages. */

export type ChannelType = 'webhook' | 'slack' | 'email';

/** How grave a verdict must be; BLOCK is graver than WARN. */
export type Threshold = 'warn' | 'block';

export interface Channel {
  /** `chn_…` */
  id: string;
  type: ChannelType;
  name: string;
  /** A URL, or of type `email` an address. */
  target: string;
  /** Names of sources; `*` stands for any characters. */
  sources: readonly string[];
  on: Threshold;
  /** Of type `webhook`: the newest first. Those before it sign until `until` (ms); null: for good. */
  secrets: readonly { secret: string; until: number | null }[];
  /** In ms. */
  createdAt: number;
  /** Since when nothing could be delivered, in ms; null while it works. */
  failingSince: number | null;
}

/** What its account may change. */
export type ChannelSettings = Pick<Channel, 'name' | 'target' | 'sources' | 'on'>;

/** A WARN or BLOCK, written with its job and deleted when its incident knows it. */
export interface BadBatch {
  /** Id of the job; ids sort by time. */
  job: string;
  account: string;
  source: string;
  verdict: 'WARN' | 'BLOCK';
  healthScore: number;
  reason: string;
  /** In ms. */
  at: number;
}

/** A source from its first batch that does not pass until one passes again. */
export interface Incident {
  /** `inc_…`; ids sort by time. */
  id: string;
  account: string;
  source: string;
  status: 'open' | 'resolved';
  /** The gravest of its batches. */
  verdict: 'WARN' | 'BLOCK';
  openedAt: number;
  resolvedAt: number | null;
  /** Batches that did not pass. */
  batches: number;
  firstJob: string;
  /** The newest job: of a resolved incident the one that passed. */
  lastJob: string;
  /** Of the newest batch that did not pass. */
  lastAt: number;
  lastVerdict: 'WARN' | 'BLOCK';
  healthScore: number;
  reason: string;
  acknowledgedAt: number | null;
  /** Nothing is sent before; null: not snoozed. */
  snoozedUntil: number | null;
  /** Who accepted a batch of the source since its newest one, and when (ms): it waits for the next. Null: nobody, or it was undone. Only read. */
  accepted: { at: number; by: string } | null;
  /** When something was last sent; null: never. */
  toldAt: number | null;
  /** The gravest verdict that was sent; null: none. */
  toldVerdict: 'WARN' | 'BLOCK' | null;
  /**
   * Which bad batch is sent at once. `any`: the next one, because a snooze held a message back. `gravest`: the next one as grave as the incident, because
   * somebody accepted a batch and all later ones were less grave. Null: only one that raises the verdict to BLOCK.
   */
  tellNext: 'any' | 'gravest' | null;
  /** Number of writes, for optimistic locking. */
  version: number;
}

export interface Recovered {
  incident: Incident;
  job: string;
  healthScore: number;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

/** One message to one channel. */
export interface Delivery {
  /** `msg_…`: the same at each attempt. Ids sort by time. */
  id: string;
  account: string;
  channel: string;
  /** Id; null for a test. */
  incident: string | null;
  type: string;
  /** The body of a webhook as JSON; mails and Slack messages are made from it. */
  payload: string;
  status: DeliveryStatus;
  attempts: number;
  createdAt: number;
  /** Not sent before; while a process sends it, when others may try. */
  nextAt: number;
  /** When it was delivered or given up; null before. */
  settledAt: number | null;
  /** What was wrong with the last attempt; null: nothing. */
  error: string | null;
}

/** Kept of a channel. With so many pending, it takes no more. */
export const MAX_DELIVERIES = 1000;
/** Kept of an account, and those that are open. */
export const MAX_INCIDENTS = 10_000;

/** A delivery that is due later than this pauses; no process is sending it now. In ms. */
export const LONG_PAUSE_MS = 120_000;

export type Due = Pick<Delivery, 'id' | 'account' | 'channel' | 'nextAt' | 'attempts'>;

export interface Page {
  limit: number;
  /** Only entries older than this id. */
  before?: string | undefined;
}

export interface AlertStore {
  /** The account's channels, oldest first. */
  channels(account: string): Promise<Channel[]>;
  /** False if the account already has `limit` channels: nothing is added. */
  addChannel(account: string, channel: Channel, limit: number): Promise<boolean>;
  /** Replaces name, target, sources and threshold. False if the account does not have the channel, or its settings are no longer `before`. */
  changeChannel(account: string, channel: Channel, before: ChannelSettings): Promise<boolean>;
  /** Replaces the secrets. False if the account does not have the channel, or its secrets are no longer those `before`. */
  changeSecrets(account: string, channel: Channel, before: Channel['secrets']): Promise<boolean>;
  /** Deletes it with its deliveries. False if the account does not have it. */
  removeChannel(account: string, id: string): Promise<boolean>;
  /** Marks the channel as failing since a time, or as working. False if it was so before. */
  setFailing(id: string, since: number | null): Promise<boolean>;
  /** The address of the account's owner; null without one. */
  ownerEmail(account: string): Promise<string | null>;

  /** Batches that no incident knows, oldest first. */
  badBatches(limit: number): Promise<BadBatch[]>;
  /** The open incident of a source, else the newest one; null without one. */
  lastIncident(account: string, source: string): Promise<Incident | null>;
  /** Open incidents whose source has passed since, with the job that passed and its health (0 to 1). Jobs after the id `latest` are of a clock that was ahead. */
  recovered(latest: string, limit: number): Promise<Recovered[]>;
  /**
   * Writes the incident, forgets the bad batches it now knows and adds deliveries (as `addDelivery` does), in one transaction. If there are any, pending
   * ones of the incident that pause for more than LONG_PAUSE_MS are due at once: the new ones wait for them. False if another
   * process was first: nothing is written. `incident.version` is that of the read, and 0 of a new one.
   */
  move(incident: Incident, known: readonly BadBatch[], deliveries: readonly Delivery[]): Promise<boolean>;
  incidents(
    account: string,
    query: Page & { status?: Incident['status'] | undefined; source?: string | undefined },
  ): Promise<Incident[]>;
  findIncident(account: string, id: string): Promise<Incident | null>;

  /**
   * Of each channel the oldest pending delivery that is due, the longest due first. A delivery waits while an earlier one of its
   * incident to its channel is pending.
   */
  due(now: number, limit: number): Promise<Due[]>;
  /** Takes a delivery until `until`, and counts an attempt. Null if another process was first, or it is gone. */
  take(id: string, nextAt: number, until: number): Promise<{ delivery: Delivery; channel: Channel } | null>;
  /** Notes the outcome of an attempt. */
  settle(delivery: Delivery): Promise<void>;
  /** False if the channel is gone or has MAX_DELIVERIES pending: nothing is added. Deletes the oldest settled ones beyond it. */
  addDelivery(delivery: Delivery): Promise<boolean>;
  /** Notes that the account has sent a mail, and forgets those until `since` (ms). */
  noteMail(account: string, at: number, since: number): Promise<void>;
  /** How many mails the account has sent after a time (ms), also by channels and deliveries that are gone. */
  mailsSince(account: string, since: number): Promise<number>;
  deliveries(account: string, query: Page & { channel?: string | undefined }): Promise<Delivery[]>;
  /** Makes a delivery pending again, from its first attempt. Null if the account does not have it, or it is pending. */
  resend(account: string, id: string, now: number): Promise<Delivery | null>;
  /** Deletes deliveries and resolved incidents older than `before` (ms), at most `limit` of each; returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
