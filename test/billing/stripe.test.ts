/** Requests to Stripe and how its responses are read. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import pino from 'pino';
import { UnknownCustomer } from '../../src/billing/payments.ts';
import { openStripe, type StripePayments } from '../../src/billing/stripe.ts';
import { NOW_S, settingsFor } from './shop.ts';
import { bodyOf, PRICES, signatureOf, StripeServer } from './stripe-server.ts';

const silent = pino({ level: 'silent' });
let server: StripeServer;
let stripe: StripePayments;
beforeEach(async () => {
  server = new StripeServer();
  stripe = await openStripe(settingsFor(server), silent);
});
afterEach(() => server.stop());

const keysOf = (path: string) => server.askedFor(path).map(({ key }) => key);

test('concurrent requests of several replicas create one customer', async () => {
  const other = await openStripe(settingsFor(server), silent);
  const made = await Promise.all(
    [stripe, other, stripe, other].map(replica => replica.createCustomer('acc_1', 'ann@corp.com', null)),
  );
  expect(new Set(made).size).toBe(1);
  expect(new Set(keysOf('/v1/customers')).size).toBe(1);
  expect(server.customers.size).toBe(1);
});

test('a changed e-mail address gives another request and another idempotency key', async () => {
  await stripe.createCustomer('acc_1', 'ann@corp.com', null);
  const again = await stripe.createCustomer('acc_1', 'bob+ü&x=y@corp.com', null);
  expect(server.customers.get(again)?.email).toBe('bob+ü&x=y@corp.com');
  expect(new Set(keysOf('/v1/customers')).size).toBe(2);
});

test('a deleted customer is replaced by a new one', async () => {
  const first = await stripe.createCustomer('acc_1', null, null);
  server.customers.clear();
  const gone = stripe.portalUrl(first);
  await expect(gone).rejects.toBeInstanceOf(UnknownCustomer);
  expect(await stripe.createCustomer('acc_1', null, first)).not.toBe(first);
});

test('a request whose key is still in use at Stripe is retried', async () => {
  let tries = 0;
  const error = { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'in use' };
  server.fault = () => (++tries === 1 ? Response.json({ error }, { status: 409 }) : null);
  expect(await stripe.createCustomer('acc_1', null, null)).toMatch(/^cus_/);
  expect(tries).toBe(2);
});

test('every session has an idempotency key of its own', async () => {
  const customer = await stripe.createCustomer('acc_1', null, null);
  for (let i = 0; i < 3; i++) await stripe.checkoutUrl('acc_1', customer, PRICES.starter);
  expect(new Set(keysOf('/v1/checkout')).size).toBe(3);
});

test('objects of an older API version give the same result', async () => {
  const start = NOW_S;
  const body = { id: 'sub_1', customer: { id: 'cus_1' }, status: 'active', created: start, ended_at: null };
  const period = { current_period_start: start, current_period_end: start + 60 };
  const items = { data: [{ price: { id: PRICES.starter } }] };
  server.fault = () => Response.json({ ...body, ...period, items, metadata: null });
  expect(await stripe.subscription('sub_1')).toEqual({
    id: 'sub_1',
    customer: 'cus_1',
    account: null,
    status: 'active',
    prices: [PRICES.starter],
    periodStart: start * 1000,
    periodEnd: (start + 60) * 1000,
    createdAt: start * 1000,
    endedAt: null,
  });
  const invoice = {
    id: 'evt_1',
    type: 'invoice.paid',
    created: start,
    object: { subscription: 'sub_1', customer: 'cus_1' },
  };
  const bytes = new TextEncoder().encode(bodyOf(invoice));
  const { about } = await stripe.event(bytes, signatureOf(bodyOf(invoice), start), start * 1000);
  expect(about).toEqual({ subscription: 'sub_1', account: null, customer: 'cus_1' });
});

test('expanded objects are read as their ids', async () => {
  const object = { subscription: { id: 'sub_1' }, customer: { id: 'cus_1' }, client_reference_id: 'acc_1' };
  const event = { id: 'evt_1', type: 'checkout.session.completed', created: NOW_S, object };
  const bytes = new TextEncoder().encode(bodyOf(event));
  const { about } = await stripe.event(bytes, signatureOf(bodyOf(event), NOW_S), NOW_S * 1000);
  expect(about).toEqual({ subscription: 'sub_1', account: 'acc_1', customer: 'cus_1' });
});
