/** Ways to the payment provider's pages: to subscribe, and to change what one has. */
import { Rejection } from '../errors.ts';
import type { BillingStore, Payer } from '../stores/ports.ts';
import { within } from './deadline.ts';
import { notConfigured, type PaidPlan, type Payments, providerAway, UnknownCustomer } from './payments.ts';
import { isLive } from './subscription.ts';

/** A caller has an answer within three seconds: this, and what the stores take. */
const DEADLINE_MS = 2500;

export interface CheckoutDependencies {
  billing: BillingStore;
  /** Null: nothing is sold here. */
  payments: Payments | null;
}

/** Where to go; to the portal when there is a subscription that can be changed there. */
export interface Way {
  to: 'checkout' | 'portal';
  url: string;
}

/** Where the account subscribes to a plan. Throws `Rejection` BILLING_NOT_CONFIGURED, SERVICE_UNAVAILABLE. */
export async function wayToPlan(account: string, plan: PaidPlan, deps: CheckoutDependencies): Promise<Way> {
  const payments = configured(deps);
  const price = payments.prices[plan];
  if (price === null) throw notConfigured(`the plan ${plan} has no price`);
  const payer = await payerOf(account, deps);
  if (payer.subscriptions.some(isLive)) return { to: 'portal', url: await portalOf(payer, payments, deps) };
  const checkout = asCustomer(payer, payments, deps, customer =>
    payments.checkoutUrl(account, customer, price),
  );
  return { to: 'checkout', url: await within(DEADLINE_MS, checkout) };
}

/** Where the account changes or ends what it pays for, and finds its invoices. Throws as `wayToPlan` does. */
export async function wayToPortal(account: string, deps: CheckoutDependencies): Promise<string> {
  const payments = configured(deps);
  return portalOf(await payerOf(account, deps), payments, deps);
}

const portalOf = (payer: Payer, payments: Payments, deps: CheckoutDependencies): Promise<string> =>
  within(
    DEADLINE_MS,
    asCustomer(payer, payments, deps, customer => payments.portalUrl(customer)),
  );

function configured({ payments }: CheckoutDependencies): Payments {
  if (payments === null) throw notConfigured('the operator has given no key of the payment provider');
  return payments;
}

async function payerOf(account: string, { billing }: CheckoutDependencies): Promise<Payer> {
  const payer = await billing.payer(account);
  // It was there when the request came in.
  if (payer === null) throw new Rejection('AUTH_INVALID', 'The account is no more');
  return payer;
}

/** Does something as the account's customer, which is made when there is none, or when the provider knows it no more. */
async function asCustomer<T>(
  payer: Payer,
  payments: Payments,
  deps: CheckoutDependencies,
  use: (customer: string) => Promise<T>,
): Promise<T> {
  const customer = payer.customer ?? (await newCustomer(payer, null, payments, deps));
  try {
    return await use(customer);
  } catch (error) {
    if (!(error instanceof UnknownCustomer)) throw error;
    return use(await newCustomer(payer, customer, payments, deps)).catch(stillUnknown);
  }
}

function stillUnknown(error: unknown): never {
  throw error instanceof UnknownCustomer ? providerAway() : error;
}

/** Of those that are made at once, in whatever replica, the provider makes one; and the one that is stored first counts. */
async function newCustomer(
  { id, email }: Payer,
  instead: string | null,
  payments: Payments,
  { billing }: CheckoutDependencies,
): Promise<string> {
  const made = await payments.createCustomer(id, email, instead);
  if (await billing.keepCustomer(id, made, instead)) return made;
  return (await billing.payer(id))?.customer ?? made;
}
