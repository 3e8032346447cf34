/** /v1/billing: plan and usage, links to the payment provider's pages, and its webhook. */
import { Type } from '@sinclair/typebox';
import { type CheckoutDependencies, checkoutRedirect, portalUrlOf } from '../../billing/checkout.ts';
import { billingInfo, type UsageDependencies } from '../../billing/usage.ts';
import { receiveWebhook, type WebhookDependencies } from '../../billing/webhook.ts';
import { ERRORS } from '../../terms/errors.ts';
import type { UploadLimits } from '../../intake/upload.ts';
import type { Identity } from '../../stores/ports.ts';
import { ACCOUNT, ANYBODY, type Callers } from '../caller.ts';
import { dateTime } from '../date-time.ts';
import { answer, json, noStore } from '../documents/operation.ts';
import { bodyBytes } from '../json-body.ts';
import { takeRate } from '../rate-limit.ts';
import { route } from '../route.ts';
import {
  CheckoutRequest,
  EventReceived,
  PageAddress,
  StripeEvent,
  SubscriptionExists,
  Usage,
} from './schema.ts';

/** For one account. Each call makes one or two requests to the provider, which has one limit for all our accounts. */
const RATE = { requestsPerSecond: 1, burst: 100 };
/** Larger than any event. */
const MAX_WEBHOOK_BYTES = 1024 * 1024;

const PAYING: Callers<Identity> = {
  refusals: ACCOUNT.refusals,
  async identify(request, deps) {
    const identity = await ACCOUNT.identify(request, deps);
    await takeRate(`${identity.account.id}:payments`, RATE, 'An account may request these pages:', deps);
    return identity;
  },
};

const NO_STORE = noStore('the page address');
const MESSAGES = {
  RATE_LIMITED: 'An account may request these pages: 1 per second, 100 at once',
  SERVICE_UNAVAILABLE: 'The payment provider cannot be reached: try again in a moment',
};
const EXISTS = 'The account already has a subscription: change it or fix its payment at url';

const show = route('GET /v1/billing', {
  operationId: 'showBilling',
  tag: 'Billing',
  summary: 'Plan and usage',
  answers: {
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
  },
  async handle({ caller: { account } }, deps: UsageDependencies & CheckoutDependencies) {
    const { plan, rows, requests, period } = await billingInfo(account, deps);
    return {
      plan,
      rowsProcessed: rows,
      requestCount: requests,
      periodStart: dateTime(period.start),
      periodEnd: dateTime(period.end),
      plansForSale: deps.payments !== null,
    };
  },
});

const startCheckout = route('POST /v1/billing/checkout', {
  operationId: 'startCheckout',
  tag: 'Billing',
  summary: 'Subscribe to a plan',
  description: 'The plan changes when the payment provider confirms the payment.',
  callers: PAYING,
  body: { schema: CheckoutRequest, examples: { growth: { tier: 'growth' } } },
  answers: {
    200: answer(
      'The page to pay on',
      PageAddress,
      { page: { url: 'https://checkout.stripe.com/c/pay/cs_1' } },
      NO_STORE,
    ),
    409: answer(
      '`SUBSCRIPTION_EXISTS`: the account already has a subscription',
      SubscriptionExists,
      {
        SUBSCRIPTION_EXISTS: {
          message: EXISTS,
          code: 'SUBSCRIPTION_EXISTS',
          url: 'https://billing.stripe.com/p/session/bps_1',
        },
      },
      NO_STORE,
    ),
  },
  refusals: ['BILLING_NOT_CONFIGURED'],
  messages: MESSAGES,
  async handle({ caller: { account }, body }, deps: CheckoutDependencies) {
    const { to, url } = await checkoutRedirect(account.id, body.tier, deps);
    if (to === 'checkout') return { url };
    const code = 'SUBSCRIPTION_EXISTS';
    return Response.json({ message: EXISTS, code, url }, { status: ERRORS[code] });
  },
});

const openPortal = route('POST /v1/billing/portal', {
  operationId: 'openPortal',
  tag: 'Billing',
  summary: 'Change or cancel the subscription',
  callers: PAYING,
  answers: {
    200: answer(
      'The page for changes',
      PageAddress,
      { page: { url: 'https://billing.stripe.com/p/session/bps_1' } },
      NO_STORE,
    ),
  },
  refusals: ['BILLING_NOT_CONFIGURED'],
  messages: MESSAGES,
  handle: async ({ caller: { account } }, deps: CheckoutDependencies) => ({
    url: await portalUrlOf(account.id, deps),
  }),
});

const receiveEvent = route('POST /v1/billing/webhook', {
  operationId: 'receiveEvent',
  tag: 'Billing',
  summary: 'Receive an event from Stripe',
  description: 'Only for Stripe, which signs its events. A repeated event is handled once.',
  callers: ANYBODY,
  headers: [
    {
      name: 'Stripe-Signature',
      in: 'header',
      required: true,
      description: 'Signature of the body and of a time, at most five minutes old',
      schema: Type.String(),
      example: 't=1795262400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
    },
  ],
  content: {
    required: true,
    content: json(StripeEvent, { ignored: { id: 'evt_1', type: 'customer.created' } }),
  },
  answers: { 200: answer('The event is handled', EventReceived, { received: { received: true } }) },
  refusals: [
    'INVALID_SIGNATURE',
    'INVALID_JSON',
    'INVALID_PARAMETER',
    'REQUEST_TIMEOUT',
    'PAYLOAD_TOO_LARGE',
    'BILLING_NOT_CONFIGURED',
    'INTERNAL',
    'SERVICE_UNAVAILABLE',
  ],
  messages: {
    ...MESSAGES,
    INVALID_JSON: 'The event must be a JSON object',
    INVALID_PARAMETER: 'The event is signed, but its id is not an id',
    PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 1,048,576 bytes',
  },
  async handle({ request }, deps: WebhookDependencies & UploadLimits) {
    const body = await bodyBytes(request, deps, MAX_WEBHOOK_BYTES);
    await receiveWebhook(body, request.headers.get('stripe-signature') ?? '', deps);
    return { received: true };
  },
});

export const billingRoutes = [show, startCheckout, openPortal, receiveEvent];
