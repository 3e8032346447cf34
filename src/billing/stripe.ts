/**
 * Stripe, by its official client: the only file that knows it.
 *
 * The client repeats a request that failed on the way, or in Stripe, under the same idempotency key, so that it happens
 * once. How long that may take is for the caller to say. What Stripe answers to what it does not accept is for the
 * operator's log; the caller learns that billing is not set up.
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
  type Subscribed,
  UnknownCustomer,
} from './payments.ts';

export interface StripeSettings {
  secretKey: string;
  /** Null: no webhook is believed. */
  webhookSecret: string | null;
  prices: Prices;
  /** Protocol, host and port of another endpoint; null: Stripe's own. */
  apiBase: string | null;
  /** Where people come back to. */
  publicUrl: string;
}

/** Longest wait for one attempt. Stripe makes a checkout session in less than a second. */
const TIMEOUT_MS = 2000;
const RETRIES = 2;
/** A webhook is in no hurry: who sends it waits for longer than all attempts take. */
const WEBHOOK_OPTIONS = { timeout: 4000, maxNetworkRetries: 1 };
/** Stripe's own advice: older ones may be somebody's who has listened. */
const TOLERANCE_SECONDS = 300;
/** Key of the account's id in what is kept at Stripe. */
const ACCOUNT = 'account_id';

/** Loads the client, which a service that sells nothing has no need of. */
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
  /** Customers that are being made, by idempotency key. */
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
    const made = this.#asked(async () => {
      const parameters = { ...(email !== null && { email }), metadata: { [ACCOUNT]: account } };
      return said((await this.#stripe.customers.create(parameters, { idempotencyKey })).id);
    }).finally(() => this.#making.delete(idempotencyKey));
    this.#making.set(idempotencyKey, made);
    return made;
  }

  checkoutUrl(account: string, customer: string, price: string): Promise<string> {
    const { publicUrl } = this.#settings;
    return this.#asked(async () => {
      const { url } = await this.#stripe.checkout.sessions.create({
        mode: 'subscription',
        customer,
        client_reference_id: account,
        line_items: [{ price, quantity: 1 }],
        subscription_data: { metadata: { [ACCOUNT]: account } },
        success_url: `${publicUrl}/?checkout=success`,
        cancel_url: `${publicUrl}/?checkout=canceled`,
      });
      return address(url);
    });
  }

  portalUrl(customer: string): Promise<string> {
    const return_url = `${this.#settings.publicUrl}/`;
    return this.#asked(async () =>
      address((await this.#stripe.billingPortal.sessions.create({ customer, return_url })).url),
    );
  }

  async subscription(id: string): Promise<Subscribed | null> {
    return this.#asked(async () => {
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
    if (webhookSecret === null) throw notConfigured('the operator has given no secret of a webhook');
    try {
      const event = await this.#client.webhooks.constructEventAsync(
        // As they came: what is parsed and written again is no longer what was signed.
        Buffer.from(body),
        signature,
        webhookSecret,
        TOLERANCE_SECONDS,
        this.#client.createSubtleCryptoProvider(),
        now,
      );
      return { id: said(event.id), type: event.type, about: aboutOf(event) };
    } catch (error) {
      this.#log.warn({ fault: (error as Error).message.split('\n')[0] }, 'billing: a webhook was refused');
      throw new Rejection(
        'INVALID_SIGNATURE',
        'The header Stripe-Signature is not that of this body, with the secret that is set here, within five minutes',
      );
    }
  }

  /** What Stripe answers, or what to throw when it does not. */
  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#rejectionOf(error);
    }
  }

  #rejectionOf(error: unknown): unknown {
    const { errors } = this.#client;
    if (!(error instanceof errors.StripeError)) {
      this.#log.error({ err: error }, 'billing: Stripe answered what cannot be understood');
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
      this.#log.warn(facts, 'billing: Stripe did not answer as it should');
      return providerAway();
    }
    this.#log.error(
      facts,
      'billing: Stripe refused a request: look at keys, prices and the portal’s settings',
    );
    return notConfigured('the payment provider refused what it was asked, and the operator’s log says why');
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

/** What comes from elsewhere need not be what its type says. */
function said(text: unknown): string {
  if (typeof text === 'string') return text;
  throw new TypeError(`there is ${text === null ? 'null' : typeof text} where a text should be`);
}

/** Where a person is sent to. */
function address(url: unknown): string {
  if (/^https?:\/\//.test(said(url))) return said(url);
  throw new TypeError('there is another text where an address of the web should be');
}

/** Stripe refuses another request under a key that it knows: whatever the request says is part of the key. */
function customerKey(account: string, email: string | null, instead: string | null): string {
  const said = createHash('sha256')
    .update(JSON.stringify([email, instead]))
    .digest('hex');
  return `sluice-customer-${account}-${said.slice(0, 16)}`;
}

function subscribed(subscription: Stripe.Subscription): Subscribed {
  const { id, customer, metadata, status, items, created, ended_at, billing_cycle_anchor } = subscription;
  // Items of one subscription have one period, unless somebody mixes months and years.
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

/** Before API version 2025-03-31 the period stood in the subscription, and an invoice's subscription in the invoice. */
const older = (object: object) =>
  object as { current_period_start?: number; current_period_end?: number; subscription?: Reference };

/** An id, or the object that it is the id of. */
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

/** Payments and invoices without a subscription are none of our business. */
function about(
  subscription: Reference,
  account: string | null | undefined,
  customer: Reference,
): PaymentEvent['about'] {
  const id = idOf(subscription);
  return id === null ? null : { subscription: id, account: account || null, customer: idOf(customer) };
}
