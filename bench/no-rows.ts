/** Row queries that find no row, at no cost: for judging without an engine, or without naming rows. */
import type { RowQueries } from '../src/engine/queries.ts';

const none = (): Uint16Array => new Uint16Array();

export const NO_ROWS: RowQueries = {
  without: none,
  mistyped: none,
  empty: none,
  ragged: none,
  duplicated: none,
  outside: none,
  unseen: none,
  fresh: none,
  repeated: none,
  like: none,
  marked: none,
  lines: () => null,
};
