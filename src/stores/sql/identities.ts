/** Owners of keys and sessions, and the account that is created at start. */
import { and, eq, gt, or, sql } from 'drizzle-orm';
import type { Account, Identity, IdentityStore } from '../ports.ts';
import { given, type Queries, type SqlDatabase, type Statements, statementsOn } from './database.ts';
import { addressOf, freshAccount, keysOf, newAccount, newId } from './ids.ts';
import { addKeyWithin } from './keys.ts';
import { accounts, keys, sessions } from './schema.ts';

/** An API key to create at start, with its account's name and plan. */
export interface InitialKey {
  account: string;
  /** The address that may sign in; null: no change. */
  email: string | null;
  plan: Account['plan'];
  keySha256: string;
  /** The first characters, which may be shown. */
  keyPrefix: string;
  name: string;
  /** Current time in ms. */
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

/** A paid plan takes precedence over the assigned plan. */
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
  readonly #run: Statements<typeof QUERIES>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  /** Id of the account with this id or name; null without one. */
  async accountCalled(called: string): Promise<string | null> {
    const [account] = await this.#run.accountCalled.run({ called });
    return account?.id ?? null;
  }

  /** Null if there is no such account. */
  async account(id: string): Promise<Account | null> {
    const [found] = await this.#run.account.run({ id });
    return found ? accountIn(found) : null;
  }

