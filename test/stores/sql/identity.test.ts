/** Failovers to a database that is not ours: what is there instead, and what becomes of questions. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Rejection } from '../../../src/terms/errors.ts';
import { PostgresDatabase } from '../../../src/stores/sql/postgres.ts';
import { SqlIdentities } from '../../../src/stores/sql/identities.ts';
import { SqlKeys } from '../../../src/stores/sql/keys.ts';
import { SqlSignIn } from '../../../src/stores/sql/sign-in.ts';
import { PATIENT } from '../../servers/lateness.ts';
import { IN_HASTE, PostgresServer, renameDatabase } from '../../servers/postgres.ts';
import { eventually } from '../../servers/process.ts';
import { describeWithPostgres } from '../../servers/suites.ts';

const OURS = 'ours';
const SHA256 = 'a1'.repeat(32);

const addAccount = (server: PostgresServer, id: string, database = OURS) =>
  server.query(
    `INSERT INTO accounts (id, name, plan, created_at, salt) VALUES ('${id}', '${id}', 'developer', 0, '')`,
    database,
  );

/** What takes the place of our database, and what the log says of it. */
const OTHERS: Record<string, { set(server: PostgresServer, url: string): Promise<unknown>; says: string }> = {
  'an empty database': {
    set: async () => {},
    says: 'the database is empty, or of another version',
  },
  'a database of an older version': {
    set: async (server, url) => {
      await (await PostgresDatabase.open(url)).close();
      await server.query(
        'DELETE FROM drizzle.__drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM drizzle.__drizzle_migrations)',
        OURS,
      );
    },
    says: 'the database is of an older version of this program',
  },
  'a database without some of the tables': {
    set: async (server, url) => {
      await (await PostgresDatabase.open(url)).close();
      await server.query('DROP TABLE accounts CASCADE', OURS);
    },
    says: 'the database is empty, or of another version',
  },
  'a database that another replica has set up anew': {
    set: async (server, url) => {
      await (await PostgresDatabase.open(url)).close();
      await addAccount(server, 'acc_of_another_start');
    },
    says: 'the database is another one: accounts that it had are not in it',
  },
};

const thrownBy = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => null,
    (error: unknown) => error,
  );

function checkRejection(thrown: unknown, says: string): void {
  const { code, headers, cause } = thrown as Rejection;
  expect({ code, headers }).toEqual({ code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '1' } });
  const { message } = cause as Error;
  expect(message).toStartWith(says);
  expect(message).toMatch(/ DATABASE_URL .* restart all replicas$/);
}

describeWithPostgres('Postgres that fails over to', () => {
  let server: PostgresServer;
  let database: PostgresDatabase;
  let identities: SqlIdentities;
  beforeAll(async () => {
    server = await PostgresServer.start(IN_HASTE);
  });
  afterAll(() => server.process.remove());
  beforeEach(async () => {
    await server.query(`CREATE DATABASE ${OURS}`);
    database = await PostgresDatabase.open(server.url(OURS), undefined, PATIENT);
    identities = new SqlIdentities(database);
    await addAccount(server, 'acc_first');
    await database.ping();
  });
  afterEach(async () => {
    await database.close();
    for (const name of [OURS, 'away']) await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

  for (const [name, { set, says }] of Object.entries(OTHERS))
    describe(name, () => {
      beforeEach(async () => {
        await renameDatabase(server, OURS, 'away');
        await server.query(`CREATE DATABASE ${OURS}`);
        await set(server, server.url(OURS));
      });

      test('is not ready and rejects questions, and the reason says what to do', async () => {
        await eventually(async () => checkRejection(await thrownBy(database.ping()), says));
        checkRejection(await thrownBy(identities.ownerOfKey(SHA256)), says);
      });

      test('is noticed by questions alone, where they miss something, and over when ours is back', async () => {
        // What was set up by another replica answers every question: only a ping sees that it is another database.
        if (name.endsWith('anew'))
          await eventually(async () => checkRejection(await thrownBy(database.ping()), says));
        // One without the last migration's changes may serve this question.
        if (!name.includes('older'))
          await eventually(async () => checkRejection(await thrownBy(identities.ownerOfKey(SHA256)), says));
        await renameDatabase(server, OURS, 'another');
        await renameDatabase(server, 'away', OURS);
        // Questions look for it themselves: nobody has to ask whether we are ready.
        await eventually(async () => expect(await identities.ownerOfKey(SHA256)).toBeNull());
        await database.ping();
        await server.query('DROP DATABASE another WITH (FORCE)');
      });
    });

  test('the database is ours though people have left its first account for another one', async () => {
    await addAccount(server, 'acc_second');
    const key = { id: 'key_1', name: 'key', prefix: '', sha256: SHA256, createdAt: 0 };
    await new SqlKeys(database).add('acc_second', key, 1);
    await server.query("UPDATE accounts SET email = 'ann@corp.com' WHERE id = 'acc_first'", OURS);
    const isMoved = await new SqlSignIn(database).moveAddress(
      'acc_first',
      'ann@corp.com',
      'acc_second',
      SHA256,
    );
    expect(isMoved).toBe(true);
    await database.ping();
  });

  test('a database of a newer version goes on: another replica has upgraded it', async () => {
    await server.query(
      `INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('newer', ${Date.now() * 2})`,
      OURS,
    );
    await database.ping();
    expect(await identities.ownerOfKey(SHA256)).toBeNull();
  });
});
