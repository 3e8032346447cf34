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
import { Rejection } from '../terms/errors.ts';
import { isJsonObject, type JsonObject } from '../documents/json-object.ts';
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
  publicUrl(): string;
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
    const publicUrl = this.#settings.publicUrl();
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
    const return_url = `${this.#settings.publicUrl()}/`;
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
    await this.#checkSignature(body, signature, webhookSecret, now);
    return eventIn(body);
  }

  async #checkSignature(body: Uint8Array, signature: string, secret: string, now: number): Promise<void> {
    try {
      await this.#client.webhooks.signature!.verifyHeaderAsync(
        // Unchanged bytes: the signature does not match JSON that was parsed and written again.
        Buffer.from(body),
        signature,
        secret,
        TOLERANCE_SECONDS,
        this.#client.createSubtleCryptoProvider(),
        now,
      );
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

/** A signed body as an event. Throws `Rejection` INVALID_JSON, INVALID_PARAMETER. */
function eventIn(body: Uint8Array): PaymentEvent {
  const event = parsed(body);
  if (!isJsonObject(event)) throw new Rejection('INVALID_JSON', 'The event must be a JSON object');
  const { id, type, data } = event;
  if (!isId(id)) throw oddEvent('id', 'an id');
  if (!isId(type)) throw oddEvent('type', 'the name of a type');
  if (!HANDLED.test(type)) return { id, type, about: null };
  const object = isJsonObject(data) ? data.object : undefined;
  if (!isJsonObject(object)) throw oddEvent('data.object', 'an object');
  for (const name of REFERENCES)
    if (!isReference(object[name])) throw oddEvent(`data.object.${name}`, 'an id');
  return { id, type, about: aboutOf(type, object) };
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Rejection('INVALID_JSON', 'The event is not one JSON text in UTF-8');
  }
}

const oddEvent = (name: string, expected: string) =>
  new Rejection('INVALID_PARAMETER', `The event is signed, but its ${name} is not ${expected}`);

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

/** Types of events that change what an account pays for. */
const HANDLED =
  /^(checkout\.session\.completed|customer\.subscription\.(created|updated|deleted|paused|resumed)|invoice\.(payment_failed|paid))$/;
/** Members of an event's object that hold an id or the object with this id. */
const REFERENCES = ['subscription', 'customer'];

/** Ids go into a store and a path: not every string can. */
const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value);

const isReference = (value: unknown): value is Reference =>
  value === undefined || value === null || isId(isJsonObject(value) ? value.id : value);

/** Ignores payments and invoices without a subscription. */
function aboutOf(type: string, object: JsonObject): PaymentEvent['about'] {
  const customer = idOf(object.customer as Reference);
  if (type === 'checkout.session.completed')
    return about(object.subscription, object.client_reference_id, customer);
  if (type.startsWith('customer.subscription.')) {
    if (!isId(object.id)) throw oddEvent('data.object.id', 'an id');
    return about(object.id, memberOf(object.metadata, ACCOUNT), customer);
  }
  const details = memberOf(object.parent, 'subscription_details');
  const subscription = memberOf(details, 'subscription') ?? object.subscription;
  return about(subscription, memberOf(memberOf(details, 'metadata'), ACCOUNT), customer);
}

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

function about(subscription: unknown, account: unknown, customer: string | null): PaymentEvent['about'] {
  if (!isReference(subscription)) throw oddEvent('subscription', 'an id');
  const id = idOf(subscription);
  const named = isId(account) ? account : null;
  return id === null ? null : { subscription: id, account: named, customer };
}