  /** Accounts by id, from the one after `after`, at most `limit`. */
  async accounts(after: string, limit: number): Promise<Account[]> {
    return (await this.#run.accounts.run({ after, limit })).map(accountIn);
  }

  async ownerOfKey(sha256: string): Promise<Identity | null> {
    const [found] = await this.#run.ownerOfKey.run({ sha256 });
    if (!found) return null;
    const { key, keyName, prefix } = found;
    return { account: accountIn(found), key, who: `${keyName} (${prefix}…)` };
  }

  async ownerOfSession(sha256: string, now: number): Promise<(Identity & { expiresAt: number }) | null> {
    const [found] = await this.#run.ownerOfSession.run({ sha256, now });
    if (!found) return null;
    const { expiresAt, email } = found;
    return { account: accountIn(found), key: null, who: email ?? 'a person who was signed in', expiresAt };
  }

  /** Whether the account with this name has any key. */
  async hasKey(account: string): Promise<boolean> {
    return (await this.#run.keyOf.run({ name: account })).length > 0;
  }

  /**
   * Makes sure that the key exists and that its account has the plan. Idempotent. A new account gets a new salt. If another
   * account has the key, that account keeps it and gets plan and address. False if the address belongs to another account:
   * then the key is not added.
   */
  async ensureKey(key: InitialKey): Promise<boolean> {
    const owner = await this.ownerOfKey(key.keySha256);
    const id = owner?.account.id ?? (await this.#accountFor(key));
    // Before the key: if this fails, no key is created that nobody gets to see.
    if (key.email !== null && !(await this.#takesEmail(id, key.email))) return false;
    if (owner) await this.#run.setPlan.run({ id, plan: key.plan });
    else await this.#run.addKey.run(newKey(id, key));
    return true;
  }

  /**
   * Like `ensureKey`, but only for an account without a key. Of concurrent calls only one adds its key. Null if the account
   * has a key already: then the key is not added.
   */
  async ensureFirstKey(key: InitialKey): Promise<boolean | null> {
    const id = await this.#accountFor(key);
    if (key.email !== null && !(await this.#takesEmail(id, key.email))) return false;
    const added = await this.#database.alone([keysOf(id)], this.#run.addFirstKey, {
      ...newKey(id, key),
      limit: 1,
    });
    return added.length > 0 || null;
  }

  /** Lets the address sign in to the account with this name, if the account exists. False if the address belongs to another account. */
  async ensureEmail(name: string, email: string): Promise<boolean> {
    const [account] = await this.#run.accountOfName.run({ name });
    return account === undefined || this.#takesEmail(account.id, email);
  }

  /** Gives the account with this name the plan, if the account exists. */
  async ensurePlan(name: string, plan: Account['plan']): Promise<void> {
    const [account] = await this.#run.accountOfName.run({ name });
    if (account) await this.#run.setPlan.run({ id: account.id, plan });
  }

  async #takesEmail(id: string, email: string): Promise<boolean> {
    return (await this.#database.alone([addressOf(email)], this.#run.setEmail, { id, email })).length > 0;
  }

  async #accountFor({ account: name, plan, at }: InitialKey): Promise<string> {
    const [account] = await this.#run.ensureAccount.run({ ...freshAccount(), name, email: null, plan, at });
    return account!.id;
  }
}

const newKey = (
  account: string,
  { name, keyPrefix: prefix, keySha256: sha256, at: createdAt }: InitialKey,
) => ({
  id: newId('key'),
  account,
  name,
  prefix,
  sha256,
  createdAt,
});

const ownerOfKey = (queries: Queries) =>
  queries
    .select({ ...ACCOUNT, key: keys.id, keyName: keys.name, prefix: keys.prefix })
    .from(keys)
    .innerJoin(accounts, eq(keys.account, accounts.id))
    .where(eq(keys.sha256, sql.placeholder('sha256')));

const ownerOfSession = (queries: Queries) =>
  queries
    .select({ ...ACCOUNT, expiresAt: sessions.expiresAt, email: accounts.email })
    .from(sessions)
    .innerJoin(accounts, eq(sessions.account, accounts.id))
    .where(
      and(eq(sessions.sha256, sql.placeholder('sha256')), gt(sessions.expiresAt, sql.placeholder('now'))),
    );

const keyOf = (queries: Queries) =>
  queries
    .select({ id: keys.id })
    .from(keys)
    .innerJoin(accounts, eq(keys.account, accounts.id))
    .where(eq(accounts.name, sql.placeholder('name')))
    .limit(1);

const setPlan = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ plan: sql`${sql.placeholder('plan')}` })
    .where(eq(accounts.id, sql.placeholder('id')))
    .returning({ id: accounts.id });

const ensureAccount = (queries: Queries) =>
  queries
    .insert(accounts)
    .values(newAccount())
    .onConflictDoUpdate({ target: accounts.name, set: { plan: sql`excluded.plan` } })
    .returning({ id: accounts.id });

const addKey = (queries: Queries) =>
  queries
    .insert(keys)
    .values(given('id', 'account', 'name', 'prefix', 'sha256', 'createdAt'))
    .onConflictDoNothing()
    .returning({ id: keys.id });

const setEmail = (queries: Queries) =>
  queries
    .update(accounts)
    .set({ email: sql`${sql.placeholder('email')}` })
    .where(
      and(
        eq(accounts.id, sql.placeholder('id')),
        sql`NOT EXISTS (SELECT 1 FROM ${accounts} AS others WHERE others.email = ${sql.placeholder('email')} AND others.id <> ${sql.placeholder('id')})`,
      ),
    )
    .returning({ id: accounts.id });

const accountOfName = (queries: Queries) =>
  queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.name, sql.placeholder('name')));

const findAccount = (queries: Queries) =>
  queries
    .select(ACCOUNT)
    .from(accounts)
    .where(eq(id, sql.placeholder('id')));

const listAccounts = (queries: Queries) =>
  queries
    .select(ACCOUNT)
    .from(accounts)
    .where(gt(id, sql.placeholder('after')))
    .orderBy(id)
    .limit(sql.placeholder('limit'));

const accountCalled = (queries: Queries) =>
  queries
    .select({ id: accounts.id })
    .from(accounts)
    .where(or(eq(accounts.id, sql.placeholder('called')), eq(accounts.name, sql.placeholder('called'))));

const QUERIES = {
  ownerOfKey,
  ownerOfSession,
  keyOf,
  setPlan,
  ensureAccount,
  addKey,
  addFirstKey: addKeyWithin,
  setEmail,
  accountOfName,
  accountCalled,
  account: findAccount,
  accounts: listAccounts,
};
