/** Whether a field has whole numbers only, as far as its description tells. */
import type { FieldDescription } from '../profile/describe.ts';

/** Sums of larger squares are not exact enough to be tested. */
const MAX_SQUARES = 1e10;

/**
 * For a field whose values were all measured. False if a number with a fraction was found: among the inspected values, or because one of these statements,
 * which hold for whole numbers, does not hold for all values. Rarely, fractions in values that were not inspected stay unseen.
 * - The smallest and the largest number are whole.
 * - Each quantile is a whole number of 32nds: it lies so many 32nds of the way from one number to the next.
 * - The sum is whole, and so is the sum of the squares; both are odd, or both even.
 */
export function hasWholeNumbers({ numbers, statistics }: FieldDescription): boolean {
  if (!numbers?.quantiles || statistics?.integer_share !== 1) return false;
  const { count, mean, standard_deviation: deviation, min, max } = numbers;
  const are32nds = Object.values(numbers.quantiles).every(quantile => Number.isInteger(quantile * 32));
  if (!are32nds || !Number.isInteger(min) || !Number.isInteger(max)) return false;
  const sum = mean * count;
  const squares = ((deviation ?? Infinity) ** 2 + mean ** 2) * count;
  // Mean and deviation are rounded, so the sums are off by a little for each value.
  const isWhole = (total: number) => Math.abs(total - Math.round(total)) < 1e-6 * Math.max(1, count);
  return isWhole(sum) && (squares > MAX_SQUARES || (isWhole(squares) && isWhole((squares - sum) / 2)));
}
