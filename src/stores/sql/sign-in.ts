/** One-time codes and sessions. */
import { and, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Code, Session, SignInStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { freshAccount, newAccount } from './ids.ts';
import { accounts, codes, sessions } from './schema.ts';

export class SqlSignIn implements SignInStore {
  readonly #countByEmail: Statement<{ count: number }>;
  readonly #countByClient: Statement<{ count: number }>;
  readonly #addCode: Statement<{ id: string }>;
  readonly #tryCodes: Statement<{ id: string; sha256: string | null }>;
  readonly #takeCode: Statement<{ email: string }>;
  readonly #accountOfEmail: Statement<{ id: string }>;
  readonly #addAccount: Statement<{ id: string }>;
  readonly #openSession: Statement<{ sha256: string }>;
  readonly #closeSession: Statement<{ sha256: string }>;
  readonly #sweepCodes: Statement<{ id: string }>;
  readonly #sweepSessions: Statement<{ sha256: string }>;

  constructor(database: SqlDatabase) {
    const count = sql<number>`count(*)`.mapWith(Number);
    const since = gte(codes.createdAt, sql.placeholder('since'));
    const now = sql.placeholder('now');
    this.#countByEmail = database.statement(queries =>
      queries
        .select({ count })
        .from(codes)
        .where(and(eq(codes.email, sql.placeholder('email')), since)),
    );
    this.#countByClient = database.statement(queries =>
      queries
        .select({ count })
        .from(codes)
        .where(and(eq(codes.client, sql.placeholder('client')), since)),
    );
    this.#addCode = database.statement(queries =>
      queries
        .insert(codes)
        .values({
          id: sql.placeholder('id'),
          email: sql.placeholder('email'),
          client: sql.placeholder('client'),
          sha256: sql.placeholder('sha256'),
          tries: 0,
          createdAt: sql.placeholder('createdAt'),
          expiresAt: sql.placeholder('expiresAt'),
        })
        .returning({ id: codes.id }),
    );
    this.#tryCodes = database.statement(queries =>
      queries
        .update(codes)
        .set({ tries: sql`${codes.tries} + 1` })
        .where(
          and(
            eq(codes.email, sql.placeholder('email')),
            isNotNull(codes.sha256),
            isNull(codes.usedAt),
            gt(codes.expiresAt, now),
            lt(codes.tries, sql.placeholder('maxTries')),
          ),
        )
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

  async codesSince(
    email: string,
    client: string,
    since: number,
  ): Promise<{ byEmail: number; byClient: number }> {
    const [byEmail] = await this.#countByEmail.run({ email, since });
    const [byClient] = await this.#countByClient.run({ client, since });
    return { byEmail: byEmail!.count, byClient: byClient!.count };
  }

  async addCode(code: Code): Promise<void> {
    await this.#addCode.run({ ...code });
  }

  async tryCodes(email: string, now: number, maxTries: number): Promise<{ id: string; sha256: string }[]> {
    const tried = await this.#tryCodes.run({ email, now, maxTries });
    return tried.map(({ id, sha256 }) => ({ id, sha256: sha256! }));
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
    const [added] = await this.#addAccount.run({
      ...freshAccount(),
      name: email,
      email,
      plan: 'developer',
      at: now,
    });
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
