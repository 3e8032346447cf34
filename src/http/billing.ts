/** /v1/billing: plan and usage, links to the payment provider's pages, and its webhook. */
import { Elysia } from 'elysia';
import { type CheckoutDependencies, checkoutRedirect, portalUrlOf } from '../billing/checkout.ts';
import { PAID_PLANS, type PaidPlan } from '../billing/payments.ts';
import { billingInfo, type UsageDependencies } from '../billing/usage.ts';
import { receiveWebhook, type WebhookDependencies } from '../billing/webhook.ts';
import { ERRORS, type ErrorCode, quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { JsonObject } from '../json-object.ts';
import type { Identity } from '../stores/ports.ts';
import type { Authentication } from './authentication.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { OPEN_PORTAL, RECEIVE_EVENT, SHOW_BILLING, START_CHECKOUT } from './documents/billing.ts';
import { bodyBytes, jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { takeRate } from './rate-limit.ts';

/** For one account. Each call makes one or two requests to the provider, which has one limit for all our accounts. */
const RATE = { requestsPerSecond: 1, burst: 100 };
/** Larger than any event. */
const MAX_WEBHOOK_BYTES = 1024 * 1024;
const EXISTS: ErrorCode = 'SUBSCRIPTION_EXISTS';

export interface BillingRouteDependencies
  extends CallerDependencies,
    UploadLimits,
    CheckoutDependencies,
    UsageDependencies,
    WebhookDependencies {
  authentication: Authentication;
}

export const billingRoutes = (deps: BillingRouteDependencies) =>
  new Elysia()
    .get('/v1/billing', ({ request }) => info(request, deps), { detail: SHOW_BILLING })
    .all('/v1/billing', otherMethods('GET, HEAD'))
    .post('/v1/billing/checkout', ({ request }) => checkout(request, deps), {
      parse: 'none',
      detail: START_CHECKOUT,
    })
    .all('/v1/billing/checkout', otherMethods('POST'))
    .post('/v1/billing/portal', ({ request }) => portal(request, deps), {
      parse: 'none',
      detail: OPEN_PORTAL,
    })
    .all('/v1/billing/portal', otherMethods('POST'))
    .post('/v1/billing/webhook', ({ request }) => webhook(request, deps), {
      parse: 'none',
      detail: RECEIVE_EVENT,
    })
    .all('/v1/billing/webhook', otherMethods('POST'));

async function info(request: Request, deps: BillingRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const { plan, rows, requests, period } = await billingInfo(account, deps);
  return Response.json({
    plan,
    rowsProcessed: rows,
    requestCount: requests,
    periodStart: dateTime(period.start),
    periodEnd: dateTime(period.end),
    plansForSale: deps.payments !== null,
  });
}

async function checkout(request: Request, deps: BillingRouteDependencies): Promise<Response> {
  const { account } = await payingCaller(request, deps);
  const plan = planIn(await jsonBody(request, deps));
  const { to, url } = await checkoutRedirect(account.id, plan, deps);
  return to === 'checkout' ? Response.json({ url }) : subscriptionExists(url);
}

async function portal(request: Request, deps: BillingRouteDependencies): Promise<Response> {
  const { account } = await payingCaller(request, deps);
  return Response.json({ url: await portalUrlOf(account.id, deps) });
}

async function webhook(request: Request, deps: BillingRouteDependencies): Promise<Response> {
  const body = await bodyBytes(request, deps, MAX_WEBHOOK_BYTES);
  await receiveWebhook(body, request.headers.get('stripe-signature') ?? '', deps);
  return Response.json({ received: true });
}

async function payingCaller(request: Request, deps: BillingRouteDependencies): Promise<Identity> {
  const identity = await callerOf(request, deps);
  await takeRate(`${identity.account.id}:payments`, RATE, 'An account may request these pages:', deps);
  return identity;
}

function planIn({ tier }: JsonObject): PaidPlan {
  const plan = PAID_PLANS.find(each => each === tier);
  if (plan !== undefined) return plan;
  const given = typeof tier === 'string' ? quoted(tier) : 'missing or not a string';
  throw new Rejection('INVALID_PARAMETER', `tier must be one of ${PAID_PLANS.join(', ')}: it is ${given}`);
}

const subscriptionExists = (url: string): Response =>
  Response.json(
    {
      message: 'The account already has a subscription: change it or fix its payment at url',
      code: EXISTS,
      url,
    },
    { status: ERRORS[EXISTS] },
  );
