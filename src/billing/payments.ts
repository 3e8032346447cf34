/** The port to a payment provider. `stripe.ts` implements it. */
import type { PlanName } from '../account/plans.ts';
import { Rejection } from '../terms/errors.ts';

export type PaidPlan = Exclude<PlanName, 'developer'>;

export const PAID_PLANS: readonly PaidPlan[] = ['starter', 'growth', 'scale'];

/** The provider's price id of each plan; null: the plan is not for sale. */
export type Prices = Readonly<Record<PaidPlan, string | null>>;

/** A subscription in its current state at the provider. Times in ms. */
export interface ProviderSubscription {
  id: string;
  customer: string;
  /** The account in its metadata; null without one. */
  account: string | null;
  status: string;
  /** Price ids of its items. */
  prices: readonly string[];
  periodStart: number;
  periodEnd: number;
  createdAt: number;
  /** Null until it has ended. */
  endedAt: number | null;
}

/** An event of the provider. */
export interface PaymentEvent {
  id: string;
  type: string;
  /** The subscription, account and customer that it names; null if it is not about a subscription. */
  about: { subscription: string; account: string | null; customer: string | null } | null;
}

/**
 * Every method throws `Rejection` SERVICE_UNAVAILABLE if the provider cannot be reached, and BILLING_NOT_CONFIGURED if it
 * rejects the configuration.
 */
export interface Payments {
  readonly prices: Prices;
  /** Creates a customer. Calls within a day return the same one, from any replica. `instead`: the deleted customer that it replaces. */
  createCustomer(account: string, email: string | null, instead: string | null): Promise<string>;
  /** The page on which the customer can subscribe. Throws `UnknownCustomer`. */
  checkoutUrl(account: string, customer: string, price: string): Promise<string>;
  /** The page on which the customer can change its subscription. Throws `UnknownCustomer`. */
  portalUrl(customer: string): Promise<string>;
  /** Null if it does not exist. */
  subscription(id: string): Promise<ProviderSubscription | null>;
  /** Verifies and parses a webhook's body at `now` (ms). Throws `Rejection` INVALID_SIGNATURE if it is forged or too old. */
  event(body: Uint8Array, signature: string, now: number): Promise<PaymentEvent>;
}

/** The provider no longer has this customer. */
export class UnknownCustomer extends Error {}

export const notConfigured = (what: string): Rejection =>
  new Rejection('BILLING_NOT_CONFIGURED', `Billing is not set up here: ${what}`, { 'Retry-After': '3600' });

export const providerAway = (): Rejection =>
  new Rejection('SERVICE_UNAVAILABLE', 'The payment provider cannot be reached: try again in a moment', {
    'Retry-After': '5',
  });
