/** Versions of stored states and records. */

/** The newest. A program reads this one and all before it. */
export const VERSION = 5;
/** Had only the measurements of the groups `rows` and `numbers`. */
export const VERSION_1 = 1;
/** Had the first measurements, see below, each in a fixed position. */
export const VERSION_2 = 2;
/** Had full fields only, at most 1,270 of them. Its records had the groups `rows` and `numbers` apart from the others. */
export const VERSION_3 = 3;
/** Had no counts of a batch as a whole but its rows. */
export const VERSION_4 = 4;

/**
 * The measurements of versions 1 and 2 in their order. From version 3 on these ids are stored as their index here, all others as text. So this list
 * never changes: measurements that come later are not added, and one that is given up stays.
 */
export const FIRST_MEASUREMENTS = [
  // Counts that each batch has.
  ['present', 'count', 1],
  ['nulls', 'count', 1],
  ['numbers', 'count', 1],
  ['booleans', 'count', 1],
  ['objects', 'count', 1],
  ['arrays', 'count', 1],
  ['strings', 'count', 1],
  ['empties', 'count', 1],
  ['values', 'count', 1],
  ['distinct', 'count', 1],
  ['texts', 'count', 1],
  ['distinct_texts', 'count', 1],
  ['finite', 'count', 1],
  ['outliers', 'count', 1],
  // Of the finite numbers.
  ['mean', 'f32', 1],
  ['standard_deviation', 'f32', 1],
  ['minimum', 'f32', 1],
  ['quantile_1_16', 'f32', 1],
  ['quartile_1', 'f32', 1],
  ['median', 'f32', 1],
  ['quartile_3', 'f32', 1],
  ['quantile_15_16', 'f32', 1],
  ['maximum', 'f32', 1],
  // From version 2 on.
  ['content', 'u32', 1],
  ['top_share', 'f32', 1],
  ['inspected', 'count', 1],
  ['adjacent', 'count', 1],
  ['adjacent_equal', 'count', 1],
  ['adjacent_rising', 'count', 1],
  ['neighbour', 'count', 1],
  ['paired', 'count', 1],
  ['pairs', 'count', 1],
  ['compared', 'count', 1],
  ['agreeing', 'count', 1],
  ['value_buckets', 'count', 8],
  ['inspected_numbers', 'count', 1],
  ['integers', 'count', 1],
  ['zeros', 'count', 1],
  ['negatives', 'count', 1],
  ['multiples_of_10', 'count', 1],
  ['one_decimal', 'count', 1],
  ['two_decimals', 'count', 1],
  ['trues', 'count', 1],
  ['new_values', 'count', 1],
  ['inspected_texts', 'count', 1],
  ['padded', 'count', 1],
  ['with_digit', 'count', 1],
  ['with_upper', 'count', 1],
  ['with_space', 'count', 1],
  ['with_non_ascii', 'count', 1],
  ['formats', 'count', 1],
  ['top_format', 'count', 1],
  ['format_buckets', 'count', 8],
  ['transition_buckets', 'count', 8],
  ['characters', 'count', 1],
  ['digits', 'count', 1],
  ['uppers', 'count', 1],
  ['spaces', 'count', 1],
  ['length_mean', 'f32', 1],
  ['length_standard_deviation', 'f32', 1],
] as const;
