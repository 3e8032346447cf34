/** Whose a key or a session is; and the account that a start may bring along. */
import { and, eq, gt, or, sql } from 'drizzle-orm';
import type { Account, Identity, IdentityStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { freshAccount, newAccount, newId } from './ids.ts';
import { accounts, keys, sessions } from './schema.ts';

/** A key that shall exist, and its account's name and plan. */
export interface KeyGrant {
  account: string;
  /** Who may sign in to it; null leaves that as it is. */
  email: string | null;
  plan: Account['plan'];
  keySha256: string;
  /** The leading part that may be shown. */
  keyPrefix: string;
  name: string;
  /** Now, in ms. */
  at: number;
}

const ACCOUNT = { id: accounts.id, name: accounts.name, plan: accounts.plan, salt: accounts.salt };
type AccountRow = Omit<Account, 'salt'> & { salt: Buffer };

const accountIn = ({ id, name, plan, salt }: AccountRow): Account => ({
  id,
  name,
  plan,
  salt: new Uint8Array(salt),
});

export class SqlIdentities implements IdentityStore {
  readonly #ownerOfKey: Statement<AccountRow & { key: string }>;
  readonly #ownerOfSession: Statement<AccountRow & { expiresAt: number }>;
  readonly #keyOf: Statement<{ id: string }>;
  readonly #setPlan: Statement<{ id: string }>;
  readonly #ensureAccount: Statement<{ id: string }>;
  readonly #addKey: Statement<{ id: string }>;
  readonly #setEmail: Statement<{ id: string }>;
  readonly #accountOfName: Statement<{ id: string }>;
  readonly #accountCalled: Statement<{ id: string }>;

  constructor(database: SqlDatabase) {
    this.#ownerOfKey = database.statement(queries =>
      queries
        .select({ ...ACCOUNT, key: keys.id })
        .from(keys)
        .innerJoin(accounts, eq(keys.account, accounts.id))
        .where(eq(keys.sha256, sql.placeholder('sha256'))),
    );
    this.#ownerOfSession = database.statement(queries =>
      queries
        .select({ ...ACCOUNT, expiresAt: sessions.expiresAt })
        .from(sessions)
        .innerJoin(accounts, eq(sessions.account, accounts.id))
        .where(
          and(eq(sessions.sha256, sql.placeholder('sha256')), gt(sessions.expiresAt, sql.placeholder('now'))),
        ),
    );
    this.#keyOf = database.statement(queries =>
      queries
        .select({ id: keys.id })
        .from(keys)
        .innerJoin(accounts, eq(keys.account, accounts.id))
        .where(eq(accounts.name, sql.placeholder('name')))
        .limit(1),
    );
    this.#setPlan = database.statement(queries =>
      queries
        .update(accounts)
        .set({ plan: sql`${sql.placeholder('plan')}` })
        .where(eq(accounts.id, sql.placeholder('id')))
        .returning({ id: accounts.id }),
    );
    this.#ensureAccount = database.statement(queries =>
      queries
        .insert(accounts)
        .values(newAccount())
        .onConflictDoUpdate({ target: accounts.name, set: { plan: sql`excluded.plan` } })
        .returning({ id: accounts.id }),
    );
    this.#addKey = database.statement(queries =>
      queries
        .insert(keys)
        .values({
          id: sql.placeholder('id'),
          account: sql.placeholder('account'),
          name: sql.placeholder('name'),
          prefix: sql.placeholder('prefix'),
          sha256: sql.placeholder('sha256'),
          createdAt: sql.placeholder('createdAt'),
        })
        .onConflictDoNothing()
        .returning({ id: keys.id }),
    );
    this.#setEmail = database.statement(queries =>
      queries
        .update(accounts)
        .set({ email: sql`${sql.placeholder('email')}` })
        .where(
          and(
            eq(accounts.id, sql.placeholder('id')),
            sql`NOT EXISTS (SELECT 1 FROM ${accounts} AS others WHERE others.email = ${sql.placeholder('email')} AND others.id <> ${sql.placeholder('id')})`,
          ),
        )
        .returning({ id: accounts.id }),
    );
    this.#accountOfName = database.statement(queries =>
      queries
        .select({ id: accounts.id })
        .from(accounts)
        .where(eq(accounts.name, sql.placeholder('name'))),
    );
    this.#accountCalled = database.statement(queries =>
      queries
        .select({ id: accounts.id })
        .from(accounts)
        .where(or(eq(accounts.id, sql.placeholder('called')), eq(accounts.name, sql.placeholder('called')))),
    );
  }

  /** The account of this id or name; null when there is none. */
  async accountCalled(called: string): Promise<string | null> {
    const [account] = await this.#accountCalled.run({ called });
    return account?.id ?? null;
  }

  async ownerOfKey(sha256: string): Promise<Identity | null> {
    const [found] = await this.#ownerOfKey.run({ sha256 });
    return found ? { account: accountIn(found), key: found.key } : null;
  }

  async ownerOfSession(sha256: string, now: number): Promise<(Identity & { expiresAt: number }) | null> {
    const [found] = await this.#ownerOfSession.run({ sha256, now });
    return found ? { account: accountIn(found), key: null, expiresAt: found.expiresAt } : null;
  }

  /** Whether the account of this name has a key at all. */
  async hasKey(account: string): Promise<boolean> {
    return (await this.#keyOf.run({ name: account })).length > 0;
  }

  /**
   * After this the key exists and its account has the plan; calling it again changes nothing more. A new account
   * gets a new salt. A key that another account has stays there, and it is that account that gets plan and address.
   * False when the address is another account's: that stays so, and the key is not added.
   */
  async ensureKey(grant: KeyGrant): Promise<boolean> {
    const owner = await this.ownerOfKey(grant.keySha256);
    const id = owner?.account.id ?? (await this.#accountFor(grant));
    // Before the key: one that is made and then not shown, because the start failed, would be lost.
    if (grant.email !== null && !(await this.#takesEmail(id, grant.email))) return false;
    if (owner) await this.#setPlan.run({ id, plan: grant.plan });
    else {
      const { name, keyPrefix: prefix, keySha256: sha256, at: createdAt } = grant;
      await this.#addKey.run({ id: newId('key'), account: id, name, prefix, sha256, createdAt });
    }
    return true;
  }

  /** After this the address signs in to the account of this name, if there is one. False when the address is another account's. */
  async ensureEmail(name: string, email: string): Promise<boolean> {
    const [account] = await this.#accountOfName.run({ name });
    return account === undefined || this.#takesEmail(account.id, email);
  }

  async #takesEmail(id: string, email: string): Promise<boolean> {
    return (await this.#setEmail.run({ id, email })).length > 0;
  }

  async #accountFor({ account: name, plan, at }: KeyGrant): Promise<string> {
    const [account] = await this.#ensureAccount.run({ ...freshAccount(), name, email: null, plan, at });
    return account!.id;
  }
}
