/** What may be wrong with how a text was cut into a table. */

export const SIGNS = [
  'no_header',
  'two_headers',
  'units_row',
  'blank_header',
  'blank_names',
  'one_column',
  'comment_lines',
  'header_repeated',
  'quote_spans_lines',
  'mark_inside',
  'space_before_quote',
  'backslash_escapes',
  'total_row',
  'trailing_notes',
  'blank_rows',
  'wrapped_rows',
  'error_message',
] as const;

export type SignName = (typeof SIGNS)[number];

export interface Sign {
  sign: SignName;
  /** Records that show it; of a header 1. */
  count: number;
  /** The first of them, from 1; empty in JSON. */
  lines: number[];
  /** Rows that are none: their indexes, ascending. */
  rows: number[];
}

/** Why a text is certainly no table as it is read. */
export type NotATable =
  /** The header is not on the first line, and perhaps another byte divides the rows. */
  | { why: 'preamble'; headerLine: number; delimiter: number; isOther: boolean }
  | { why: 'sep_line'; delimiter: number | null }
  | { why: 'other_delimiter'; delimiter: number }
  | { why: 'only_spaces' }
  /** None of the rows has a field. */
  | { why: 'no_fields'; rows: number };
