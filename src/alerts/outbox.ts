/**
 * Turns bad batches into incidents, and sends what is to be said of them. Every process may run it: what is written is guarded,
 * so that each batch counts once and each delivery is sent by one process at a time. Nothing here is waited for by a request.
 */
import type { Logger } from 'pino';
import { DAY_MS } from '../time/durations.ts';
import { firstIdAt } from '../names/request-id.ts';
import type { AlertStore, BadBatch, Channel, Delivery, Due } from '../stores/ports.ts';
import { Refused } from './answer.ts';
import { hears } from './channel.ts';
import { resolved, type Step, takeUp } from './incident.ts';
import { failingMail, payloadOf } from './message.ts';
import { choose, pauseAfter } from './schedule.ts';
import { type Sender, send } from './send.ts';

const EVERY_MS = 1000;
const BATCHES_AT_ONCE = 500;
/** Of one source in one transaction. */
const BATCHES_OF_SOURCE = 50;
const RECOVERED_AT_ONCE = 100;
const DUE_AT_ONCE = 1000;
/** Of an account: an address need not be its owner's. */
export const MAX_MAILS_PER_DAY = 100;
/** Longer than any attempt takes: another process sends it if this one has ended. Shorter than LONG_PAUSE_MS, by more than clocks differ. */
const TAKEN_MS = 60_000;

export interface OutboxDependencies extends Sender {
  alerts: AlertStore;
  /** Of the service, without a trailing slash. */
  publicUrl(): string;
  /** Makes the id of an incident or a delivery: in the order in which they are made. */
  newId(kind: 'inc' | 'msg'): string;
  /** From 0 to 1. */
  chance(): number;
  log: Logger;
}

export class Outbox {
  readonly #deps: OutboxDependencies;
  readonly #sending = new Map<string, Due & { sent: Promise<void> }>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Begins the next round now. */
  #wake = () => {};
  /** Whether messages wait for others to be sent. */
  #hasMore = false;
  #isStopped = false;
  #rounds: Promise<void> = Promise.resolve();
  /** Whether more batches wait than a round takes up. */
  #isBehind = false;
  #isFailing = false;

  constructor(deps: OutboxDependencies) {
    this.#deps = deps;
  }

  /** Runs a round now and a second after each, or when what waits can be sent. Does not keep the process alive. */
  start(): void {
    this.#rounds = this.#runRounds();
  }

