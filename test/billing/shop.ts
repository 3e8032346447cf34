/** The application beside a small Stripe, and what goes between them. */
import pino, { type Logger } from 'pino';
import type { Payments } from '../../src/billing/payments.ts';
import { openStripe, type StripePayments, type StripeSettings } from '../../src/billing/stripe.ts';
import { type Answer, answerOf, KEY, NOW, Service } from '../http/service.ts';
import {
  bodyOf,
  PRICES,
  SECRET_KEY,
  signatureOf,
  type StripeEvent,
  StripeServer,
  type StripeSubscription,
  WEBHOOK_SECRET,
} from './stripe-server.ts';

export const NOW_S = NOW / 1000;

export const settingsFor = (stripe: StripeServer): StripeSettings => ({
  secretKey: SECRET_KEY,
  webhookSecret: WEBHOOK_SECRET,
  prices: PRICES,
  apiBase: stripe.url,
  publicUrl: () => 'https://sluice.corp.com',
});

/** What was logged as an error or warning, by its message. */
interface Logged {
  level: number;
  msg: string;
  [fact: string]: unknown;
}

export class Shop {
  /** In ms; signatures are of this time. */
  now = NOW;
  readonly service: Service;

  private constructor(
    readonly stripe: StripeServer,
    readonly logged: Logged[],
    readonly log: Logger,
    private stripePayments: StripePayments,
  ) {
    const clock = () => this.now;
    const current = () => this.stripePayments;
    const payments: Payments = {
      get prices() {
        return current().prices;
      },
      createCustomer: (...given) => current().createCustomer(...given),
      checkoutUrl: (...given) => current().checkoutUrl(...given),
      portalUrl: (...given) => current().portalUrl(...given),
      subscription: id => current().subscription(id),
      event: (...given) => current().event(...given),
    };
    this.service = new Service({ log, payments, now: clock });
  }

  static async open(change: Partial<StripeSettings> = {}): Promise<Shop> {
    const logged: Logged[] = [];
    const log = pino({ level: 'warn' }, { write: line => void logged.push(JSON.parse(line)) });
    const stripe = new StripeServer();
    return new Shop(stripe, logged, log, await openStripe({ ...settingsFor(stripe), ...change }, log));
  }

  /** Changes settings, as a restart on the same stores does. */
  async reopen(change: Partial<StripeSettings>): Promise<void> {
    this.stripePayments = await openStripe({ ...settingsFor(this.stripe), ...change }, this.log);
  }

  close(): void {
    this.stripe.stop();
  }

  async send(method: string, path: string, body: string | null = null, headers: Record<string, string> = {}) {
    const request = new Request(`http://localhost${path}`, {
      method,
      body,
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    return answerOf(await this.service.app.handle(request));
  }

  get(path: string, key = KEY): Promise<Answer> {
    return this.send('GET', path, null, { 'X-API-Key': key });
  }

  checkout(tier: unknown, key = KEY): Promise<Answer> {
    return this.send('POST', '/v1/billing/checkout', JSON.stringify({ tier }), { 'X-API-Key': key });
  }

  portal(key = KEY): Promise<Answer> {
    return this.send('POST', '/v1/billing/portal', null, { 'X-API-Key': key });
  }

  billing(key = KEY): Promise<Answer> {
    return this.get('/v1/billing', key);
  }

  screen(rows: number, key = KEY): Promise<Answer> {
    const body = { source: 'orders', rows: Array.from({ length: rows }, (_, id) => ({ id })) };
    return this.send('POST', '/v1/screen', JSON.stringify(body), { 'X-API-Key': key });
  }

  /** Sends an event as Stripe does. */
  deliver(
    event: StripeEvent,
    signature = signatureOf(bodyOf(event), Math.floor(this.now / 1000)),
  ): Promise<Answer> {
    return this.send('POST', '/v1/billing/webhook', bodyOf(event), { 'Stripe-Signature': signature });
  }

  /** From the checkout of a plan to the event that it is paid. */
  async subscribe(tier: keyof typeof PRICES, key = KEY): Promise<StripeSubscription> {
    const { body } = await this.checkout(tier, key);
    const session = body.url.split('/').at(-1);
    const subscription = this.stripe.pay(session, Math.floor(this.now / 1000));
    await this.deliver(this.stripe.checkoutCompleted(session, subscription));
    return subscription;
  }

  errors(): string[] {
    return this.logged.filter(({ level }) => level >= 50).map(({ msg }) => msg);
  }
}
