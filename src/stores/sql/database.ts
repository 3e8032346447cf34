/**
 * What the stores in this folder ask of a SQL database. Their queries are written once, in Drizzle's words for SQLite,
 * as statements that are prepared once; a group of them that must happen together is a list, run by the database in
 * its own way: `bun:sqlite` commits an async transaction at its first await.
 */
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite';
import { is } from 'drizzle-orm/entity';
import { Param, Placeholder } from 'drizzle-orm/sql/sql';
import { Rejection } from '../../errors.ts';
import type * as schema from './schema.ts';

export type Queries = BunSQLiteDatabase<typeof schema>;
export type Values = Record<string, unknown>;

/** A query with placeholders, as Drizzle builds it. */
export interface Buildable<Row> {
  prepare(): { all(values?: Values): Row[] };
  toSQL(): { sql: string; params: unknown[] };
}

/** A prepared statement; the answer has a row for each that it read or, with `returning`, wrote. */
export interface Statement<Row> {
  run(values: Values): Promise<Row[]>;
}

/** One statement of a group. A `guard` that answers no row undoes the whole group. */
export interface Step {
  statement: Statement<unknown>;
  values: Values;
  guard?: boolean;
}

export interface SqlDatabase {
  /** A statement that writes names what it gives back by `returning`. */
  statement<Row>(build: (queries: Queries) => Buildable<Row>): Statement<Row>;
  /** Runs the steps in one transaction. False when a guard undid them. Throws SERVICE_UNAVAILABLE, and `MaybeCommitted` where it may have happened all the same. */
  atomically(steps: readonly Step[]): Promise<boolean>;
  /** The same for steps of which none rests on what another has written: a database that is far away is asked once. */
  together(steps: readonly Step[]): Promise<boolean>;
  /**
   * Runs a statement that nobody else runs under one of these names meanwhile, on any connection. For what counts rows
   * and then adds one: in Postgres two such statements at once do not see what the other is about to add.
   */
  alone<Row>(names: readonly string[], statement: Statement<Row>, values: Values): Promise<Row[]>;
}

/** What a built query's parameter is, asked once: a value that is known, one to come, or one to come that its column encodes. */
export function parameterFrom(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return values => values[param.name];
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
  const { encoder, value } = param;
  return values => encoder.mapToDriverValue(values[value.name]);
}

/** The answer to a COMMIT did not come. */
export class MaybeCommitted extends Rejection {
  constructor({ code, message, headers, cause }: Rejection) {
    super(code, message, headers);
    this.cause = cause;
  }
}
