/** Signs that values or names were damaged before they came. They need no past. */
import type { Severity } from '../terms/verdict.ts';

/** `warn`: values are lost or will not be found. `info`: worth a look, and often right. */
export const FIELD_SIGNS = {
  odd_name: 'warn',
  similar_names: 'warn',
  replacement_character: 'warn',
  mojibake: 'warn',
  invisible_character: 'warn',
  spreadsheet_error: 'warn',
  impossible_date: 'warn',
  missing_offset: 'warn',
  two_day_orders: 'warn',
  rounded_ids: 'warn',
  cut_texts: 'warn',
  two_decimal_signs: 'warn',
  spreadsheet_null: 'info',
  sentinel_date: 'info',
  sentinel_number: 'info',
  whole_decimals: 'info',
  mixed_offset: 'info',
  test_data: 'info',
} as const satisfies Record<string, Severity>;

export type FieldSign = keyof typeof FIELD_SIGNS;

export const FIELD_SIGN_NAMES = Object.keys(FIELD_SIGNS) as FieldSign[];

/** Cells of a column that are counted, and listed as rows. */
export const MARKS = [
  'replacement_character',
  'mojibake',
  'invisible_character',
  'spreadsheet_error',
  'spreadsheet_null',
  'impossible_date',
  'zero_date',
  'impossible_compact',
  'no_offset',
  'with_offset',
  'zero_offset',
  'east_offset',
  'west_offset',
  'test_data',
  'day_first',
  'month_first',
  'sentinel_date',
  'scientific',
  'at_255',
  'at_32767',
  'decimal_comma',
  'decimal_point',
  'whole_decimal',
] as const;

export type Mark = (typeof MARKS)[number];

/** Cells that only tell what the others are; `abi-signs.ts` says more. */
export const COUNTS = [
  ...MARKS,
  'dates',
  'compact_dates',
  'far_east_offset',
  'far_west_offset',
  'near_sentinels',
  'whole',
  'whole_12',
  'whole_16',
  'whole_18',
  'zeros_from_16',
  'zeros_from_15',
  'zeros_from_18',
  'zeros_from_17',
  // Of `whole_18` those that JavaScript writes for some double.
  'doubles',
  'spreadsheet',
  // Other numbers and texts.
  'no_whole',
  'above_255',
  'above_32767',
  'whole_plain',
  'fractions',
] as const;

/** Of one column. What is absent is 0. They add up over slices. */
export type SignCounts = { readonly [Name in (typeof COUNTS)[number]]?: number };

export const NO_COUNTS: SignCounts = {};

export function addCounts(a: SignCounts, b: SignCounts): SignCounts {
  if (a === NO_COUNTS || b === NO_COUNTS) return a === NO_COUNTS ? b : a;
  const sums: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
