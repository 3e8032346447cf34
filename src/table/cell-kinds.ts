/** What the text of a cell looks like, to tell names from values. Pure. */

export type CellKind = 'blank' | 'number' | 'date' | 'code' | 'word';

/** Words in place of a value. */
const NULLISH = /^(na|n\/a|#n\/a|nan|null|none|nil|\\n|unknown|missing|tbd|inf|-inf)$/i;
const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;
/** With a currency, thousands, a percent sign, brackets, an exponent. */
const NUMBER = /^[-+(<>~]*[$€£¥]?\s*[-+]?(\d[\d,.'’ \u00a0]*|[.,]\d+)(e[-+]?\d+)?\s*[%)€$£kKmMbB]?\)?\*?$/i;
const DATE =
  /^(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}[- ][a-z]{3,9}[- ]\d{2,4}|[a-z]{3,9}\.? \d{1,2},? \d{4})([T ,]+\d{1,2}:\d{2}.*)?$/i;
const TIME = /^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?$/i;

export function kindOf(cell: string): CellKind {
  const text = cell.trim();
  if (text === '') return 'blank';
  // Most cells, by the cheapest tests.
  if (PLAIN_NUMBER.test(text)) return 'number';
  if (!/\d/.test(text)) return NULLISH.test(text) || !/[a-z]|[^\0-\x7f]/i.test(text) ? 'blank' : 'word';
  if (text.length > 40) return 'word';
  if (DATE.test(text) || TIME.test(text)) return 'date';
  if (NUMBER.test(text)) return 'number';
  return 'code';
}

/** Letters as they are, digits as one: `SKU-0041` as `SKU-9`. */
export const shapeOf = (cell: string): string => cell.trim().replace(/\d+/g, '9');

export const isBlank = (cell: string): boolean => cell.trim() === '';
