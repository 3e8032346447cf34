import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pino from 'pino';
import { answered, available } from '../../src/stores/unavailable.ts';

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
  let line = '';
  const write = (text: string): void => {
    line += text;
  };
  pino({}, { write }).error({ err: error }, 'bug');
  return line;
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
