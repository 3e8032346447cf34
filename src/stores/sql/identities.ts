/** Whose a key or a session is; and the account that a start may bring along. */
import { and, eq, gt, or, sql } from 'drizzle-orm';
import type { Account, Identity, IdentityStore } from '../ports.ts';
import type { SqlDatabase, Statement } from './database.ts';
import { addressOf, freshAccount, keysOf, newAccount, newId } from './ids.ts';
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

const { id, name, plan, salt, paidPlan, paidFrom, paidTo, paidUntil } = accounts;
const ACCOUNT = { id, name, plan, salt, paidPlan, paidFrom, paidTo, paidUntil };
interface AccountRow extends Pick<Account, 'id' | 'name' | 'plan' | 'paidUntil'> {
  salt: Buffer;
  paidPlan: Account['plan'] | null;
  paidFrom: number | null;
  paidTo: number | null;
}

/** What is paid for goes before what is given. */
const accountIn = ({ salt, plan, paidPlan, paidFrom, paidTo, id, name, paidUntil }: AccountRow): Account => ({
  id,
  name,
  plan: paidPlan ?? plan,
  paidPeriod: paidFrom === null || paidTo === null ? null : { start: paidFrom, end: paidTo },
  paidUntil,
  salt: new Uint8Array(salt),
});

export class SqlIdentities implements IdentityStore {
  readonly #database: SqlDatabase;
  readonly #ownerOfKey: Statement<AccountRow & { key: string }>;
  readonly #ownerOfSession: Statement<AccountRow & { expiresAt: number }>;
  readonly #keyOf: Statement<{ id: string }>;
  readonly #setPlan: Statement<{ id: string }>;
  readonly #ensureAccount: Statement<{ id: string }>;
  readonly #addKey: Statement<{ id: string }>;
  readonly #addFirstKey: Statement<{ id: string }>;
  readonly #setEmail: Statement<{ id: string }>;
  readonly #accountOfName: Statement<{ id: string }>;
  readonly #accountCalled: Statement<{ id: string }>;

  constructor(database: SqlDatabase) {
    this.#database = database;
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
    this.#addFirstKey = database.statement(queries =>
      queries
        .insert(keys)
        .select(
          sql`SELECT ${sql.placeholder('id')}, ${sql.placeholder('account')}, ${sql.placeholder('name')},
            ${sql.placeholder('prefix')}, ${sql.placeholder('sha256')}, ${sql.placeholder('createdAt')}, NULL
            WHERE NOT EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.account} = ${sql.placeholder('account')})`,
        )
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
    else await this.#addKey.run(newKey(id, grant));
    return true;
  }

  /**
   * The same for an account that has no key yet, of however many that find it so at once for one. Null when it has
   * one, and the key is not added.
   */
  async ensureFirstKey(grant: KeyGrant): Promise<boolean | null> {
    const id = await this.#accountFor(grant);
    if (grant.email !== null && !(await this.#takesEmail(id, grant.email))) return false;
    const added = await this.#database.alone([keysOf(id)], this.#addFirstKey, newKey(id, grant));
    return added.length > 0 || null;
  }

  /** After this the address signs in to the account of this name, if there is one. False when the address is another account's. */
  async ensureEmail(name: string, email: string): Promise<boolean> {
    const [account] = await this.#accountOfName.run({ name });
    return account === undefined || this.#takesEmail(account.id, email);
  }

  async #takesEmail(id: string, email: string): Promise<boolean> {
    return (await this.#database.alone([addressOf(email)], this.#setEmail, { id, email })).length > 0;
  }

  async #accountFor({ account: name, plan, at }: KeyGrant): Promise<string> {
    const [account] = await this.#ensureAccount.run({ ...freshAccount(), name, email: null, plan, at });
    return account!.id;
  }
}

const newKey = (
  account: string,
  { name, keyPrefix: prefix, keySha256: sha256, at: createdAt }: KeyGrant,
) => ({
  id: newId('key'),
  account,
  name,
  prefix,
  sha256,
  createdAt,
});
