/** Two instances of the program with the same stores, a Stripe beside them, and a developer who needs more. */
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  bodyOf,
  PRICES,
  SECRET_KEY,
  signatureOf,
  StripeServer,
  WEBHOOK_SECRET,
} from '../billing/stripe-server.ts';
import { PostgresServer } from '../servers/postgres.ts';
import { eventually } from '../servers/process.ts';
import { RedisServer } from '../servers/redis.ts';
import { describeWithPostgres, describeWithRedis } from '../servers/suites.ts';
import { KEY, newFolder, Server } from './server.ts';

const ROW = JSON.stringify({ source: 'orders', rows: [{ id: 1 }] });

const environment = (stripe: StripeServer): Record<string, string> => ({
  BOOTSTRAP_PLAN: 'developer',
  PUBLIC_URL: 'https://sluice.corp.com',
  STRIPE_SECRET_KEY: SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_PRICE_STARTER: PRICES.starter,
  STRIPE_PRICE_GROWTH: PRICES.growth,
  STRIPE_PRICE_SCALE: PRICES.scale,
  STRIPE_API_BASE: stripe.url,
});

/** The month that the developer's rows count in, and the next, in which the test may end. */
const months = (): number[] => {
  const date = new Date();
  return [0, 1].map(more => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + more));
};

/** A folder with an account that has used its allowance. */
async function exhausted(stripe: StripeServer): Promise<string> {
  const folder = newFolder();
  const server = await Server.start(environment(stripe), folder);
  await server.kill('SIGTERM');
  const database = new Database(join(folder, 'sluice.sqlite'));
  for (const month of months())
    database.run('INSERT INTO ledger SELECT id, ?, 0, 500000, 50 FROM accounts', [month]);
  database.close();
  return folder;
}

async function post(server: Server, path: string, body: string | null, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body,
    // Each request on a connection of its own: the kernel shares them out among workers.
    headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

async function screened(server: Server) {
  const { status, headers, body } = await post(server, '/v1/screen', ROW, { 'X-API-Key': KEY });
  const [plan, remaining] = ['plan', 'remaining'].map(name => headers.get(`x-ratelimit-${name}`));
  return { status, code: body.code, plan, remaining: remaining === null ? null : Number(remaining) };
}

/** Both have just looked up the account, and still hold what they found. */
async function bothRefuse(one: Server, other: Server): Promise<void> {
  for (const server of [one, other])
    expect(await screened(server)).toMatchObject({ status: 429, code: 'PLAN_LIMIT_EXCEEDED' });
}

/** Buys a plan at one instance, and sends the webhook to the same. */
async function buy(tier: string, server: Server, stripe: StripeServer) {
  const { body } = await post(server, '/v1/billing/checkout', JSON.stringify({ tier }), { 'X-API-Key': KEY });
  const session = String(body.url).split('/').at(-1)!;
  const now = Math.floor(Date.now() / 1000);
  const subscription = stripe.pay(session, now);
  const event = bodyOf(stripe.checkoutCompleted(session, subscription));
  const sent = await post(server, '/v1/billing/webhook', event, {
    'Stripe-Signature': signatureOf(event, now),
  });
  expect(sent.status).toBe(200);
  return subscription;
}

async function developerWhoNeedsMore(one: Server, other: Server, stripe: StripeServer): Promise<void> {
  await bothRefuse(one, other);
  await buy('starter', one, stripe);
  expect(await screened(other)).toMatchObject({ status: 200, plan: 'starter', remaining: 4_999_999 });
  expect(await screened(one)).toMatchObject({ status: 200, plan: 'starter', remaining: 4_999_998 });
  const billing = await fetch(`${other.url}/v1/billing`, { headers: { 'X-API-Key': KEY } });
  expect(await billing.json()).toMatchObject({ plan: 'starter', rowsProcessed: 2, requestCount: 2 });
}

describe('a developer account that has used its allowance passes with a paid plan, at once and everywhere', () => {
  test('on SQLite, and also after a start that names another plan', async () => {
    const stripe = new StripeServer();
    const folder = await exhausted(stripe);
    await using one = await Server.start(environment(stripe), folder);
    await using other = await Server.start(environment(stripe), folder);
    await developerWhoNeedsMore(one, other, stripe);
    await one.kill('SIGTERM');
    await using again = await Server.start(environment(stripe), folder);
    expect(await screened(again)).toMatchObject({ status: 200, plan: 'starter', remaining: 4_999_997 });
    stripe.stop();
  });
});

describeWithPostgres('with Postgres', () => {
  describeWithRedis('and Redis', () => {
    test('the same account passes in every replica', async () => {
      const stripe = new StripeServer();
      const [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
      try {
        const url = await postgres.newDatabase();
        const shared = { ...environment(stripe), DATABASE_URL: url, REDIS_URL: redis.url };
        await using one = await Server.start(shared);
        await using other = await Server.start(shared);
        for (const month of months())
          await postgres.query(
            `INSERT INTO ledger SELECT id, ${month}, 0, 500000, 50 FROM accounts`,
            url.slice(url.lastIndexOf('/') + 1),
          );
        // A Redis that has none of the counts grants nothing for some seconds. A developer may ask ten times a second.
        await eventually(async () => {
          await Bun.sleep(200);
          expect(await screened(one)).toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
        });
        await developerWhoNeedsMore(one, other, stripe);
      } finally {
        stripe.stop();
        await Promise.all([postgres.process.remove(), redis.process.remove()]);
      }
    });
  });
});
