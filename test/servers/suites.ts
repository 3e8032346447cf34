/** `describe` for suites that need a server: without it they are reported as skipped. */
import { describe } from 'bun:test';
import { postgresBinaries, redisBinary } from './binaries.ts';

export const describeWithRedis = redisBinary() === null ? describe.skip : describe;
export const describeWithPostgres = postgresBinaries() === null ? describe.skip : describe;
export const describeWithBoth =
  redisBinary() === null || postgresBinaries() === null ? describe.skip : describe;
