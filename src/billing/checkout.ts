/** Makes URLs of the payment provider's pages: to subscribe, and to change a subscription. */
import { Rejection } from '../terms/errors.ts';
import type { BillingStore, Payer } from '../stores/ports.ts';
import { withTimeout } from '../time/with-timeout.ts';
import { notConfigured, type PaidPlan, type Payments, providerAway, UnknownCustomer } from './payments.ts';
import { isLive } from './subscription.ts';

/** A caller gets an answer within three seconds: this time plus that of the stores. */
const DEADLINE_MS = 2500;

export interface CheckoutDependencies {
  billing: BillingStore;
  /** Null: billing is not configured. */
  payments: Payments | null;
}

/** Where to send the user: to the portal if there is a subscription to change, else to the checkout. */
export interface BillingRedirect {
  to: 'checkout' | 'portal';
  url: string;
}

/** The page on which the account subscribes to a plan. Throws `Rejection` BILLING_NOT_CONFIGURED, SERVICE_UNAVAILABLE. */
export async function checkoutRedirect(
  account: string,
  plan: PaidPlan,
  deps: CheckoutDependencies,
): Promise<BillingRedirect> {
  const payments = configured(deps);
  const price = payments.prices[plan];
  if (price === null) throw notConfigured(`the plan ${plan} has no price`);
  const payer = await payerOf(account, deps);
  if (payer.subscriptions.some(isLive)) return { to: 'portal', url: await portalOf(payer, payments, deps) };
  const checkout = asCustomer(payer, payments, deps, customer =>
    payments.checkoutUrl(account, customer, price),
  );
  return { to: 'checkout', url: await withTimeout(checkout, DEADLINE_MS, providerAway) };
}

/** The page on which the account changes or ends its subscription and finds invoices. Throws as `checkoutRedirect` does. */
export async function portalUrlOf(account: string, deps: CheckoutDependencies): Promise<string> {
  const payments = configured(deps);
  return portalOf(await payerOf(account, deps), payments, deps);
}

const portalOf = (payer: Payer, payments: Payments, deps: CheckoutDependencies): Promise<string> =>
  withTimeout(
    asCustomer(payer, payments, deps, customer => payments.portalUrl(customer)),
    DEADLINE_MS,
    providerAway,
  );

function configured({ payments }: CheckoutDependencies): Payments {
  if (payments === null) throw notConfigured('the operator has not set a key of the payment provider');
  return payments;
}

async function payerOf(account: string, { billing }: CheckoutDependencies): Promise<Payer> {
  const payer = await billing.payer(account);
  // It existed when the request arrived.
  if (payer === null) throw new Rejection('AUTH_INVALID', 'The account no longer exists');
  return payer;
}

/** Calls `use` with the account's customer. Creates a customer if the account has none or the provider no longer has it. */
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

/** Concurrent calls, also of other replicas, create one customer at the provider. The customer that is stored first counts. */
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
