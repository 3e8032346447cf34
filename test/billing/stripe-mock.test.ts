/** What we send is valid by Stripe's own API description, and what Stripe's own examples say is applied. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import pino from 'pino';
import { openStripe, type StripePayments } from '../../src/billing/stripe.ts';
import { StripeMock, stripeMockProgram } from '../servers/stripe-mock.ts';
import { NOW_S, Shop } from './shop.ts';
import { PRICES, WEBHOOK_SECRET } from './stripe-server.ts';

const program = stripeMockProgram();
const describeWithStripeMock = program === null ? describe.skip : describe;

/** The mock takes any key that looks like one of the test mode. */
const SECRET = 'sk_test_123';

/** Parts of a subscription that the mock's example has. */
interface Example {
  customer: string;
  items: { data: { price: { id: string } }[] };
}

describeWithStripeMock("with Stripe's mock", () => {
  let mock: StripeMock;
  let stripe: StripePayments;
  const settings = () => ({
    secretKey: SECRET,
    webhookSecret: WEBHOOK_SECRET,
    prices: PRICES,
    apiBase: mock.url,
    publicUrl: () => 'https://sluice.corp.com',
  });
  beforeAll(async () => {
    mock = await StripeMock.start(program!);
    stripe = await openStripe(settings(), pino({ level: 'silent' }));
  }, 240_000);
  afterAll(() => mock.process.remove());

  test('each request that we send is one that Stripe takes', async () => {
    const customer = await stripe.createCustomer('acc_1', 'ann@corp.com', null);
    expect(customer).toMatch(/^cus_/);
    expect(await stripe.createCustomer('acc_2', null, customer)).toMatch(/^cus_/);
    expect(await stripe.checkoutUrl('acc_1', customer, PRICES.starter)).toMatch(/^https:/);
    expect(await stripe.portalUrl(customer)).toMatch(/^https:/);
    expect(await stripe.subscription('sub_1')).toMatchObject({ id: 'sub_1', account: null });
  });

  test('a request that Stripe would not take is refused here too', async () => {
    const refused = await fetch(`${mock.url}/v1/checkout/sessions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${SECRET}`, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'mode=subscription&price=price_1',
    });
    expect(refused.status).toBe(400);
  });

  test('an event at a price that no setting names is applied when it is sent again after the mend', async () => {
    const { customer, items } = (await mock.get('/v1/subscriptions/sub_1')) as unknown as Example;
    const price = items.data[0]!.price.id;
    const shop = await Shop.open(settings());
    const object = { id: 'cs_1', client_reference_id: 'owner', customer, subscription: 'sub_1' };
    const event = { id: 'evt_1', type: 'checkout.session.completed', created: NOW_S, object };
    expect((await shop.deliver(event)).status).toBe(200);
    expect(shop.errors()).toEqual(['billing: no plan has this price: the plan stays as it is']);
    expect((await shop.billing()).body.plan).toBe('developer');
    await shop.reopen({ ...settings(), prices: { ...PRICES, growth: price } });
    expect((await shop.deliver(event)).status).toBe(200);
    const { status } = (await mock.get('/v1/subscriptions/sub_1')) as { status: string };
    expect([status, (await shop.billing()).body.plan]).toEqual(['active', 'growth']);
    shop.close();
  });
});
