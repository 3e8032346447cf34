/** Port: what accounts pay for, and which events of the payment provider are handled. Times in ms. */
import type { Account } from './identities.ts';

/** A subscription as the payment provider last described it. */
export interface Subscription {
  id: string;
  /** The payment provider's term. */
  status: string;
  /** Null if its price is unknown. */
  plan: Account['plan'] | null;
  periodStart: number;
  periodEnd: number;
  createdAt: number;
  /** When it stopped paying for the plan; null while it pays, and if it never paid. */
  endedAt: number | null;
}

/** The plan that results from an account's subscriptions. */
export interface Entitlement {
  /** The paid plan; null without one. */
  plan: Account['plan'] | null;
  /** The paid period; null without a paid plan. */
  period: Account['paidPeriod'];
  /** When the last paid plan ended; null while one is paid, and if there never was one. */
  until: number | null;
}

/** An account as a customer of the payment provider. */
export interface Payer {
  id: string;
  email: string | null;
  /** The provider's customer id; null until there is one. */
  customer: string | null;
  /** Grows with every `record`. */
  version: number;
  subscriptions: Subscription[];
}

/** Throws SERVICE_UNAVAILABLE if the store is unavailable. */
export interface BillingStore {
  /** Null if the account does not exist. */
  payer(account: string): Promise<Payer | null>;
  /** Id of the account with this subscription, else of the account with this customer; null: neither. */
  accountOf(subscription: string, customer: string): Promise<string | null>;
  /**
   * Sets the account's customer if its current one is `instead`. False if it has another one, or if another account has this
   * customer: nothing changes.
   */
  keepCustomer(account: string, customer: string, instead: string | null): Promise<boolean>;
  /** Writes a subscription and the entitlement if the account still has this `version`. Otherwise returns false and changes nothing. */
  record(
    account: string,
    version: number,
    subscription: Subscription,
    entitlement: Entitlement,
  ): Promise<boolean>;
  /** At most `limit` subscriptions of paying accounts, in random order, whose period ended between the two times without a renewal. */
  overdue(after: number, before: number, limit: number): Promise<{ account: string; subscription: string }[]>;
  /** Whether `done` was called for the event. */
  isDone(event: string): Promise<boolean>;
  /** Marks an event as handled at `at`. */
  done(event: string, type: string, at: number): Promise<void>;
  /** Deletes at most `limit` events that were handled before this time; returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
