/** One-time codes and sessions. */
import { and, asc, desc, eq, gt, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Account, Claim, Code, CodeLimits, Session, SignInStore } from '../ports.ts';
import { claim, dropAddress, leaveAccount, moveSessions, takeAddress } from './claim-queries.ts';
import {
  deleteSome,
  given,
  type Queries,
  type SqlDatabase,
  type Statements,
  statementsOn,
} from './database.ts';
import { addressOf, clientOf, FIRST_ACCOUNT, freshAccount, leftId, newAccount } from './ids.ts';
import { accounts, codes, sessions } from './schema.ts';

/** Replaces the address if it has reached its limit of codes. */
const NO_ADDRESS = '';

export class SqlSignIn implements SignInStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  async asksOf(client: string, since: number): Promise<number[]> {
    const asks = await this.#run.asksOf.run({ client, since });
    return asks.map(({ createdAt }) => createdAt);
  }

  async addCode(code: Code, limits: CodeLimits): Promise<boolean | null> {
    const names = [addressOf(code.email), clientOf(code.client)];
    const [added] = await this.#database.alone(names, this.#run.addCode, { ...code, ...limits });
    return added ? added.email !== NO_ADDRESS : null;
  }

  async tryCodes(email: string, now: number, maxTries: number): Promise<Pick<Code, 'id' | 'sha256'>[]> {
    const values = { email, now, maxTries };
    // Read first: a write waits for the lock, and nearly all wrong codes are for addresses without a live code.
    if ((await this.#run.liveCode.run(values)).length === 0) return [];
    return this.#run.tryCodes.run(values);
  }

  async takeCode(id: string, now: number): Promise<boolean> {
    return (await this.#run.takeCode.run({ id, now })).length > 0;
  }

  async accountOfEmail(email: string): Promise<string | null> {
    const [account] = await this.#run.accountOfEmail.run({ email });
    return account?.id ?? null;
  }

  async ensureAccount(email: string, now: number, plan: Account['plan'] = 'developer'): Promise<string> {
    const existing = await this.accountOfEmail(email);
    if (existing !== null) return existing;
    const fresh = freshAccount();
    // The name is the id and not the address: names are unique, and the address may have been that of another account.
    const values = { ...fresh, name: fresh.id, email, plan, at: now };
    const [added] = await this.#database.alone([addressOf(email)], this.#run.addAccount, values);
    // Another request may have created it in between.
    return added?.id ?? (await this.accountOfEmail(email))!;
  }

  async isFirstFree(): Promise<boolean> {
    return (await this.#run.firstFree.run({})).length > 0;
  }

  async takeFirst(email: string): Promise<string | null> {
    return (await this.#run.takeFirst.run({ email }))[0]?.id ?? null;
  }

  async claim(asking: string, keySha256: string): Promise<Claim | null> {
    return (await this.#run.claim.run({ asking, keySha256 }))[0] ?? null;
  }

  moveAddress(asking: string, email: string, account: string, keySha256: string): Promise<boolean> {
    const values = { asking, email, account, keySha256, left: leftId(asking) };
    return this.#database.atomically([
      { statement: this.#run.dropAddress, values, guard: true },
      { statement: this.#run.takeAddress, values, guard: true },
      { statement: this.#run.moveSessions, values },
      { statement: this.#run.leaveAccount, values },
    ]);
  }

  async openSession(session: Session): Promise<void> {
    await this.#run.openSession.run({ ...session });
  }

  sessions(account: string, now: number): Promise<Omit<Session, 'account'>[]> {
    return this.#run.sessions.run({ account, now });
  }

  async closeSession(sha256: string): Promise<boolean> {
    return (await this.#run.closeSession.run({ sha256 })).length > 0;
  }

  async sweep(askedBefore: number, now: number, limit: number): Promise<number> {
    const sweptCodes = await this.#run.sweepCodes.run({ askedBefore, limit });
    const sweptSessions = await this.#run.sweepSessions.run({ now, limit });
    return sweptCodes.length + sweptSessions.length;
  }
}

const now = sql.placeholder('now');
const ofEmail = eq(codes.email, sql.placeholder('email'));
const ofClient = eq(codes.client, sql.placeholder('client'));
const isRecent = gt(codes.createdAt, sql.placeholder('since'));
const isLive = and(
  ofEmail,
  isNull(codes.usedAt),
  gt(codes.expiresAt, now),
  lt(codes.tries, sql.placeholder('maxTries')),
);

const asksOf = (queries: Queries) =>
  queries
    .select({ createdAt: codes.createdAt })
    .from(codes)
    .where(and(ofClient, isRecent))
    .orderBy(asc(codes.createdAt));

/** Counts and inserts in one statement. Callers run it alone, so that concurrent requests cannot exceed a limit. */
function addCode(queries: Queries) {
  const codesOfEmail = sql`(SELECT count(*) FROM ${codes} WHERE ${ofEmail} AND ${isRecent})`;
  const codesOfClient = sql`(SELECT count(*) FROM ${codes} WHERE ${ofClient} AND ${isRecent})`;
  const hasRoom = sql`${codesOfEmail} < ${sql.placeholder('perEmail')}`;
  return queries
    .insert(codes)
    .select(
      sql`SELECT ${sql.placeholder('id')}, CASE WHEN ${hasRoom} THEN ${sql.placeholder('email')} ELSE ${NO_ADDRESS} END,
        ${sql.placeholder('client')}, CASE WHEN ${hasRoom} THEN ${sql.placeholder('sha256')} ELSE NULL END,
        0, ${sql.placeholder('createdAt')}, ${sql.placeholder('expiresAt')}, NULL
        WHERE ${codesOfClient} < ${sql.placeholder('perClient')}`,
    )
    .returning({ email: codes.email });
}

const liveCode = (queries: Queries) => queries.select({ id: codes.id }).from(codes).where(isLive).limit(1);

const tryCodes = (queries: Queries) =>
  queries
    .update(codes)
    .set({ tries: sql`${codes.tries} + 1` })
    .where(isLive)
    .returning({ id: codes.id, sha256: codes.sha256 });

const takeCode = (queries: Queries) =>
  queries
    .update(codes)
    .set({ usedAt: sql`${now}` })
    .where(
      and(
        sql`${codes.email} = (SELECT email FROM codes AS taken WHERE taken.id = ${sql.placeholder('id')} AND taken.used_at IS NULL)`,
        isNull(codes.usedAt),
      ),
    )
    .returning({ email: codes.email });

const accountOfEmail = (queries: Queries) =>
  queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.email, sql.placeholder('email')));

const addAccount = (queries: Queries) =>
  queries.insert(accounts).values(newAccount()).onConflictDoNothing().returning({ id: accounts.id });

const isFree = and(
  eq(accounts.name, FIRST_ACCOUNT),
  isNull(accounts.email),
  sql`NOT EXISTS (SELECT 1 FROM ${accounts} AS others WHERE others.email IS NOT NULL)`,
);

const firstFree = (queries: Queries) => queries.select({ id: accounts.id }).from(accounts).where(isFree);

const takeFirst = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ email: sql`${sql.placeholder('email')}` })
    .where(isFree)
    .returning({ id: accounts.id });

const openSession = (queries: Queries) =>
  queries
    .insert(sessions)
    .values(given('sha256', 'account', 'createdAt', 'expiresAt'))
    .returning({ sha256: sessions.sha256 });

const listSessions = (queries: Queries) =>
  queries
    .select({ sha256: sessions.sha256, createdAt: sessions.createdAt, expiresAt: sessions.expiresAt })
    .from(sessions)
    .where(and(eq(sessions.account, sql.placeholder('account')), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.createdAt), asc(sessions.sha256));

const closeSession = (queries: Queries) =>
  queries
    .delete(sessions)
    .where(eq(sessions.sha256, sql.placeholder('sha256')))
    .returning({ sha256: sessions.sha256 });

const sweepCodes = (queries: Queries) =>
  deleteSome(queries, codes, codes.id, lt(codes.createdAt, sql.placeholder('askedBefore')));

const sweepSessions = (queries: Queries) =>
  deleteSome(queries, sessions, sessions.sha256, lte(sessions.expiresAt, now));

const QUERIES = {
  asksOf,
  addCode,
  liveCode,
  tryCodes,
  takeCode,
  accountOfEmail,
  addAccount,
  firstFree,
  takeFirst,
  claim,
  dropAddress,
  takeAddress,
  moveSessions,
  leaveAccount,
  openSession,
  closeSession,
  sweepCodes,
  sweepSessions,
  sessions: listSessions,
};
