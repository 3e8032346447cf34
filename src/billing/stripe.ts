/**
 * Payments with Stripe's official client. No other file knows Stripe.
 *
 * The client retries a failed request under the same idempotency key, so that it takes effect once. The caller limits
 * the time. If Stripe rejects a request, its message goes to the operator's log, and the caller gets
 * BILLING_NOT_CONFIGURED.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type Stripe from 'stripe';
import { Rejection } from '../errors.ts';
import {
  notConfigured,
  type PaymentEvent,
  type Payments,
  type Prices,
  providerAway,
  type ProviderSubscription,
  UnknownCustomer,
} from './payments.ts';

export interface StripeSettings {
  secretKey: string;
  /** Null: webhooks are rejected. */
  webhookSecret: string | null;
  prices: Prices;
  /** Protocol, host and port of another endpoint; null: Stripe's. */
  apiBase: string | null;
  /** Where Stripe's pages return users to. */
  publicUrl: string;
}

/** Timeout of one attempt. Stripe creates a checkout session in less than a second. */
const TIMEOUT_MS = 2000;
const RETRIES = 2;
/** Webhooks may take longer: Stripe waits longer than all attempts take. */
const WEBHOOK_OPTIONS = { timeout: 4000, maxNetworkRetries: 1 };
/** Stripe's recommendation. An older signature may be a replay attack. */
const TOLERANCE_SECONDS = 300;
/** Metadata key of the account's id at Stripe. */
const ACCOUNT = 'account_id';

/** Loads the client only when billing is configured. */
export async function openStripe(settings: StripeSettings, log: Logger): Promise<StripePayments> {
  const { default: client } = await import('stripe');
  return new StripePayments(client, settings, log);
}

export class StripePayments implements Payments {
  readonly prices: Prices;
  readonly #client: typeof Stripe;
  readonly #settings: StripeSettings;
  readonly #log: Logger;
  readonly #stripe: Stripe;
  /** Customers that are being created, by idempotency key. */
  readonly #making = new Map<string, Promise<string>>();

  constructor(client: typeof Stripe, settings: StripeSettings, log: Logger) {
    this.prices = settings.prices;
    this.#client = client;
    this.#settings = settings;
    this.#log = log;
    this.#stripe = new client(settings.secretKey, {
      ...endpoint(settings.apiBase),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
  }

  createCustomer(account: string, email: string | null, instead: string | null): Promise<string> {
    const idempotencyKey = customerKey(account, email, instead);
    const making = this.#making.get(idempotencyKey);
    if (making) return making;
    const made = this.#call(async () => {
      const parameters = { ...(email !== null && { email }), metadata: { [ACCOUNT]: account } };
      return stringOf((await this.#stripe.customers.create(parameters, { idempotencyKey })).id);
    }).finally(() => this.#making.delete(idempotencyKey));
    this.#making.set(idempotencyKey, made);
    return made;
  }

  checkoutUrl(account: string, customer: string, price: string): Promise<string> {
    const { publicUrl } = this.#settings;
    return this.#call(async () => {
      const { url } = await this.#stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        client_reference_id: account,
        line_items: [{ price, quantity: 1 }],
        subscription_data: { metadata: { [ACCOUNT]: account } },
        success_url: `${publicUrl}/?checkout=success`,
        cancel_url: `${publicUrl}/?checkout=canceled`,
      });
      return webUrl(url);
    });
  }

  portalUrl(customer: string): Promise<string> {
    const return_url = `${this.#settings.publicUrl}/`;
    return this.#call(async () =>
      webUrl((await this.#stripe.billingPortal.sessions.create({ customer, return_url })).url),
    );
  }

  async subscription(id: string): Promise<ProviderSubscription | null> {
    return this.#call(async () => {
      try {
        return subscribed(await this.#stripe.subscriptions.retrieve(id, {}, WEBHOOK_OPTIONS));
      } catch (error) {
        if (this.#isMissing(error) && !this.#isAboutCustomer(error)) return null;
        throw error;
      }
    });
  }

  async event(body: Uint8Array, signature: string, now: number): Promise<PaymentEvent> {
    const { webhookSecret } = this.#settings;
    if (webhookSecret === null) throw notConfigured('the operator has not set the secret of a webhook');
    try {
      const event = await this.#client.webhooks.constructEventAsync(
        // Unchanged bytes: the signature does not match JSON that was parsed and written again.
        Buffer.from(body),
        signature,
        webhookSecret,
        TOLERANCE_SECONDS,
        this.#client.createSubtleCryptoProvider(),
        now,
      );
      return { id: stringOf(event.id), type: event.type, about: aboutOf(event) };
    } catch (error) {
      this.#log.warn({ fault: (error as Error).message.split('\n')[0] }, 'billing: a webhook was refused');
      throw new Rejection(
        'INVALID_SIGNATURE',
        'The header Stripe-Signature must be a signature of this body with the configured secret, at most five minutes old',
      );
    }
  }

  /** Calls Stripe and maps its errors. */
  async #call<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#rejectionOf(error);
    }
  }

  #rejectionOf(error: unknown): unknown {
    const { errors } = this.#client;
    if (!(error instanceof errors.StripeError)) {
      this.#log.error({ err: error }, 'billing: Stripe gave an unexpected response');
      return providerAway();
    }
    if (this.#isMissing(error) && this.#isAboutCustomer(error)) return new UnknownCustomer(error.message);
    const { type, code, message, requestId, statusCode } = error;
    const facts = { type, code, fault: message, requestId, statusCode };
    const isRefused =
      error instanceof errors.StripeInvalidRequestError ||
      error instanceof errors.StripeAuthenticationError ||
      error instanceof errors.StripePermissionError;
    if (!isRefused) {
      this.#log.warn(facts, 'billing: Stripe could not handle a request');
      return providerAway();
    }
    this.#log.error(facts, 'billing: Stripe refused a request: check keys, prices and the portal’s settings');
    return notConfigured('the payment provider rejected the request; the operator’s log says why');
  }

  #isMissing(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
    return (
      error instanceof this.#client.errors.StripeInvalidRequestError && error.code === 'resource_missing'
    );
  }

  #isAboutCustomer({ param }: Stripe.errors.StripeInvalidRequestError): boolean {
    return param === 'customer';
  }
}

