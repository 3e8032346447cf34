/** Signs that a CSV body is not one table, which the engine and its host share. Like `abi.ts`, valid AssemblyScript and valid TypeScript. */

/** Last records that are looked at for what follows a table. A power of two. */
export const LAST_RECORDS = 16;
/** Places of each sign that are kept. */
export const MAX_PLACES = 20;

/** Signs whose first places are kept. */
export enum PlacedSign {
  /** A record begins with a byte order mark. */
  MARK,
  /** A quoted cell holds records. */
  QUOTE,
}
