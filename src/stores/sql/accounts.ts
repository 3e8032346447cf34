/** Accounts and their keys in SQL. */
import { randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Account, AccountStore } from '../ports.ts';
import { available } from '../unavailable.ts';
import type { SqlDatabase } from './database.ts';
import { accounts, keys } from './schema.ts';

const SALT_BYTES = 32;
const ID_BYTES = 12;

/** A key that shall exist, and its account's name and plan. */
export interface KeyGrant {
  account: string;
  plan: Account['plan'];
  keySha256: string;
  /** The leading part that may be shown. */
  keyPrefix: string;
  name: string;
  /** Now, in ms. */
  at: number;
}

type Transaction = Parameters<Parameters<SqlDatabase['transaction']>[0]>[0];

export class SqlAccounts implements AccountStore {
  readonly #database: SqlDatabase;
  readonly #accountOfKey: ReturnType<typeof prepareAccountOfKey>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#accountOfKey = prepareAccountOfKey(database);
  }

  accountOfKey(keySha256: string): Promise<Account | null> {
    return available(() => {
      const found = this.#accountOfKey.get({ keySha256 });
      return found ? { ...found, salt: new Uint8Array(found.salt) } : null;
    });
  }

  /** Whether the account of this name has a key at all. */
  hasKey(account: string): Promise<boolean> {
    return available(() => {
      const found = this.#database
        .select({ id: keys.id })
        .from(keys)
        .innerJoin(accounts, eq(keys.account, accounts.id))
        .where(eq(accounts.name, account))
        .get();
      return found !== undefined;
    });
  }

  /**
   * After this the key exists and its account has the plan; calling it again changes nothing more. A new account
   * gets a new salt. A key that another account has stays there, and it is that account that gets the plan.
   */
  ensureKey(grant: KeyGrant): Promise<void> {
    // The synchronous form: an async function would be committed at its first await.
    return available(() =>
      this.#database.transaction(transaction => ensureKeyNow(transaction, grant), { behavior: 'immediate' }),
    );
  }
}

function prepareAccountOfKey(database: SqlDatabase) {
  return database
    .select({ id: accounts.id, name: accounts.name, plan: accounts.plan, salt: accounts.salt })
    .from(keys)
    .innerJoin(accounts, eq(keys.account, accounts.id))
    .where(eq(keys.sha256, sql.placeholder('keySha256')))
    .prepare();
}

function ensureKeyNow(transaction: Transaction, grant: KeyGrant): void {
  const owner = transaction
    .select({ account: keys.account })
    .from(keys)
    .where(eq(keys.sha256, grant.keySha256))
    .get();
  if (owner) {
    transaction.update(accounts).set({ plan: grant.plan }).where(eq(accounts.id, owner.account)).run();
    return;
  }
  transaction
    .insert(keys)
    .values({
      id: newId('key'),
      account: ensureAccount(transaction, grant),
      name: grant.name,
      prefix: grant.keyPrefix,
      sha256: grant.keySha256,
      createdAt: grant.at,
    })
    .run();
}

/** The id of the account of this name, made if absent, with the plan in either case. */
function ensureAccount(transaction: Transaction, grant: KeyGrant): string {
  const { account: name, plan, at: createdAt } = grant;
  return transaction
    .insert(accounts)
    .values({ id: newId('acc'), name, plan, salt: randomBytes(SALT_BYTES), createdAt })
    .onConflictDoUpdate({ target: accounts.name, set: { plan } })
    .returning({ id: accounts.id })
    .get().id;
}

const newId = (kind: string): string => `${kind}_${randomBytes(ID_BYTES).toString('hex')}`;
