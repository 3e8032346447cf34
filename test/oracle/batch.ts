/** What the slow readers return: every cell is an object. */

export const CELL_TYPES = ['null', 'number', 'boolean', 'object', 'array', 'string'] as const;
export type CellType = (typeof CELL_TYPES)[number];

export interface Cell {
  type: CellType;
  /** The decoded text of a string; other values as they are written in the body. */
  text: string;
  /** The value of a number, infinite beyond the range of a double. NaN for other types. */
  number: number;
}

export type Row = Map<string, Cell>;

export interface Batch {
  rows: Row[];
  /** Field names in order of first sight. */
  names: string[];
  /** Names that occur twice in a row or in the header, in order of first repetition. */
  repeated: string[];
  /** Records that are shorter or longer than the header; `firstLine` is 0 if there are none. */
  ragged: { count: number; firstLine: number };
  /** The last record has fewer cells than the header and no end of line. */
  endsEarly: boolean;
}

/** Names of the engine's faults, so that a mismatch is readable. */
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
  | 'HEADER_MISSING'
  | 'NAME';

export class Refused extends Error {
  constructor(
    readonly fault: FaultName,
    readonly where: { offset?: number; row?: number; line?: number; column?: number },
  ) {
    super(`${fault} ${JSON.stringify(where)}`);
  }
}

/** The limits, repeated here on purpose: a change in one place must fail. */
export const LIMITS = { rows: 10_000, fields: 2_000, cells: 2_000_000, depth: 64, nameBytes: 1024 };
