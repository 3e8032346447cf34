import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { QUIET_MS, SqlAllowance } from '../../../src/stores/sql/allowance.ts';
import { PostgresDatabase } from '../../../src/stores/sql/postgres.ts';
import * as batchSchema from '../../../src/stores/sql/batch-schema.ts';
import * as schema from '../../../src/stores/sql/schema.ts';
import { PATIENT } from '../../servers/lateness.ts';
import { IN_HASTE, PostgresServer } from '../../servers/postgres.ts';
import { eventually } from '../../servers/process.ts';
import { describeWithPostgres } from '../../servers/suites.ts';
import { sqlContracts } from './contracts.ts';

const TYPES: Record<string, string> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  blob: 'bytea',
};

const TABLES = Object.values({ ...schema, ...batchSchema }).map(table =>
  getTableConfig(table as SQLiteTable),
);
const databaseOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

const opened = (url: string) => PostgresDatabase.open(url, undefined, PATIENT);

describeWithPostgres('Postgres', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start(IN_HASTE);
  });
  afterAll(() => server.process.remove());

  describe('one database', () => {
    let url: string;
    let pair: [PostgresDatabase, PostgresDatabase];
    beforeAll(async () => {
      url = await server.newDatabase();
      pair = [await opened(url), await opened(url)];
    });
    afterAll(() => Promise.all(pair.map(database => database.close())));

    sqlContracts('Postgres', async () => {
      const [one, other] = pair;
      await server.query(`TRUNCATE ${TABLES.map(({ name }) => name).join(', ')}`, databaseOf(url));
      return { one, other, close: async () => {} };
    });
  });

  test('a database that takes no connections now is unavailable, and no bug', async () => {
    const url = await server.newDatabase();
    const database = await PostgresDatabase.open(url);
    const name = databaseOf(url);
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    const allowance = new SqlAllowance(database);
    // The first ones may find out that their connection has ended.
    for (let tries = 0; tries < 10; tries++)
      await expect(allowance.counted('a', 7)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await database.close();
  });

  test('rows of a reservation that is answered after its 503 do not stay counted', async () => {
    const url = await server.newDatabase();
    const database = await PostgresDatabase.open(url);
    let now = 1_000_000;
    const allowance = new SqlAllowance(database, () => now);
    await allowance.reserve('a', 7, 1, 100);
    const holder = new SQL({ url, max: 1 });
    await holder.begin(async transaction => {
      await transaction`SELECT 1 FROM allowance FOR UPDATE`;
      const late = allowance.reserve('a', 7, 20, 100);
      await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    });
    await eventually(async () => expect(await allowance.counted('a', 7)).toBe(21));
    now += QUIET_MS + 1;
    expect(await allowance.counted('a', 7)).toBe(0);
    expect(await allowance.reserve('a', 7, 100, 100)).toMatchObject({ left: 0 });
    await holder.close();
    await database.close();
  });

  test('has the tables, columns and types of the schema', async () => {
    const url = await server.newDatabase();
    const database = await opened(url);
    const found = await server.query(
      `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable = 'NO' AS required
       FROM information_schema.columns WHERE table_schema = 'public'`,
      databaseOf(url),
    );
    const expected = TABLES.flatMap(({ name: table, columns, primaryKeys }) => {
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
