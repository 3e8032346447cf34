/**
 * Handles events of the payment provider, which may arrive late, twice, concurrently and in any order. So an event only
 * triggers a synchronization: we fetch the current subscription and store it.
 *
 * When several events are handled at the same time, in any replica, the latest fetch must win. Each handler reads the
 * account's version before it fetches, and writes only if the version is unchanged; otherwise it starts again. So for
 * any two writes, the fetch of the later one started after the earlier write.
 *
 * An event is marked as done once it has been applied. If handling fails, the provider gets an error and sends it again.
 * If only the operator can mend the cause (a price without a plan, an unknown subscription or account), the provider gets
 * a 200, because such events may also be about another product of the same provider account. The event is not marked, so
 * it takes effect when it is sent again after the mend.
 */
import type { Logger } from 'pino';
import { DAY_MS, HOUR_MS } from '../time/durations.ts';
import type { BillingStore, Payer } from '../stores/ports.ts';
import {
  notConfigured,
  type PaymentEvent,
  type Payments,
  providerAway,
  type ProviderSubscription,
} from './payments.ts';
import { toSubscription, isPaying, planOf, entitlementOf } from './subscription.ts';

/** Each failed attempt means that another event of the account was handled. */
const ATTEMPTS = 10;
/** Renewal events normally arrive within minutes. */
const LATE_MS = HOUR_MS;
/** Give up after this time: the subscription is in another Stripe account or in test mode. */
const GIVEN_UP_MS = 40 * DAY_MS;

export interface WebhookDependencies {
  billing: BillingStore;
  /** Null: billing is not configured. */
  payments: Payments | null;
  /** Makes every replica reload an account. */
  authentication: { forgetAccount(id: string): Promise<void> };
  /** Milliseconds since 1970. */
  now(): number;
  log: Logger;
}

interface ConfiguredDependencies extends WebhookDependencies {
  payments: Payments;
}

type About = NonNullable<PaymentEvent['about']>;

/** `unmatched`: the log names what the operator has to mend. */
type Outcome = 'applied' | 'unmatched';

/** Handles a webhook. Throws `Rejection` INVALID_SIGNATURE, INVALID_JSON, INVALID_PARAMETER, BILLING_NOT_CONFIGURED, SERVICE_UNAVAILABLE. */
export async function receiveWebhook(
  body: Uint8Array,
  signature: string,
  deps: WebhookDependencies,
): Promise<void> {
  const { payments, billing, now } = deps;
  if (payments === null) throw notConfigured('the operator has not set a key of the payment provider');
  const event = await payments.event(body, signature, now());
  const isDone = () => billing.isDone(event.id);
  if (event.about === null || (await isDone())) return;
  const because = { event: event.id, type: event.type };
  const outcome = await syncSubscription(event.about, because, { ...deps, payments }, isDone);
  if (outcome === 'applied') await billing.done(event.id, event.type, now());
}

/**
 * Synchronizes subscriptions whose period has ended without an event since: the event was lost or is late.
 * Throws `Rejection` SERVICE_UNAVAILABLE at the first subscription that cannot be fetched.
 */
export async function syncOverdue(limit: number, deps: WebhookDependencies): Promise<void> {
  const { payments, billing, now } = deps;
  if (payments === null) return;
  const overdue = await billing.overdue(now() - GIVEN_UP_MS, now() - LATE_MS, limit);
  for (const { account, subscription } of overdue)
    await syncSubscription(
      { account, subscription, customer: null },
      { overdue: true },
      { ...deps, payments },
    );
}

/**
 * Updates the account to the current state of the subscription. `because`: for the log. `isDone`: whether another
 * handler of the same event has finished, which may be the one that wrote first.
 */
async function syncSubscription(
  about: About,
  because: Record<string, unknown>,
  deps: ConfiguredDependencies,
  isDone = async () => false,
): Promise<Outcome> {
  const { billing, payments, log } = deps;
  const facts = { ...because, subscription: about.subscription };
  let known = about;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0 && (await isDone())) return 'applied';
    const payer = await payerOf(known, billing);
    const found = await payments.subscription(about.subscription);
    if (found === null) return unmatched('the payment provider has no such subscription', facts, log);
    const named = { ...about, account: found.account ?? about.account, customer: found.customer };
    // The fetch revealed another account: start again, because the version must be read before the fetch.
    if (payer?.id !== (await payerOf(named, billing))?.id) {
      known = named;
      continue;
    }
    if (payer === null) return unmatched('no such account', { ...facts, account: named.account }, log);
    const outcome = await recordSubscription(found, payer, facts, deps);
    if (outcome !== 'stale') return outcome;
  }
  throw providerAway();
}

function unmatched(what: string, facts: Record<string, unknown>, log: Logger): Outcome {
  log.error(facts, `billing: ${what}`);
  return 'unmatched';
}

/** The account of a subscription: from its metadata, else the stored one, else that of its customer. */
async function payerOf(
  { subscription, account, customer }: About,
  billing: BillingStore,
): Promise<Payer | null> {
  const named = account === null ? null : await billing.payer(account);
  if (named !== null) return named;
  const owner = await billing.accountOf(subscription, customer ?? '');
  return owner === null ? null : billing.payer(owner);
}

/** Stores the subscription and the account's plan. `stale`: another handler wrote first, nothing was stored. */
async function recordSubscription(
  found: ProviderSubscription,
  payer: Payer,
  facts: Record<string, unknown>,
  deps: ConfiguredDependencies,
): Promise<Outcome | 'stale'> {
  const { billing, payments, authentication, now, log } = deps;
  const before = payer.subscriptions.find(({ id }) => id === found.id) ?? null;
  const after = toSubscription(found, before, payments.prices, now());
  const all = [...payer.subscriptions.filter(({ id }) => id !== found.id), after];
  if (payer.customer === null) await billing.keepCustomer(payer.id, found.customer, null);
  const entitlement = entitlementOf(all);
  if (!(await billing.record(payer.id, payer.version, after, entitlement))) return 'stale';
  await authentication.forgetAccount(payer.id);
  const logged = { ...facts, account: payer.id, status: found.status };
  log.info({ ...logged, plan: entitlement.plan }, 'billing: subscription stored');
  if (all.filter(isPaying).length > 1)
    log.error(logged, 'billing: the account pays for several subscriptions: cancel all but one');
  if (planOf(found.prices, payments.prices) !== null) return 'applied';
  const priced = { ...logged, prices: found.prices };
  return unmatched('no plan has this price: the plan stays as it is', priced, log);
}
