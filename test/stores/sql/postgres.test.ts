import { afterAll, beforeAll, expect, test } from 'bun:test';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { SqlAllowance } from '../../../src/stores/sql/allowance.ts';
import { SqlBilling } from '../../../src/stores/sql/billing.ts';
import { SqlIdentities } from '../../../src/stores/sql/identities.ts';
import { PostgresDatabase } from '../../../src/stores/sql/postgres.ts';
import * as schema from '../../../src/stores/sql/schema.ts';
import { SqlSignIn } from '../../../src/stores/sql/sign-in.ts';
import { allowanceStoreContract } from '../../contract/allowance-store.ts';
import { billingStoreContract } from '../../contract/billing-store.ts';
import { identityStoreContract } from '../../contract/identity-store.ts';
import { PostgresServer } from '../../servers/postgres.ts';
import { describeWithPostgres } from '../../servers/suites.ts';

const TYPES: Record<string, string> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  blob: 'bytea',
};

describeWithPostgres('Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.process.remove());

  const open = async () => PostgresDatabase.open(await server.newDatabase());

  allowanceStoreContract('Postgres', async () => {
    const url = await server.newDatabase();
    const [one, other] = await Promise.all([PostgresDatabase.open(url), PostgresDatabase.open(url)]);
    return {
      one: new SqlAllowance(one),
      other: new SqlAllowance(other),
      close: async () => {
        await one.close();
        await other.close();
      },
    };
  });

  billingStoreContract('Postgres', async () => {
    const url = await server.newDatabase();
    const [one, other] = await Promise.all([PostgresDatabase.open(url), PostgresDatabase.open(url)]);
    const signIn = new SqlSignIn(one);
    return {
      one: new SqlBilling(one),
      other: new SqlBilling(other),
      identities: new SqlIdentities(other),
      account: async (email, sha256) => {
        const account = await signIn.ensureAccount(email, 0);
        await signIn.openSession({ sha256, account, createdAt: 0, expiresAt: 10 });
        return account;
      },
      close: async () => {
        await one.close();
        await other.close();
      },
    };
  });

  identityStoreContract('Postgres', async () => {
    const database = await open();
    return { store: new SqlIdentities(database), close: () => database.close() };
  });

  test('has the tables, columns and types that the queries are written with', async () => {
    const url = await server.newDatabase();
    const database = await PostgresDatabase.open(url);
    const found = await server.query(
      `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable = 'NO' AS required
       FROM information_schema.columns WHERE table_schema = 'public'`,
      url.slice(url.lastIndexOf('/') + 1),
    );
    const expected = Object.values(schema)
      .map(table => getTableConfig(table as SQLiteTable))
      .flatMap(({ name: table, columns, primaryKeys }) => {
        const inKey = primaryKeys.flatMap(key => key.columns.map(column => column.name));
        return columns.map(column => ({
          table,
          name: column.name,
          type: TYPES[column.getSQLType()],
          required: column.primary || column.notNull || inKey.includes(column.name),
        }));
      });
    const inOrder = (columns: Record<string, unknown>[]) =>
      columns.map(column => JSON.stringify(column)).sort();
    expect(inOrder(found)).toEqual(inOrder(expected));
    await database.close();
  });
});
