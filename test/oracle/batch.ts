/** What the slow readers give: every cell as an object, nothing saved, nothing clever. */

export const CELL_TYPES = ['null', 'number', 'boolean', 'object', 'array', 'string'] as const;
export type CellType = (typeof CELL_TYPES)[number];

export interface Cell {
  type: CellType;
  /** The text of a string, decoded; of anything else as it stands in the body. */
  text: string;
  /** Of numbers; beyond the range of a double it is infinite. NaN for other types. */
  number: number;
}

export type Row = Map<string, Cell>;

export interface Batch {
  rows: Row[];
  /** Field names in order of first sight. */
  names: string[];
  /** Names that a row (or the header) has twice, in order of first repetition. */
  repeated: string[];
  /** Records that are shorter or longer than the header; `firstLine` is 0 without any. */
  ragged: { count: number; firstLine: number };
}

/** The names of the engine's faults, so that a mismatch reads well. */
export type FaultName =
  | 'SYNTAX'
  | 'TRUNCATED'
  | 'ENCODING'
  | 'DEPTH'
  | 'ROWS'
  | 'FIELDS'
  | 'CELLS'
  | 'ROWS_NOT_ARRAY'
  | 'ROWS_EMPTY'
  | 'ROW_NOT_OBJECT'
  | 'TEXT_AFTER_QUOTE'
  | 'QUOTE_OPEN'
  | 'HEADER_MISSING';

export class Refused extends Error {
  constructor(
    readonly fault: FaultName,
    readonly where: { offset?: number; row?: number; line?: number },
  ) {
    super(`${fault} ${JSON.stringify(where)}`);
  }
}

/** The limits of the rules, written down a second time on purpose. */
export const LIMITS = { rows: 10_000, fields: 2_000, cells: 2_000_000, depth: 64 };
