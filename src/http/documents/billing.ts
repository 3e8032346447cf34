/** Documents of /v1/billing. */
import { Type } from '@sinclair/typebox';
import { PLANS } from '../../account/plans.ts';
import { PAID_PLANS } from '../../billing/payments.ts';
import { answer, json, OPEN, operation, type Parameter } from './operation.ts';
import { CALLER, FAULTS, JSON_BODY, refusals } from './refusals.ts';
import { count, dateTime, flag, text, word } from '../../contract/values.ts';

const Usage = Type.Object(
  {
    plan: word(Object.keys(PLANS), 'The plan that the account is on'),
    rowsProcessed: count('Rows of requests that were answered with 200 in this period'),
    requestCount: count('How many requests that were'),
    periodStart: dateTime('Begin of the period: of the subscription, or of the calendar month'),
    periodEnd: dateTime('When the next one begins'),
  },
  { $id: 'Billing' },
);

const CheckoutRequest = Type.Object(
  { tier: word(PAID_PLANS, 'The plan to subscribe to') },
  { $id: 'CheckoutRequest' },
);

const PageAddress = Type.Object(
  { url: text('A page of the payment provider: send the person there') },
  { $id: 'PageAddress' },
);

const SubscriptionExists = Type.Object({
  message: text('What was wrong, and what to do; for people'),
  code: word(['SUBSCRIPTION_EXISTS'], 'For programs'),
  url: text('The portal, where the subscription can be changed'),
});

const NO_STORE = {
  'Cache-Control': {
    description: 'The address is for nobody on the way',
    required: true,
    schema: Type.String(),
    example: 'no-store',
  },
};

const MESSAGES = {
  RATE_LIMITED: 'An account may ask for these addresses: 1 a second, 100 at once',
  SERVICE_UNAVAILABLE: 'The payment provider cannot be reached: try again in a moment',
};

const SIGNATURE: Parameter = {
  name: 'Stripe-Signature',
  in: 'header',
  required: true,
  description: 'Of these bytes and a time that is at most five minutes ago',
  schema: Type.String(),
  example: 't=1795262400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
};

export const SHOW_BILLING = operation({
  operationId: 'showBilling',
  tags: ['Billing'],
  summary: 'Plan and usage',
  responses: {
    200: answer('Of the current period', Usage, {
      month: {
        plan: 'developer',
        rowsProcessed: 41_200,
        requestCount: 12,
        periodStart: '2026-11-01T00:00:00.000Z',
        periodEnd: '2026-12-01T00:00:00.000Z',
      },
    }),
    ...refusals(CALLER),
  },
});

export const START_CHECKOUT = operation({
  operationId: 'startCheckout',
  tags: ['Billing'],
  summary: 'Subscribe to a plan',
  description: 'The plan changes when the payment provider says that it is paid for.',
  requestBody: { required: true, content: json(CheckoutRequest, { growth: { tier: 'growth' } }) },
  responses: {
    200: answer(
      'Where to pay',
      PageAddress,
      { page: { url: 'https://checkout.stripe.com/c/pay/cs_1' } },
      NO_STORE,
    ),
    ...refusals([...JSON_BODY, 'BILLING_NOT_CONFIGURED', ...CALLER], {
      ...MESSAGES,
      INVALID_PARAMETER: "tier must be one of starter, growth, scale: it is 'gold'",
    }),
    409: answer(
      '`SUBSCRIPTION_EXISTS`: the account has a subscription already',
      SubscriptionExists,
      {
        SUBSCRIPTION_EXISTS: {
          message: 'The account has a subscription already: change it, or mend its payment, at url',
          code: 'SUBSCRIPTION_EXISTS',
          url: 'https://billing.stripe.com/p/session/bps_1',
        },
      },
      NO_STORE,
    ),
  },
});

export const OPEN_PORTAL = operation({
  operationId: 'openPortal',
  tags: ['Billing'],
  summary: 'Change or end what is paid for',
  responses: {
    200: answer(
      'Where to do it',
      PageAddress,
      { page: { url: 'https://billing.stripe.com/p/session/bps_1' } },
      NO_STORE,
    ),
    ...refusals(['BILLING_NOT_CONFIGURED', ...CALLER], MESSAGES),
  },
});

export const RECEIVE_EVENT = operation({
  operationId: 'receiveEvent',
  tags: ['Billing'],
  summary: "Take an event of Stripe's",
  description: 'For Stripe alone, which signs what it sends. An event that comes twice is dealt with once.',
  security: OPEN,
  parameters: [SIGNATURE],
  requestBody: {
    required: true,
    content: json(
      Type.Object(
        { id: text('Of the event'), type: text('What happened') },
        { $id: 'StripeEvent', additionalProperties: true, description: 'An event, as Stripe documents it' },
      ),
      { ignored: { id: 'evt_1', type: 'customer.created' } },
    ),
  },
  responses: {
    200: answer('It is dealt with', Type.Object({ received: flag('true') }, { $id: 'EventReceived' }), {
      received: { received: true },
    }),
    ...refusals(
      ['INVALID_SIGNATURE', 'REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'BILLING_NOT_CONFIGURED', ...FAULTS],
      { ...MESSAGES, PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 1,048,576 bytes' },
    ),
  },
});
