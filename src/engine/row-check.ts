/** Checks of declared rules, over all rows of the batch that the engine holds. Make and run them after `measure`, until the next `begin`. */
import type { Operator, TextFormat } from '../../assembly/abi.ts';

/** Finds the rows that fail one rule. Values that are null or absent fail nothing but `nulls`. */
export interface RowCheck {
  /** Bytes that it takes in the engine, at `at`. */
  readonly bytes: number;
  /** Columns whose texts it reads. */
  readonly texts: readonly number[];
  /** Called once, before the rows. */
  begin(at: number): void;
  /** Looks at a piece of the rows. */
  look(at: number): void;
  /** For a check that must see all rows at once, in place of `look`. */
  lookAtAll?(at: number): void;
  /** Called once, behind the rows: the host decides about those that the engine flagged UNDECIDED. */
  decide?(): void;
}

/** An automaton over the bytes of texts: see `flagUnmatched` in `assembly/rules/pattern.ts`. */
export interface ByteAutomaton {
  bytes: Uint8Array;
  start: number;
}

/** `column`: null for a field that the batch lacks. */
export interface RuleChecks {
  /** Rules are about all rows from now on. Returns how many there are. */
  chooseAll(): number;
  /** Rules are about the rows that the check finds, or about the others, from now on. Returns how many there are. */
  choose(check: RowCheck, found: boolean): number;
  /** How many of the rows that rules are about the check finds. */
  count(check: RowCheck): number;
  /** Runs as many of the checks as fit, side by side, the first at least. Returns how many. */
  run(checks: readonly RowCheck[]): number;
  /** How many of the rows that rules are about the check found, and the first `limit` of them. `i`: its place among those that ran last. */
  failing(i: number, limit: number): { count: number; rows: Uint16Array };

  /** No row. */
  none(): RowCheck;
  /** Rows without a value. */
  nulls(column: number | null): RowCheck;
  /** Rows that have the field, null or not. */
  present(column: number | null): RowCheck;
  /** Values that have none of the types, a bit of `Declared` for each. */
  types(column: number, types: number): RowCheck;
  /** Numbers below `low` or above `high`; `open`: or equal to one of them. */
  outside(column: number, low: number, high: number, open: boolean): RowCheck;
  /** Numbers that are no multiple of `m` / `scale`; `isMultiple` decides about those that a double cannot tell. */
  noMultiples(column: number, m: number, scale: number, isMultiple: (x: number) => boolean): RowCheck;
  /** Texts of fewer than `least` or more than `most` characters. */
  lengths(column: number, least: number, most: number): RowCheck;
  /** Texts that are not written so. */
  misformed(column: number, format: TextFormat): RowCheck;
  /** Values that are among these, or that are not. */
  listed(column: number, values: readonly (string | number | boolean)[], among: boolean): RowCheck;
  /** Texts for which `isMatch` is false. It is asked once for each distinct text that the automaton leaves undecided; without one for all. */
  unmatched(column: number, automaton: ByteAutomaton | null, isMatch: (text: string) => boolean): RowCheck;
  /** Rows that have the same values in all of the columns as another row. */
  repeated(columns: readonly (number | null)[]): RowCheck;
  /** Rows in which `left operator right` does not hold. */
  unordered(left: number, operator: Operator, right: number): RowCheck;
  /** Values for which `value operator constant` does not hold. */
  unlike(column: number, operator: Operator, constant: string | number | boolean): RowCheck;
  /** Values below that of the row before that has one; `falling`: above it. */
  disordered(column: number, falling: boolean): RowCheck;

  /** The newest date in ms; null without one. */
  newest(column: number): number | null;
  /** The value of a row, as an example: a long text is cut. Undefined where the row lacks the field. */
  value(column: number, row: number): unknown;
}
