/**
 * A small Stripe on a free port: it holds customers, sessions and subscriptions, checks what it is sent as Stripe does,
 * and makes signed webhooks of what happens. What it does not know it refuses.
 */
import { createHmac } from 'node:crypto';

export const SECRET_KEY = 'sk_test_inprocess';
export const WEBHOOK_SECRET = 'whsec_inprocess';
export const PRICES = { starter: 'price_starter', growth: 'price_growth', scale: 'price_scale' } as const;
export const MONTH_S = 30 * 86_400;

type Form = Record<string, string>;

/** What a request may and must say: parameters by name, true where they are required. */
const PARAMETERS: Record<string, Record<string, boolean>> = {
  '/v1/customers': { email: false, name: false, 'metadata[account_id]': false },
  '/v1/checkout/sessions': {
    mode: true,
    customer: true,
    client_reference_id: false,
    'line_items[0][price]': true,
    'line_items[0][quantity]': true,
    'subscription_data[metadata][account_id]': false,
    success_url: true,
    cancel_url: false,
  },
  '/v1/billing_portal/sessions': { customer: true, return_url: false },
};

export interface StripeSubscription {
  id: string;
  customer: string;
  status: string;
  price: string;
  /** In seconds, as all times here. */
  start: number;
  end: number;
  created: number;
  endedAt: number | null;
  account: string | null;
}

export interface StripeEvent {
  id: string;
  type: string;
  created: number;
  object: object;
}

interface Asked {
  method: string;
  path: string;
  form: Form;
  key: string | null;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly fault: { type: string; code?: string; param?: string; message: string },
  ) {
    super(fault.message);
  }
}

const invalid = (message: string, param?: string, code = 'parameter_invalid', status = 400): Refusal =>
  new Refusal(status, { type: 'invalid_request_error', message, code, ...(param && { param }) });

export class StripeServer {
  readonly #server: Bun.Server<undefined>;
  readonly asked: Asked[] = [];
  readonly customers = new Map<string, Form>();
  readonly sessions = new Map<string, Form>();
  readonly subscriptions = new Map<string, StripeSubscription>();
  readonly #answers = new Map<string, { form: string; answer: Promise<object> | null }>();
  #made = 0;
  /** Waited for before each answer. */
  delay: (asked: Asked) => Promise<unknown> = async () => {};
  /** Answers in the place of Stripe's own, when it gives one. */
  fault: (asked: Asked) => Response | null = () => null;

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => this.#answer(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  stop(): void {
    this.#server.stop(true);
  }

  askedFor(path: string): Asked[] {
    return this.asked.filter(each => each.path.startsWith(path));
  }

  /** Somebody pays in a checkout session. */
  pay(session: string, start: number, end = start + MONTH_S): StripeSubscription {
    const form = this.sessions.get(session)!;
    return this.subscribe({
      customer: form.customer!,
      price: form['line_items[0][price]']!,
      account: form['subscription_data[metadata][account_id]'] ?? null,
      start,
      end,
    });
  }

  subscribe(given: Partial<StripeSubscription>): StripeSubscription {
    const start = given.start ?? 1_795_000_000;
    const subscription = {
      id: this.#id('sub'),
      customer: 'cus_nobody',
      status: 'active',
      price: PRICES.starter,
      start,
      end: start + MONTH_S,
      created: start,
      endedAt: null,
      account: null,
      ...given,
    };
    this.subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  change(subscription: StripeSubscription, changes: Partial<StripeSubscription>): void {
    this.subscriptions.set(subscription.id, Object.assign(subscription, changes));
  }

  /** The event that tells of a subscription as it is now. */
  event(
    type: string,
    subscription: StripeSubscription,
    object: object = objectOf(type, subscription),
  ): StripeEvent {
    return { id: this.#id('evt'), type, created: subscription.created, object };
  }

  /** Which of them was paid, and the event that says so. */
  checkoutCompleted(session: string, subscription: StripeSubscription): StripeEvent {
    const { customer, client_reference_id } = this.sessions.get(session)!;
    const object = {
      id: session,
      object: 'checkout.session',
      mode: 'subscription',
      customer,
      client_reference_id: client_reference_id ?? null,
      subscription: subscription.id,
    };
    return this.event('checkout.session.completed', subscription, object);
  }

  async #answer(request: Request): Promise<Response> {
    const asked = await askedBy(request);
    this.asked.push(asked);
    try {
      check(request, asked);
      const fault = this.fault(asked);
      if (fault) return fault;
      const answer = await this.#once(asked);
      await this.delay(asked);
      return Response.json(answer, { headers: { 'request-id': this.#id('req') } });
    } catch (error) {
      if (error instanceof Refusal) return Response.json({ error: error.fault }, { status: error.status });
      throw error;
    }
  }

  /** One request is done once, however often it is sent. */
  async #once(asked: Asked): Promise<object> {
    if (asked.key === null) return this.#done(asked);
    const form = JSON.stringify([asked.path, asked.form]);
    const known = this.#answers.get(asked.key);
    if (!known) {
      const answer = this.#done(asked);
      this.#answers.set(asked.key, { form, answer });
      return answer;
    }
    if (known.form === form) return known.answer!;
    throw new Refusal(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with',
    });
  }

  async #done({ method, path, form }: Asked): Promise<object> {
    const [, , resource = '', id = ''] = path.split('/');
    if (method === 'GET' && resource === 'subscriptions') return this.#subscription(id);
    if (method !== 'POST')
      throw invalid(`Unrecognized request URL (${method}: ${path})`, undefined, 'x', 404);
    switch (path) {
      case '/v1/customers':
        return this.#customer(form);
      case '/v1/checkout/sessions':
        return this.#session(form);
      default:
        this.#checkCustomer(form.customer!);
        return { id: this.#id('bps'), url: `${this.url}/portal/${form.customer}`, customer: form.customer };
    }
  }

  #subscription(id: string): object {
    const found = this.subscriptions.get(id);
    if (found) return subscriptionObject(found);
    throw invalid(`No such subscription: '${id}'`, 'id', 'resource_missing', 404);
  }

  #customer(form: Form): object {
    const id = this.#id('cus');
    this.customers.set(id, form);
    return { id, object: 'customer', email: form.email ?? null };
  }

  #session(form: Form): object {
    this.#checkCustomer(form.customer!);
    if (form.mode !== 'subscription') throw invalid('Unknown mode', 'mode');
    const price = form['line_items[0][price]']!;
    if (!Object.values<string>(PRICES).includes(price))
      throw invalid(`No such price: '${price}'`, 'line_items[0][price]', 'resource_missing');
    for (const url of [form.success_url!, form.cancel_url!])
      if (!URL.canParse(url)) throw invalid('Not a valid URL', 'success_url', 'url_invalid');
    const id = this.#id('cs');
    this.sessions.set(id, form);
    return { id, object: 'checkout.session', url: `${this.url}/pay/${id}` };
  }

  #checkCustomer(customer: string): void {
    if (!this.customers.has(customer))
      throw invalid(`No such customer: '${customer}'`, 'customer', 'resource_missing');
  }

  #id(kind: string): string {
    return `${kind}_${++this.#made}`;
  }
}

