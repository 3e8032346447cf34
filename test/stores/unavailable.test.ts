import { expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pino from 'pino';
import { answered, available, isUndone } from '../../src/stores/unavailable.ts';

/** A row that Postgres refuses, as its client tells it. */
const refusedRow = () =>
  new SQL.PostgresError('null value in column "rows_received" violates not-null constraint', {
    code: 'ERR_POSTGRES_SERVER_ERROR',
    errno: '23502',
    detail: 'Failing row contains (req_1, planted-source).',
    hint: '',
    severity: 'ERROR',
    where: "unnamed portal with parameters: $1 = 'planted-source'",
  } as never);

const inDrizzle = (error: Error) => new DrizzleQueryError('insert into "jobs" ..', ['planted-source'], error);

function logged(error: unknown): string {
  const lines: string[] = [];
  pino({}, { write: text => lines.push(text) }).error({ err: error }, 'bug');
  return lines.join('');
}

test.each([
  ['a row that Postgres refused', refusedRow],
  ['the same, as Drizzle passes it on', () => inDrizzle(refusedRow())],
  ['anything else that Drizzle passes on', () => inDrizzle(new TypeError('no column rows_received'))],
])('in the log, %s says what went wrong and no value', async (_, made) => {
  const fails = () => {
    throw made();
  };
  for (const failing of [answered(Promise.reject(made()), 1000), available(fails)]) {
    const line = logged(await failing.catch((error: unknown) => error));
    expect(line).toContain('rows_received');
    expect(line).not.toContain('planted-source');
  }
});

test('a write that fails on a full disk did not happen, and its cause is logged', async () => {
  const full = new Database(':memory:');
  full.run('CREATE TABLE t (x BLOB)');
  full.run('PRAGMA max_page_count = 2');
  const error = await available(() => full.run('INSERT INTO t VALUES (zeroblob(100000))')).catch(e => e);
  expect(isUndone(error)).toBe(true);
  expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(String(error.cause)).toContain('full');
});

test('the outcome of a statement with a late answer is unknown', async () => {
  const error = await answered(new Promise<never>(() => {}), 1).catch(e => e);
  expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(isUndone(error)).toBe(false);
});
