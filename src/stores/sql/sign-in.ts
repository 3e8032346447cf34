/** One-time codes and sessions. */
import { and, asc, eq, gt, inArray, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Code, CodeLimits, Session, SignInStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { addressOf, clientOf, freshAccount, newAccount } from './ids.ts';
import { accounts, codes, sessions } from './schema.ts';

/** In the place of the address where it had its codes already. */
const NOBODY = '';

export class SqlSignIn implements SignInStore {
  readonly #database: SqlDatabase;
  readonly #asksOf: Statement<{ createdAt: number }>;
  readonly #addCode: Statement<{ email: string }>;
  readonly #liveCode: Statement<{ id: string }>;
  readonly #tryCodes: Statement<Pick<Code, 'id' | 'sha256'>>;
  readonly #takeCode: Statement<{ email: string }>;
  readonly #accountOfEmail: Statement<{ id: string }>;
  readonly #addAccount: Statement<{ id: string }>;
  readonly #openSession: Statement<{ sha256: string }>;
  readonly #closeSession: Statement<{ sha256: string }>;
  readonly #sweepCodes: Statement<{ id: string }>;
  readonly #sweepSessions: Statement<{ sha256: string }>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    const now = sql.placeholder('now');
    const email = eq(codes.email, sql.placeholder('email'));
    const client = eq(codes.client, sql.placeholder('client'));
    const lately = gt(codes.createdAt, sql.placeholder('since'));
    this.#asksOf = database.statement(queries =>
      queries
        .select({ createdAt: codes.createdAt })
        .from(codes)
        .where(and(client, lately))
        .orderBy(asc(codes.createdAt)),
    );
    // Counts and inserts in one statement; run alone, so no number of callers passes a limit.
    const had = sql`(SELECT count(*) FROM ${codes} WHERE ${email} AND ${lately})`;
    const hasRoom = sql`${had} < ${sql.placeholder('perEmail')}`;
    const asked = sql`(SELECT count(*) FROM ${codes} WHERE ${client} AND ${lately})`;
    this.#addCode = database.statement(queries =>
      queries
        .insert(codes)
        .select(
          sql`SELECT ${sql.placeholder('id')}, CASE WHEN ${hasRoom} THEN ${sql.placeholder('email')} ELSE ${NOBODY} END,
            ${sql.placeholder('client')}, CASE WHEN ${hasRoom} THEN ${sql.placeholder('sha256')} ELSE NULL END,
            0, ${sql.placeholder('createdAt')}, ${sql.placeholder('expiresAt')}, NULL
            WHERE ${asked} < ${sql.placeholder('perClient')}`,
        )
        .returning({ email: codes.email }),
    );
    const live = and(
      email,
      isNull(codes.usedAt),
      gt(codes.expiresAt, now),
      lt(codes.tries, sql.placeholder('maxTries')),
    );
    this.#liveCode = database.statement(queries =>
      queries.select({ id: codes.id }).from(codes).where(live).limit(1),
    );
    this.#tryCodes = database.statement(queries =>
      queries
        .update(codes)
        .set({ tries: sql`${codes.tries} + 1` })
        .where(live)
        .returning({ id: codes.id, sha256: codes.sha256 }),
    );
    this.#takeCode = database.statement(queries =>
      queries
        .update(codes)
        .set({ usedAt: sql`${now}` })
        .where(
          and(
            sql`${codes.email} = (SELECT email FROM codes AS taken WHERE taken.id = ${sql.placeholder('id')} AND taken.used_at IS NULL)`,
            isNull(codes.usedAt),
          ),
        )
        .returning({ email: codes.email }),
    );
    this.#accountOfEmail = database.statement(queries =>
      queries
        .select({ id: accounts.id })
        .from(accounts)
        .where(eq(accounts.email, sql.placeholder('email'))),
    );
    this.#addAccount = database.statement(queries =>
      queries.insert(accounts).values(newAccount()).onConflictDoNothing().returning({ id: accounts.id }),
    );
    this.#openSession = database.statement(queries =>
      queries
        .insert(sessions)
        .values({
          sha256: sql.placeholder('sha256'),
          account: sql.placeholder('account'),
          createdAt: sql.placeholder('createdAt'),
          expiresAt: sql.placeholder('expiresAt'),
        })
        .returning({ sha256: sessions.sha256 }),
    );
    this.#closeSession = database.statement(queries =>
      queries
        .delete(sessions)
        .where(eq(sessions.sha256, sql.placeholder('sha256')))
        .returning({ sha256: sessions.sha256 }),
    );
    const limit = sql.placeholder('limit');
    this.#sweepCodes = database.statement(queries => {
      const old = lt(codes.createdAt, sql.placeholder('askedBefore'));
      const some = queries.select({ id: codes.id }).from(codes).where(old).limit(limit);
      return queries.delete(codes).where(inArray(codes.id, some)).returning({ id: codes.id });
    });
    this.#sweepSessions = database.statement(queries => {
      const { sha256, expiresAt } = sessions;
      const some = queries.select({ sha256 }).from(sessions).where(lte(expiresAt, now)).limit(limit);
      return queries.delete(sessions).where(inArray(sha256, some)).returning({ sha256 });
    });
  }

  async asksOf(client: string, since: number): Promise<number[]> {
    const asks = await this.#asksOf.run({ client, since });
    return asks.map(({ createdAt }) => createdAt);
  }

  async addCode(code: Code, limits: CodeLimits): Promise<boolean | null> {
    const names = [addressOf(code.email), clientOf(code.client)];
    const [added] = await this.#database.alone(names, this.#addCode, { ...code, ...limits });
    return added ? added.email !== NOBODY : null;
  }

  async tryCodes(email: string, now: number, maxTries: number): Promise<Pick<Code, 'id' | 'sha256'>[]> {
    const values = { email, now, maxTries };
    // Reading first: a write would wait for the lock, and nearly every wrong code is for an address without a live one.
    if ((await this.#liveCode.run(values)).length === 0) return [];
    return this.#tryCodes.run(values);
  }

  async takeCode(id: string, now: number): Promise<boolean> {
    return (await this.#takeCode.run({ id, now })).length > 0;
  }

  async accountOfEmail(email: string): Promise<string | null> {
    const [account] = await this.#accountOfEmail.run({ email });
    return account?.id ?? null;
  }

  async ensureAccount(email: string, now: number): Promise<string> {
    const existing = await this.accountOfEmail(email);
    if (existing !== null) return existing;
    const fresh = freshAccount();
    // Names are unique, and the address may be that of an account which now has another one.
    const values = { ...fresh, name: fresh.id, email, plan: 'developer', at: now };
    const [added] = await this.#database.alone([addressOf(email)], this.#addAccount, values);
    // Somebody else may have made it in between.
    return added?.id ?? (await this.accountOfEmail(email))!;
  }

  async openSession(session: Session): Promise<void> {
    await this.#openSession.run({ ...session });
  }

  async closeSession(sha256: string): Promise<boolean> {
    return (await this.#closeSession.run({ sha256 })).length > 0;
  }

  async sweep(askedBefore: number, now: number, limit: number): Promise<number> {
    const sweptCodes = await this.#sweepCodes.run({ askedBefore, limit });
    const sweptSessions = await this.#sweepSessions.run({ now, limit });
    return sweptCodes.length + sweptSessions.length;
  }
}
