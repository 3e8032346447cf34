/** What billing needs of a payment provider. `stripe.ts` is the one there is. */
import type { PlanName } from '../account/plans.ts';
import { Rejection } from '../errors.ts';

export type PaidPlan = Exclude<PlanName, 'developer'>;

export const PAID_PLANS: readonly PaidPlan[] = ['starter', 'growth', 'scale'];

/** The provider's price of each plan; null where it is not sold. */
export type Prices = Readonly<Record<PaidPlan, string | null>>;

/** A subscription as the provider has it now. Times in ms. */
export interface Subscribed {
  id: string;
  customer: string;
  /** The account that it was made for, as it says itself; null when it does not. */
  account: string | null;
  status: string;
  /** What it is for; more than one where it has several items. */
  prices: readonly string[];
  periodStart: number;
  periodEnd: number;
  createdAt: number;
  /** Null until it is over for good. */
  endedAt: number | null;
}

/** Something that happened at the provider. */
export interface PaymentEvent {
  id: string;
  type: string;
  /** The subscription that it is about, and what it says of whose that is; null when it is about something else. */
  about: { subscription: string; account: string | null; customer: string | null } | null;
}

/**
 * Every method throws `Rejection` SERVICE_UNAVAILABLE while the provider cannot be reached, and BILLING_NOT_CONFIGURED
 * when it does not accept how billing is set up.
 */
export interface Payments {
  readonly prices: Prices;
  /** Makes a customer, the same one however often and from wherever it is asked for within a day. `instead`: of one that is gone. */
  createCustomer(account: string, email: string | null, instead: string | null): Promise<string>;
  /** Where the customer can subscribe. Throws `UnknownCustomer`. */
  checkoutUrl(account: string, customer: string, price: string): Promise<string>;
  /** Where the customer can change what it has. Throws `UnknownCustomer`. */
  portalUrl(customer: string): Promise<string>;
  /** Null when there is no such subscription. */
  subscription(id: string): Promise<Subscribed | null>;
  /** The event in a webhook's body, at `now` (ms). Throws `Rejection` INVALID_SIGNATURE for one that is not the provider's, or too old. */
  event(body: Uint8Array, signature: string, now: number): Promise<PaymentEvent>;
}

/** The provider has no such customer any more. */
export class UnknownCustomer extends Error {}

export const notConfigured = (what: string): Rejection =>
  new Rejection('BILLING_NOT_CONFIGURED', `Billing is not set up here: ${what}`, { 'Retry-After': '3600' });

export const providerAway = (): Rejection =>
  new Rejection(
    'SERVICE_UNAVAILABLE',
    'The payment provider cannot be reached at the moment: send the request again',
    { 'Retry-After': '5' },
  );
