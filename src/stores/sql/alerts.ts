/** Alert channels, incidents, and the outbox of deliveries. */

import { LONG_PAUSE_MS, MAX_DELIVERIES, MAX_INCIDENTS } from '../ports/alerts.ts';
import type {
  AlertStore,
  BadBatch,
  Channel,
  ChannelSettings,
  Delivery,
  Incident,
  Page,
  Recovered,
} from '../ports.ts';
import { sourceKey, sourceOf } from '../source-key.ts';
import * as ofDeliveries from './alert-delivery-queries.ts';
import * as ofIncidents from './alert-queries.ts';
import { type SqlDatabase, type Statements, statementsOn, type Step } from './database.ts';
import { AFTER_ALL, channelsOf } from './ids.ts';
import type { alertChannels, incidents } from './schema.ts';

const queries = { ...ofIncidents, ...ofDeliveries };

type ChannelRow = typeof alertChannels.$inferSelect;

const ANY = '';

export class SqlAlerts implements AlertStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof queries>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = statementsOn(database, queries);
  }

  async channels(account: string): Promise<Channel[]> {
    return (await this.#run.listChannels.run({ account })).map(channelIn);
  }

  async addChannel(account: string, channel: Channel, limit: number): Promise<boolean> {
    const values = { ...channelRow(account, channel), limit };
    return (await this.#database.alone([channelsOf(account)], this.#run.addChannel, values)).length > 0;
  }

  async changeChannel(account: string, channel: Channel, before: ChannelSettings): Promise<boolean> {
    const values = {
      ...channelRow(account, channel),
      nameBefore: before.name,
      targetBefore: before.target,
      sourcesBefore: JSON.stringify(before.sources),
      thresholdBefore: before.on,
    };
    return (await this.#run.changeChannel.run(values)).length > 0;
  }

  async changeSecrets(account: string, channel: Channel, before: Channel['secrets']): Promise<boolean> {
    const values = { ...channelRow(account, channel), before: JSON.stringify(before) };
    return (await this.#run.changeSecrets.run(values)).length > 0;
  }

  async removeChannel(account: string, id: string): Promise<boolean> {
    return (await this.#run.removeChannel.run({ account, id })).length > 0;
  }

  async setFailing(id: string, since: number | null): Promise<boolean> {
    const changed =
      since === null ? this.#run.markWorking.run({ id }) : this.#run.markFailing.run({ id, since });
    return (await changed).length > 0;
  }

  async ownerEmail(account: string): Promise<string | null> {
    return (await this.#run.ownerEmail.run({ account }))[0]?.email ?? null;
  }

  async badBatches(limit: number): Promise<BadBatch[]> {
    return (await this.#run.listBadBatches.run({ limit })).map(withSource);
  }

  async lastIncident(account: string, source: string): Promise<Incident | null> {
    const [found] = await this.#run.lastIncident.run({ account, source: sourceKey(source) });
    return found ? incidentIn(found) : null;
  }

  async recovered(latest: string, limit: number): Promise<Recovered[]> {
    return (await this.#run.recovered.run({ latest, limit })).map(({ incident, ...passed }) => ({
      // Its source has passed: it waits no longer.
      incident: incidentIn({ incident, accepted: null }),
      ...passed,
    }));
  }

  move(incident: Incident, known: readonly BadBatch[], deliveries: readonly Delivery[]): Promise<boolean> {
    const { addIncident, changeIncident, forgetBadBatch, trimIncidents } = this.#run;
    const isNew = incident.version === 0;
    const trim = { statement: trimIncidents, values: { account: incident.account, most: MAX_INCIDENTS } };
    const steps: Step[] = [
      {
        statement: isNew ? addIncident : changeIncident,
        values: { ...incident, source: sourceKey(incident.source) },
        guard: true,
      },
      ...known.map(({ job }) => ({ statement: forgetBadBatch, values: { job }, guard: true })),
      ...this.#hastening(incident, deliveries),
      ...deliveries.flatMap(delivery => this.#adding(delivery)),
      ...(isNew ? [trim] : []),
    ];
    return this.#database.atomically(steps);
  }

  #hastening({ id }: Incident, [first]: readonly Delivery[]): Step[] {
    if (!first) return [];
    const values = { id, now: first.createdAt, pausing: first.createdAt + LONG_PAUSE_MS };
    return [{ statement: this.#run.hastenDeliveries, values }];
  }

  #adding(delivery: Delivery): Step[] {
    const values = { ...delivery, most: MAX_DELIVERIES };
    return [
      { statement: this.#run.addDelivery, values },
      { statement: this.#run.trimDeliveries, values },
    ];
  }

  async incidents(
    account: string,
    { limit, before, status, source }: Page & { status?: Incident['status']; source?: string },
  ): Promise<Incident[]> {
    const values = {
      account,
      limit,
      before: before ?? AFTER_ALL,
      status: status ?? ANY,
      source: source === undefined ? ANY : sourceKey(source),
    };
    return (await this.#run.listIncidents.run(values)).map(incidentIn);
  }

  async findIncident(account: string, id: string): Promise<Incident | null> {
    const [found] = await this.#run.findIncident.run({ account, id });
    return found ? incidentIn(found) : null;
  }

  due(now: number, limit: number) {
    return this.#run.dueDeliveries.run({ now, limit });
  }

  async take(
    id: string,
    nextAt: number,
    until: number,
  ): Promise<{ delivery: Delivery; channel: Channel } | null> {
    const [delivery] = await this.#run.takeDelivery.run({ id, nextAt, until });
    if (!delivery) return null;
    const [channel] = await this.#run.channelOf.run({ id: delivery.channel });
    return channel ? { delivery, channel: channelIn(channel) } : null;
  }

  async settle(delivery: Delivery): Promise<void> {
    await this.#run.settleDelivery.run({ ...delivery });
  }

  addDelivery(delivery: Delivery): Promise<boolean> {
    const [add, trim] = this.#adding(delivery) as [Step, Step];
    return this.#database.atomically([{ ...add, guard: true }, trim]);
  }

  async noteMail(account: string, at: number, since: number): Promise<void> {
    await this.#database.atomically([
      { statement: this.#run.forgetMails, values: { account, since } },
      { statement: this.#run.addMail, values: { account, at } },
    ]);
  }

  async mailsSince(account: string, since: number): Promise<number> {
    return (await this.#run.countMails.run({ account, since }))[0]?.count ?? 0;
  }

  deliveries(account: string, { limit, before, channel }: Page & { channel?: string }): Promise<Delivery[]> {
    const values = { account, limit, before: before ?? AFTER_ALL, channel: channel ?? ANY };
    return this.#run.listDeliveries.run(values);
  }

  async resend(account: string, id: string, now: number): Promise<Delivery | null> {
    return (await this.#run.resendDelivery.run({ account, id, now }))[0] ?? null;
  }

  async prune(before: number, limit: number): Promise<number> {
    const values = { before, limit };
    const deliveries = await this.#run.pruneDeliveries.run(values);
    const incidents = await this.#run.pruneIncidents.run(values);
    return deliveries.length + incidents.length;
  }
}

const withSource = <Row extends { source: string }>(row: Row): Row => ({
  ...row,
  source: sourceOf(row.source),
});

type IncidentRow = typeof incidents.$inferSelect;

const incidentIn = ({
  incident,
  accepted,
}: { incident: IncidentRow } & Pick<Incident, 'accepted'>): Incident => ({
  ...withSource(incident),
  lastVerdict: incident.lastVerdict ?? incident.verdict,
  accepted,
});

const channelRow = (account: string, { on, sources, secrets, ...channel }: Channel) => ({
  ...channel,
  account,
  threshold: on,
  sources: JSON.stringify(sources),
  secrets: JSON.stringify(secrets),
});

const channelIn = ({ account: _, threshold, sources, secrets, ...row }: ChannelRow): Channel => ({
  ...row,
  on: threshold,
  sources: JSON.parse(sources) as Channel['sources'],
  secrets: JSON.parse(secrets) as Channel['secrets'],
});