function endpoint(apiBase: string | null): { host?: string; port?: string; protocol?: 'http' | 'https' } {
  if (apiBase === null) return {};
  const { hostname, port, protocol } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? '80' : '443'), protocol: isPlain ? 'http' : 'https' };
}

/** Checks the type at run time: responses may differ from their declared types. */
function stringOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`expected a string, got ${value === null ? 'null' : typeof value}`);
}

function webUrl(value: unknown): string {
  const url = stringOf(value);
  if (/^https?:\/\//.test(url)) return url;
  throw new TypeError('expected an http or https URL');
}

/** Stripe rejects a different request under a known key, so the key contains all parameters. */
function customerKey(account: string, email: string | null, instead: string | null): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([email, instead]))
    .digest('hex');
  return `sluice-customer-${account}-${hash.slice(0, 16)}`;
}

function subscribed(subscription: Stripe.Subscription): ProviderSubscription {
  const { id, customer, metadata, status, items, created, ended_at, billing_cycle_anchor } = subscription;
  // All items of a subscription have the same period, unless it mixes monthly and yearly prices.
  const [item] = items.data;
  const { current_period_start: start, current_period_end: end } = { ...older(subscription), ...item };
  const periodStart = start ?? billing_cycle_anchor ?? created;
  return {
    id,
    customer: idOf(customer)!,
    account: metadata?.[ACCOUNT] ?? null,
    status,
    prices: items.data.map(({ price }) => price.id),
    periodStart: periodStart * 1000,
    periodEnd: (end ?? periodStart) * 1000,
    createdAt: created * 1000,
    endedAt: ended_at === null || ended_at === undefined ? null : ended_at * 1000,
  };
}

/** Before API version 2025-03-31 the subscription held the period, and the invoice held its subscription. */
const older = (object: object) =>
  object as { current_period_start?: number; current_period_end?: number; subscription?: Reference };

/** An id, or the object with this id. */
type Reference = string | { id: string } | null | undefined;

const idOf = (reference: Reference): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

function aboutOf(event: Stripe.Event): PaymentEvent['about'] {
  switch (event.type) {
    case 'checkout.session.completed': {
      const { subscription, client_reference_id: account, customer } = event.data.object;
      return about(subscription, account, customer);
    }
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed': {
      const { id, metadata, customer } = event.data.object;
      return about(id, metadata?.[ACCOUNT], customer);
    }
    case 'invoice.payment_failed':
    case 'invoice.paid': {
      const { parent, customer } = event.data.object;
      const details = parent?.subscription_details;
      const subscription = details?.subscription ?? older(event.data.object).subscription;
      return about(subscription, details?.metadata?.[ACCOUNT], customer);
    }
    default:
      return null;
  }
}

/** Ignores payments and invoices without a subscription. */
function about(
  subscription: Reference,
  account: string | null | undefined,
  customer: Reference,
): PaymentEvent['about'] {
  const id = idOf(subscription);
  return id === null ? null : { subscription: id, account: account || null, customer: idOf(customer) };
}
