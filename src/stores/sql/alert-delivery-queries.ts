/** SQL queries of `alerts.ts`: the outbox, and the mails that were sent from it. */
import { and, asc, desc, eq, gt, inArray, lt, lte, ne, notExists, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { deleteSome, given, type Queries } from './database.ts';
import { alertChannels, alertDeliveries, alertMails } from './schema.ts';

const id = sql.placeholder('id');
const account = sql.placeholder('account');
const limit = sql.placeholder('limit');
const before = sql.placeholder('before');

/** Does nothing if the channel was deleted, or `most` messages wait for it. */
export const addDelivery = (queries: Queries) =>
  queries
    .insert(alertDeliveries)
    .select(
      sql`SELECT ${id}, ${account}, id, ${sql.placeholder('incident')}, ${sql.placeholder('type')}, ${sql.placeholder('payload')},
        ${sql.placeholder('status')}, 0, ${sql.placeholder('createdAt')}, ${sql.placeholder('nextAt')}, NULL, NULL
        FROM ${alertChannels} WHERE id = ${sql.placeholder('channel')} AND (SELECT count(*) FROM ${alertDeliveries}
          WHERE ${alertDeliveries.channel} = ${sql.placeholder('channel')} AND ${alertDeliveries.status} = 'pending') < ${sql.placeholder('most')}`,
    )
    .returning({ id: alertDeliveries.id });

/** Makes those of an incident that pause beyond `pausing` due now. Their attempts still count: a message is given up after a day. */
export const hastenDeliveries = (queries: Queries) =>
  queries
    .update(alertDeliveries)
    .set({ nextAt: sql`${sql.placeholder('now')}` })
    .where(
      and(
        eq(alertDeliveries.incident, id),
        eq(alertDeliveries.status, 'pending'),
        // Without the sum, SQLite looks at all that pause.
        sql`${alertDeliveries.nextAt} + 0 > ${sql.placeholder('pausing')}`,
      ),
    )
    .returning({ id: alertDeliveries.id });

/** Keeps the newest `most` deliveries of a channel, and those that wait. */
export const trimDeliveries = (queries: Queries) => {
  const { id, channel, status } = alertDeliveries;
  const ofChannel = eq(channel, sql.placeholder('channel'));
  const newest = queries.select({ id }).from(alertDeliveries).where(ofChannel).orderBy(desc(id));
  const oldestKept = newest.limit(1).offset(sql.placeholder('most'));
  return queries
    .delete(alertDeliveries)
    .where(and(ofChannel, ne(status, 'pending'), lte(id, sql`(${oldestKept})`)))
    .returning({ id });
};

/** The oldest of each channel that may be sent: a channel with many must not hide those of others. */
export const dueDeliveries = (queries: Queries) => {
  const { id, account, channel, incident, nextAt, attempts, status } = alertDeliveries;
  const earlier = alias(alertDeliveries, 'earlier');
  const isFirst = notExists(
    queries
      .select({ id: earlier.id })
      .from(earlier)
      .where(
        and(
          eq(earlier.incident, incident),
          eq(earlier.channel, channel),
          eq(earlier.status, 'pending'),
          lt(earlier.id, id),
        ),
      ),
  );
  const isDue = and(eq(status, 'pending'), lte(nextAt, sql.placeholder('now')), isFirst);
  const oldest = queries
    .select({ id: sql`min(${id})` })
    .from(alertDeliveries)
    .where(isDue)
    .groupBy(channel);
  return queries
    .select({ id, account, channel, nextAt, attempts })
    .from(alertDeliveries)
    .where(inArray(id, oldest))
    .orderBy(asc(nextAt), asc(id))
    .limit(limit);
};

/** Mails of an account that were sent after a time. */
export const countMails = (queries: Queries) =>
  queries
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(alertMails)
    .where(and(eq(alertMails.account, account), gt(alertMails.at, sql.placeholder('since'))));

export const addMail = (queries: Queries) =>
  queries
    .insert(alertMails)
    .values({ account, at: sql.placeholder('at') })
    .returning({ at: alertMails.at });

export const forgetMails = (queries: Queries) =>
  queries
    .delete(alertMails)
    .where(and(eq(alertMails.account, account), lte(alertMails.at, sql.placeholder('since'))))
    .returning({ at: alertMails.at });

export const takeDelivery = (queries: Queries) =>
  queries
    .update(alertDeliveries)
    .set({ nextAt: sql`${sql.placeholder('until')}`, attempts: sql`${alertDeliveries.attempts} + 1` })
    .where(
      and(
        eq(alertDeliveries.id, id),
        eq(alertDeliveries.nextAt, sql.placeholder('nextAt')),
        eq(alertDeliveries.status, 'pending'),
      ),
    )
    .returning();

export const channelOf = (queries: Queries) =>
  queries.select().from(alertChannels).where(eq(alertChannels.id, id));

export const settleDelivery = (queries: Queries) =>
  queries
    .update(alertDeliveries)
    .set(given('status', 'nextAt', 'settledAt', 'error'))
    .where(eq(alertDeliveries.id, id))
    .returning({ id: alertDeliveries.id });

/** `channel`: the empty text stands for any. */
export const listDeliveries = (queries: Queries) =>
  queries
    .select()
    .from(alertDeliveries)
    .where(
      and(
        eq(alertDeliveries.account, account),
        lt(alertDeliveries.id, before),
        sql`(${sql.placeholder('channel')} = '' OR ${alertDeliveries.channel} = ${sql.placeholder('channel')})`,
      ),
    )
    .orderBy(desc(alertDeliveries.id))
    .limit(limit);

export const resendDelivery = (queries: Queries) =>
  queries
    .update(alertDeliveries)
    .set({
      status: 'pending',
      attempts: 0,
      nextAt: sql`${sql.placeholder('now')}`,
      settledAt: null,
      error: null,
    })
    .where(
      and(
        eq(alertDeliveries.id, id),
        eq(alertDeliveries.account, account),
        ne(alertDeliveries.status, 'pending'),
      ),
    )
    .returning();

/** Pending ones too: they are older than any attempt. */
export const pruneDeliveries = (queries: Queries) =>
  deleteSome(queries, alertDeliveries, alertDeliveries.id, lt(alertDeliveries.createdAt, before));
