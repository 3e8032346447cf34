/** Requests and answers of /v1/billing. */
import { Type } from '@sinclair/typebox';
import { PLANS } from '../../account/plans.ts';
import { PAID_PLANS } from '../../billing/payments.ts';
import { count, dateTime, flag, largeCount, text, word } from '../../report-schema/values.ts';

export const Usage = Type.Object(
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

export const CheckoutRequest = Type.Object(
  { tier: word(PAID_PLANS, 'The plan to subscribe to') },
  { $id: 'CheckoutRequest' },
);

export const PageAddress = Type.Object(
  { url: text('Page of the payment provider to send the user to') },
  { $id: 'PageAddress' },
);

export const SubscriptionExists = Type.Object({
  message: text('What is wrong and what to do, for people'),
  code: word(['SUBSCRIPTION_EXISTS'], 'For programs'),
  url: text('The portal, where the user can change the subscription'),
});

export const StripeEvent = Type.Object(
  { id: text('Id of the event'), type: text('Type of the event') },
  { $id: 'StripeEvent', additionalProperties: true, description: 'An event, as Stripe documents it' },
);

export const EventReceived = Type.Object({ received: flag('true') }, { $id: 'EventReceived' });
