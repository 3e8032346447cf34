/** Subscriptions, entitlements and handled events of the payment provider. */
import { and, asc, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { BillingStore, Payer, Entitlement, Subscription } from '../ports.ts';
import {
  deleteSome,
  given,
  type Queries,
  type SqlDatabase,
  type Statements,
  statementsOn,
} from './database.ts';
import { accounts, subscriptions, webhookEvents } from './schema.ts';

/** Stands for "no customer". */
const NO_CUSTOMER = '';

export class SqlBilling implements BillingStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  async payer(account: string): Promise<Payer | null> {
    // Read the version first: a later write by others then makes `record` fail.
    const [found] = await this.#run.payer.run({ account });
    return found ? { ...found, subscriptions: await this.#run.subscriptions.run({ account }) } : null;
  }

  async accountOf(subscription: string, customer: string): Promise<string | null> {
    const [owner] = await this.#run.accountOfSubscription.run({ subscription });
    const [found] = owner ? [owner] : await this.#run.accountOfCustomer.run({ customer });
    return found?.account ?? null;
  }

  async keepCustomer(account: string, customer: string, instead: string | null): Promise<boolean> {
    const kept = await this.#run.keepCustomer.run({ account, customer, instead: instead ?? NO_CUSTOMER });
    return kept.length > 0;
  }

  record(
    account: string,
    version: number,
    subscription: Subscription,
    { plan, period, until }: Entitlement,
  ): Promise<boolean> {
    const entitlement = { paidPlan: plan, paidFrom: period?.start ?? null, paidTo: period?.end ?? null };
    return this.#database.atomically([
      {
        statement: this.#run.setEntitlement,
        values: { account, version, ...entitlement, paidUntil: until },
        guard: true,
      },
      { statement: this.#run.upsertSubscription, values: { account, ...subscription } },
    ]);
  }

  overdue(
    after: number,
    before: number,
    limit: number,
  ): Promise<{ account: string; subscription: string }[]> {
    return this.#run.overdue.run({ after, before, limit });
  }

  async isDone(event: string): Promise<boolean> {
    return (await this.#run.isDone.run({ event })).length > 0;
  }

  async done(event: string, type: string, at: number): Promise<void> {
    await this.#run.done.run({ event, type, at });
  }

  async prune(before: number, limit: number): Promise<number> {
    return (await this.#run.prune.run({ before, limit })).length;
  }
}

const payer = (queries: Queries) =>
  queries
    .select({
      id: accounts.id,
      email: accounts.email,
      customer: accounts.customer,
      version: accounts.billingVersion,
    })
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('account')));

function subscriptionsOf(queries: Queries) {
  const { account, ...columns } = subscriptions;
  const { id, status, plan, periodStart, periodEnd, createdAt, endedAt } = columns;
  return queries
    .select({ id, status, plan, periodStart, periodEnd, createdAt, endedAt })
    .from(subscriptions)
    .where(eq(account, sql.placeholder('account')))
    .orderBy(asc(createdAt), asc(id));
}

const accountOfSubscription = (queries: Queries) =>
  queries
    .select({ account: subscriptions.account })
    .from(subscriptions)
    .where(eq(subscriptions.id, sql.placeholder('subscription')));

const accountOfCustomer = (queries: Queries) =>
  queries
    .select({ account: accounts.id })
    .from(accounts)
    .where(eq(accounts.customer, sql.placeholder('customer')));

const keepCustomer = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ customer: sql`${sql.placeholder('customer')}` })
    .where(
      and(
        eq(accounts.id, sql.placeholder('account')),
        sql`coalesce(${accounts.customer}, ${NO_CUSTOMER}) = ${sql.placeholder('instead')}`,
        sql`NOT EXISTS (SELECT 1 FROM ${accounts} AS others WHERE others.customer = ${sql.placeholder('customer')})`,
      ),
    )
    .returning({ id: accounts.id });

const setEntitlement = (queries: Queries) =>
  queries
    .update(accounts)
    .set({
      ...given('paidPlan', 'paidFrom', 'paidTo', 'paidUntil'),
      billingVersion: sql`${accounts.billingVersion} + 1`,
    })
    .where(
      and(
        eq(accounts.id, sql.placeholder('account')),
        eq(accounts.billingVersion, sql.placeholder('version')),
      ),
    )
    .returning({ id: accounts.id });

const upsertSubscription = (queries: Queries) =>
  queries
    .insert(subscriptions)
    .values(given('id', 'account', 'status', 'plan', 'periodStart', 'periodEnd', 'createdAt', 'endedAt'))
    .onConflictDoUpdate({
      target: subscriptions.id,
      set: {
        status: sql`excluded.status`,
        plan: sql`excluded.plan`,
        periodStart: sql`excluded.period_start`,
        periodEnd: sql`excluded.period_end`,
        createdAt: sql`excluded.created_at`,
        endedAt: sql`excluded.ended_at`,
      },
    })
    .returning({ id: subscriptions.id });

/** In random order, so that subscriptions that stay overdue do not block others. */
function overdue(queries: Queries) {
  const [after, before] = [sql.placeholder('after'), sql.placeholder('before')];
  return queries
    .select({ account: subscriptions.account, subscription: subscriptions.id })
    .from(accounts)
    .innerJoin(subscriptions, eq(subscriptions.account, accounts.id))
    .where(
      and(
        gt(accounts.paidTo, after),
        lt(accounts.paidTo, before),
        isNull(subscriptions.endedAt),
        lt(subscriptions.periodEnd, before),
      ),
    )
    .orderBy(sql`random()`)
    .limit(sql.placeholder('limit'));
}

const isDone = (queries: Queries) =>
  queries
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(eq(webhookEvents.id, sql.placeholder('event')));

const done = (queries: Queries) =>
  queries
    .insert(webhookEvents)
    .values({ ...given('type'), id: sql.placeholder('event'), receivedAt: sql.placeholder('at') })
    .onConflictDoNothing()
    .returning({ id: webhookEvents.id });

const prune = (queries: Queries) =>
  deleteSome(
    queries,
    webhookEvents,
    webhookEvents.id,
    lt(webhookEvents.receivedAt, sql.placeholder('before')),
  );

const QUERIES = {
  payer,
  subscriptions: subscriptionsOf,
  keepCustomer,
  setEntitlement,
  upsertSubscription,
  overdue,
  prune,
  accountOfSubscription,
  accountOfCustomer,
  isDone,
  done,
};
