/** API description of /v1/billing. */
import { Type } from '@sinclair/typebox';
import { PLANS } from '../../account/plans.ts';
import { PAID_PLANS } from '../../billing/payments.ts';
import { answer, json, OPEN, operation, type Parameter } from './operation.ts';
import { CALLER, FAULTS, JSON_BODY, refusals } from './refusals.ts';
import { count, largeCount, dateTime, flag, text, word } from '../../contract/values.ts';

const Usage = Type.Object(
  {
    plan: word(Object.keys(PLANS), 'Plan of the account'),
    rowsProcessed: largeCount('Rows of requests that were answered with 200 in this period'),
    requestCount: count('Number of these requests'),
    periodStart: dateTime('Start of the period: that of the subscription, or the calendar month'),
    periodEnd: dateTime('Start of the next period'),
    plansForSale: flag('Whether the operator has set up payments'),
  },
  { $id: 'Billing' },
);

const CheckoutRequest = Type.Object(
  { tier: word(PAID_PLANS, 'The plan to subscribe to') },
  { $id: 'CheckoutRequest' },
);

const PageAddress = Type.Object(
  { url: text('Page of the payment provider to send the user to') },
  { $id: 'PageAddress' },
);

const SubscriptionExists = Type.Object({
  message: text('What is wrong and what to do, for people'),
  code: word(['SUBSCRIPTION_EXISTS'], 'For programs'),
  url: text('The portal, where the user can change the subscription'),
});

const NO_STORE = {
  'Cache-Control': {
    description: 'Keeps caches from storing the page address',
    required: true,
    schema: Type.String(),
    example: 'no-store',
  },
};

const MESSAGES = {
  RATE_LIMITED: 'An account may request these pages: 1 per second, 100 at once',
  SERVICE_UNAVAILABLE: 'The payment provider cannot be reached: try again in a moment',
};

const SIGNATURE: Parameter = {
  name: 'Stripe-Signature',
  in: 'header',
  required: true,
  description: 'Signature of the body and of a time, at most five minutes old',
  schema: Type.String(),
  example: 't=1795262400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
};

export const SHOW_BILLING = operation({
  operationId: 'showBilling',
  tags: ['Billing'],
  summary: 'Plan and usage',
  responses: {
    200: answer('Plan and usage of the current period', Usage, {
      month: {
        plan: 'developer',
        rowsProcessed: 41_200,
        requestCount: 12,
        periodStart: '2026-11-01T00:00:00.000Z',
        periodEnd: '2026-12-01T00:00:00.000Z',
        plansForSale: true,
      },
    }),
    ...refusals(CALLER),
  },
});

export const START_CHECKOUT = operation({
  operationId: 'startCheckout',
  tags: ['Billing'],
  summary: 'Subscribe to a plan',
  description: 'The plan changes when the payment provider confirms the payment.',
  requestBody: { required: true, content: json(CheckoutRequest, { growth: { tier: 'growth' } }) },
  responses: {
    200: answer(
      'The page to pay on',
      PageAddress,
      { page: { url: 'https://checkout.stripe.com/c/pay/cs_1' } },
      NO_STORE,
    ),
    ...refusals([...JSON_BODY, 'BILLING_NOT_CONFIGURED', ...CALLER], {
      ...MESSAGES,
      INVALID_PARAMETER: "tier must be one of starter, growth, scale: it is 'gold'",
    }),
    409: answer(
      '`SUBSCRIPTION_EXISTS`: the account already has a subscription',
      SubscriptionExists,
      {
        SUBSCRIPTION_EXISTS: {
          message: 'The account already has a subscription: change it or fix its payment at url',
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
  summary: 'Change or cancel the subscription',
  responses: {
    200: answer(
      'The page for changes',
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
  summary: 'Receive an event from Stripe',
  description: 'Only for Stripe, which signs its events. A repeated event is handled once.',
  security: OPEN,
  parameters: [SIGNATURE],
  requestBody: {
    required: true,
    content: json(
      Type.Object(
        { id: text('Id of the event'), type: text('Type of the event') },
        { $id: 'StripeEvent', additionalProperties: true, description: 'An event, as Stripe documents it' },
      ),
      { ignored: { id: 'evt_1', type: 'customer.created' } },
    ),
  },
  responses: {
    200: answer('The event is handled', Type.Object({ received: flag('true') }, { $id: 'EventReceived' }), {
      received: { received: true },
    }),
    ...refusals(
      [
        'INVALID_SIGNATURE',
        'INVALID_JSON',
        'INVALID_PARAMETER',
        'REQUEST_TIMEOUT',
        'PAYLOAD_TOO_LARGE',
        'BILLING_NOT_CONFIGURED',
        ...FAULTS,
      ],
      {
        ...MESSAGES,
        INVALID_JSON: 'The event must be a JSON object',
        INVALID_PARAMETER: 'The event is signed, but its id is not an id',
        PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 1,048,576 bytes',
      },
    ),
  },
});