async function askedBy(request: Request): Promise<Asked> {
  const form = Object.fromEntries(new URLSearchParams(await request.text()));
  const { method, headers } = request;
  return { method, path: new URL(request.url).pathname, form, key: headers.get('idempotency-key') };
}

function check({ method, headers }: Request, { path, form, key }: Asked): void {
  if (headers.get('authorization') !== `Bearer ${SECRET_KEY}`)
    throw new Refusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
  if (method !== 'POST') return;
  if (headers.get('content-type') !== 'application/x-www-form-urlencoded') throw invalid('Not a form');
  if (key === null) throw invalid('A POST without an idempotency key may happen twice');
  const parameters = PARAMETERS[path];
  if (!parameters) throw invalid(`Unrecognized request URL (POST: ${path})`, undefined, 'x', 404);
  for (const name of Object.keys(form))
    if (!(name in parameters))
      throw invalid(`Received unknown parameter: ${name}`, name, 'parameter_unknown');
  for (const [name, isRequired] of Object.entries(parameters))
    if (isRequired && !form[name])
      throw invalid(`Missing required param: ${name}`, name, 'parameter_missing');
}

function subscriptionObject({
  id,
  customer,
  status,
  price,
  start,
  end,
  created,
  endedAt,
  account,
}: StripeSubscription) {
  return {
    id,
    object: 'subscription',
    customer,
    status,
    created,
    ended_at: endedAt,
    metadata: account === null ? {} : { account_id: account },
    items: {
      object: 'list',
      data: [
        {
          id: `si_${id}`,
          price: { id: price },
          current_period_start: start,
          current_period_end: end,
          quantity: 1,
        },
      ],
    },
  };
}

function objectOf(type: string, subscription: StripeSubscription): object {
  if (!type.startsWith('invoice.')) return subscriptionObject(subscription);
  const { id, account, customer } = subscription;
  const metadata = account === null ? {} : { account_id: account };
  const parent = { type: 'subscription_details', subscription_details: { subscription: id, metadata } };
  return { id: `in_${id}`, object: 'invoice', customer, parent };
}

/** A webhook's body as Stripe sends it. */
export const bodyOf = ({ id, type, created, object }: StripeEvent): string =>
  JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } }, null, 2);

/** The header Stripe-Signature of a body that is signed at a time in seconds. */
export function signatureOf(body: string, seconds: number, secret = WEBHOOK_SECRET): string {
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${signature},v0=${'0'.repeat(64)}`;
}
