/**
 * Events of the payment provider, which may come late, twice, at once and in any order. So an event is only a reason to
 * ask: the subscription is fetched as it is now, and what it says is written.
 *
 * Of two that are dealt with at once, in whatever replicas, the one that fetched later must have the last word. Each
 * reads the account's version before it fetches and writes only if that still stands, else it begins anew: so of any two
 * writes the later one's fetch began after the earlier one was done.
 *
 * An event is noted as done at the end. One that failed in between is an error to the provider, who sends it again.
 */
import type { Logger } from 'pino';
import type { BillingStore, Payer, Subscription } from '../stores/ports.ts';
import {
  notConfigured,
  type PaymentEvent,
  type Payments,
  providerAway,
  type Subscribed,
} from './payments.ts';
import { described, isPaying, planOf, standingOf } from './subscription.ts';

/** Each failed one means that another event of the account was dealt with. */
const ATTEMPTS = 10;
/** A renewal is told of within minutes. */
const LATE_MS = 3_600_000;
/** What is overdue for longer will not be heard of: it is in another Stripe account, or in test mode. */
const GIVEN_UP_MS = 40 * 86_400_000;

export interface WebhookDependencies {
  billing: BillingStore;
  /** Null: nothing is sold here. */
  payments: Payments | null;
  /** Makes every replica look anew at an account. */
  authentication: { forgetAccount(id: string): Promise<void> };
  /** Milliseconds since 1970. */
  now(): number;
  log: Logger;
}

interface Following extends WebhookDependencies {
  payments: Payments;
}

type About = NonNullable<PaymentEvent['about']>;

/** Deals with a webhook. Throws `Rejection` INVALID_SIGNATURE, BILLING_NOT_CONFIGURED, SERVICE_UNAVAILABLE. */
export async function receiveWebhook(
  body: Uint8Array,
  signature: string,
  deps: WebhookDependencies,
): Promise<void> {
  const { payments, billing, now } = deps;
  if (payments === null) throw notConfigured('the operator has given no key of the payment provider');
  const event = await payments.event(body, signature, now());
  const isDone = () => billing.isDone(event.id);
  if (event.about === null || (await isDone())) return;
  await follow(event.about, { event: event.id, type: event.type }, { ...deps, payments }, isDone);
  await billing.done(event.id, event.type, now());
}

/**
 * Asks after some subscriptions whose period is over and which nothing was heard of since: their events are lost, or
 * still on their way. Throws `Rejection` SERVICE_UNAVAILABLE at the first that cannot be asked after.
 */
export async function askAfterOverdue(limit: number, deps: WebhookDependencies): Promise<void> {
  const { payments, billing, now } = deps;
  if (payments === null) return;
  const overdue = await billing.overdue(now() - GIVEN_UP_MS, now() - LATE_MS, limit);
  for (const { account, subscription } of overdue)
    await follow({ account, subscription, customer: null }, { overdue: true }, { ...deps, payments });
}

/**
 * Brings the account to where the subscription is now. `because`: for the log. `isDone`: whether a twin has meanwhile, who
 * may be what was faster.
 */
async function follow(
  about: About,
  because: Record<string, unknown>,
  deps: Following,
  isDone = async () => false,
): Promise<void> {
  const { billing, payments, log } = deps;
  const facts = { ...because, subscription: about.subscription };
  let known = about;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0 && (await isDone())) return;
    const payer = await payerOf(known, billing);
    const found = await payments.subscription(about.subscription);
    if (found === null) return log.error(facts, 'billing: the payment provider has no such subscription');
    const named = { ...about, account: found.account ?? about.account, customer: found.customer };
    // Whose it is was not known before: the version must be read before the fetch.
    if (payer?.id !== (await payerOf(named, billing))?.id) {
      known = named;
      continue;
    }
    if (payer === null) return log.error({ ...facts, account: named.account }, 'billing: no such account');
    if (await recorded(found, payer, facts, deps)) return;
  }
  throw providerAway();
}

/** Whose subscription it is: as it says itself, else whose it was, else its customer. */
async function payerOf(
  { subscription, account, customer }: About,
  billing: BillingStore,
): Promise<Payer | null> {
  const named = account === null ? null : await billing.payer(account);
  if (named !== null) return named;
  const owner = await billing.accountOf(subscription, customer ?? '');
  return owner === null ? null : billing.payer(owner);
}

/** Writes what was found, and what follows of it for the account. False when another was faster. */
async function recorded(
  found: Subscribed,
  payer: Payer,
  facts: Record<string, unknown>,
  deps: Following,
): Promise<boolean> {
  const { billing, payments, authentication, now, log } = deps;
  const before = payer.subscriptions.find(({ id }) => id === found.id) ?? null;
  const after = described(found, before, payments.prices, now());
  const all = [...payer.subscriptions.filter(({ id }) => id !== found.id), after];
  if (payer.customer === null) await billing.keepCustomer(payer.id, found.customer, null);
  const standing = standingOf(all);
  if (!(await billing.record(payer.id, payer.version, after, standing))) return false;
  await authentication.forgetAccount(payer.id);
  const told = { ...facts, account: payer.id, status: found.status };
  warn(found, all, payments, told, log);
  log.info({ ...told, plan: standing.plan }, 'billing: followed');
  return true;
}

/** What an operator has to look at. */
function warn(
  found: Subscribed,
  all: readonly Subscription[],
  { prices }: Payments,
  told: Record<string, unknown>,
  log: Logger,
): void {
  if (planOf(found.prices, prices) === null)
    log.error({ ...told, prices: found.prices }, 'billing: no plan has this price: the plan stays as it is');
  if (all.filter(isPaying).length > 1)
    log.error(told, 'billing: the account pays for several subscriptions: cancel all but one');
}