  async #runRounds(): Promise<void> {
    while (!this.#isStopped) {
      await this.round();
      if (this.#isBehind || this.#isStopped) continue;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
        this.#timer = setTimeout(resolve, EVERY_MS);
        this.#timer.unref();
      });
      clearTimeout(this.#timer!);
    }
  }

  /** Resolves when what is being sent has an outcome. Nothing more is begun. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#rounds;
    await this.sent();
  }

  async sent(): Promise<void> {
    await Promise.all([...this.#sending.values()].map(({ sent }) => sent));
  }

  /** Takes up what has happened and begins to send what is due. Never throws: the next round tries again. */
  async round(): Promise<void> {
    try {
      await this.#takeUpBatches();
      await this.#endIncidents();
      await this.#sendDue();
      this.#isFailing = false;
    } catch (error) {
      this.#isBehind = false;
      // Once: while a store is away each round fails.
      if (!this.#isFailing) this.#deps.log.warn({ err: error }, 'alerts wait: a store is unavailable');
      this.#isFailing = true;
    }
  }

  async #takeUpBatches(): Promise<void> {
    const { alerts, now, newId } = this.#deps;
    const batches = await alerts.badBatches(BATCHES_AT_ONCE);
    for (const some of bySource(batches)) {
      const { account, source } = some[0]!;
      const last = await alerts.lastIncident(account, source);
      const step = takeUp(last, some, now(), () => newId('inc'));
      await this.#move(step, some);
    }
    this.#isBehind = batches.length === BATCHES_AT_ONCE;
  }

  async #endIncidents(): Promise<void> {
    const { alerts, now } = this.#deps;
    for (const { incident, ...passed } of await alerts.recovered(firstIdAt(now() + 1), RECOVERED_AT_ONCE))
      await this.#move(resolved(incident, passed, now()), []);
  }

  /** If another process was first, the next round sees what it wrote. */
  async #move({ incident, event, passed }: Step, known: readonly BadBatch[]): Promise<void> {
    const { alerts, now, publicUrl, newId } = this.#deps;
    const deliveries: Delivery[] = [];
    if (event) {
      const payload = JSON.stringify(payloadOf(event, incident, now(), publicUrl(), passed));
      const facts = { account: incident.account, incident: incident.id, type: event, payload };
      // A channel for BLOCK alone hears no end of what it has not heard: a BLOCK that a snooze held back.
      const told = { source: incident.source, verdict: incident.toldVerdict ?? incident.verdict };
      for (const channel of await alerts.channels(incident.account))
        if (hears(channel, told))
          deliveries.push(newDelivery({ ...facts, id: newId('msg'), channel: channel.id }, now()));
    }
    await alerts.move(incident, known, deliveries);
  }

  async #sendDue(): Promise<void> {
    const { alerts, now } = this.#deps;
    const due = await alerts.due(now(), DUE_AT_ONCE);
    const chosen = choose(due, [...this.#sending.values()]);
    this.#hasMore = chosen.length > 0;
    for (const each of chosen) {
      if (this.#isStopped) return;
      const taken = await alerts.take(each.id, each.nextAt, now() + TAKEN_MS);
      if (taken === null) continue;
      const sent = this.#attempt(taken.delivery, taken.channel).finally(() => {
        this.#sending.delete(each.id);
        if (this.#hasMore) this.#wake();
      });
      this.#sending.set(each.id, { ...each, sent });
    }
  }

  /** Never throws: without a noted outcome the delivery is due again. */
  async #attempt(delivery: Delivery, channel: Channel): Promise<void> {
    const { alerts, log, now, chance } = this.#deps;
    try {
      if (channel.type === 'email' && (await this.#hasMailedEnough(delivery)))
        return await alerts.settle({ ...delivery, status: 'failed', settledAt: now(), error: MAILED_ENOUGH });
      const failure = await send(delivery, channel, this.#deps).then(
        () => null,
        (error: Error) => error,
      );
      if (failure === null) {
        if (channel.type === 'email') await alerts.noteMail(delivery.account, now(), now() - DAY_MS);
        await alerts.settle({ ...delivery, status: 'delivered', settledAt: now(), error: null });
        if (channel.failingSince !== null) await alerts.setFailing(channel.id, null);
        return;
      }
      const error = failure.message;
      const pause = failure instanceof Refused ? null : pauseAfter(delivery.attempts, chance());
      log.info({ delivery: delivery.id, channel: channel.id, error, pause }, 'alert not delivered');
      if (pause !== null) return await alerts.settle({ ...delivery, nextAt: now() + pause, error });
      await alerts.settle({ ...delivery, status: 'failed', settledAt: now(), error });
      await this.#tellOwner(delivery, channel, failure);
    } catch (error) {
      log.warn({ err: error, delivery: delivery.id }, 'the outcome of an alert could not be written');
    }
  }

  async #hasMailedEnough({ account }: Delivery): Promise<boolean> {
    const { alerts, now } = this.#deps;
    return (await alerts.mailsSince(account, now() - DAY_MS)) >= MAX_MAILS_PER_DAY;
  }

  /** Mails the owner once, until the channel works again. Counts as a mail of the account: a receiver that refuses every second message causes many. */
  async #tellOwner(delivery: Delivery, { id, name, target }: Channel, failure: Error): Promise<void> {
    const { alerts, mail, now } = this.#deps;
    if (!(await alerts.setFailing(id, now())) || mail === null) return;
    const owner = await alerts.ownerEmail(delivery.account);
    if (owner === null || (await this.#hasMailedEnough(delivery))) return;
    await alerts.noteMail(delivery.account, now(), now() - DAY_MS);
    await mail(owner, failingMail(name, target, failure.message, failure instanceof Refused));
  }
}

const MAILED_ENOUGH = `not sent: the account has sent ${MAX_MAILS_PER_DAY} mails within a day`;

/** Batches of each source, oldest first, at most BATCHES_OF_SOURCE of each. */
function bySource(batches: readonly BadBatch[]): BadBatch[][] {
  const sources = Map.groupBy(batches, ({ account, source }) => JSON.stringify([account, source]));
  return [...sources.values()].map(some => some.slice(0, BATCHES_OF_SOURCE));
}

type NewDelivery = Pick<Delivery, 'id' | 'account' | 'channel' | 'incident' | 'type' | 'payload'>;

/** A delivery that is due now. */
export const newDelivery = (facts: NewDelivery, now: number): Delivery => ({
  ...facts,
  status: 'pending',
  attempts: 0,
  createdAt: now,
  nextAt: now,
  settledAt: null,
  error: null,
});
