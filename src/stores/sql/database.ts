/**
 * The SQL database as the stores in this folder use it. Queries are written once, with Drizzle's SQLite builder, and
 * prepared once. A group of statements that must happen together is a list, and each database runs it in its own way:
 * `bun:sqlite` would commit an async transaction at its first await.
 */
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite';
import { is } from 'drizzle-orm/entity';
import { inArray } from 'drizzle-orm/sql/expressions';
import { Param, Placeholder, type SQL, sql } from 'drizzle-orm/sql/sql';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { Rejection } from '../../terms/errors.ts';
import type * as schema from './schema.ts';

export type Queries = BunSQLiteDatabase<typeof schema>;
export type Values = Record<string, unknown>;

/** A query with placeholders, as Drizzle builds it. */
export interface Buildable<Row> {
  prepare(): { all(values?: Values): Row[] };
  toSQL(): { sql: string; params: unknown[] };
}

/** A prepared statement. Returns the rows that it read, or wrote with `returning`. */
export interface Statement<Row> {
  run(values: Values): Promise<Row[]>;
}

/** One statement of a group. If a `guard` returns no row, the whole group is rolled back. */
export interface Step {
  statement: Statement<unknown>;
  values: Values;
  guard?: boolean;
}

type Build = (queries: Queries) => Buildable<unknown>;
type RowOf<Each> = Each extends (queries: Queries) => { prepare(): { all(): (infer Row)[] } } ? Row : never;
/** The statements of a store, by the names of the functions that build them. */
export type Statements<Builds> = { readonly [Name in keyof Builds]: Statement<RowOf<Builds[Name]>> };

export const statementsOn = <Builds extends Record<string, Build>>(
  database: SqlDatabase,
  builds: Builds,
): Statements<Builds> =>
  Object.fromEntries(
    Object.entries(builds).map(([name, build]) => [name, database.statement(build)]),
  ) as Statements<Builds>;

/** A placeholder for the value of each column, to insert or to set. */
export const given = <Name extends string>(...names: Name[]): Record<Name, SQL> =>
  Object.fromEntries(names.map(name => [name, sql`${sql.placeholder(name)}`])) as Record<Name, SQL>;

/** Deletes at most `limit` of the rows. */
export const deleteSome = (
  queries: Queries,
  table: SQLiteTable,
  key: SQLiteColumn,
  condition: SQL | undefined,
) => {
  const some = queries.select({ key }).from(table).where(condition).limit(sql.placeholder('limit'));
  return queries.delete(table).where(inArray(key, some)).returning({ key });
};

export interface SqlDatabase {
  /** Prepares a statement. A statement that writes must have `returning`. */
  statement<Row>(build: (queries: Queries) => Buildable<Row>): Statement<Row>;
  /** Runs the steps in one transaction. False if a guard rolled it back. Throws SERVICE_UNAVAILABLE, or `MaybeCommitted` if it may have happened. */
  atomically(steps: readonly Step[]): Promise<boolean>;
  /** The same for steps that do not read each other's writes: needs only one round trip. */
  together(steps: readonly Step[]): Promise<boolean>;
  /**
   * Runs a statement while no other connection runs one under any of these names. For statements that count rows and then
   * add one: in Postgres two concurrent ones would not see each other's new row.
   */
  alone<Row>(names: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]>;
}

/** Returns a reader of a built query's parameter: a constant, a placeholder, or a placeholder that its column encodes. */
export function parameterFrom(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return values => values[param.name];
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
  const { encoder, value } = param;
  return values => encoder.mapToDriverValue(values[value.name]);
}

/** The COMMIT got no answer: the transaction may have happened. */
export class MaybeCommitted extends Rejection {
  constructor({ code, message, headers, cause }: Rejection) {
    super(code, message, headers);
    this.cause = cause;
  }
}
