/** The finite numbers of the gathered column: mean, squared deviations, quantiles, and outliers beyond Tukey's fences. */
import { Column, FENCE_FACTOR, QUANTILES } from '../abi';
import { NUMBERS, put, SELECT_SCRATCH } from '../arena';
import { cellCount, gatherNumbers, values } from '../gather';
import { m2, maximum, mean, minimum, moments } from './moments';
import { outside, outsideCount, outsideMax, outsideMin } from './outside';
import { quantiles } from './select';

/** The finite numbers, next to each other, after `putNumeric`. */
export let finite: u32 = 0, numbers: usize = 0;

/** `numeric`: how many of the cells are numbers, finite or not. */
export function putNumeric(record: usize, numeric: u32): void {
  finite = 0;
  if (numeric) findNumbers(numeric);
  put(record, Column.FINITE, <f64>finite);
  if (finite == 0) return;
  const quantile = record + (<usize>Column.FIRST_QUANTILE << 3);
  put(record, Column.MEAN, mean);
  put(record, Column.M2, m2);
  quantiles(numbers, finite, minimum, maximum, SELECT_SCRATCH, quantile);
  putOutliers(record, load<f64>(quantile + QUANTILES / 4 * 8), load<f64>(quantile + QUANTILES / 4 * 3 * 8));
}

/** Finds the finite numbers and measures their moments. Often the column has nothing else, and they need not be copied. */
function findNumbers(numeric: u32): void {
  numbers = values;
  finite = numeric;
  if (numeric == cellCount) {
    moments(numbers, finite);
    if (minimum - minimum == 0 && maximum - maximum == 0) return;
  }
  numbers = NUMBERS;
  finite = gatherNumbers();
  if (finite) moments(numbers, finite);
}

function putOutliers(record: usize, q1: f64, q3: f64): void {
  const range = q3 - q1, low = q1 - <f64>FENCE_FACTOR * range, high = q3 + <f64>FENCE_FACTOR * range;
  if (!(range > 0) || (minimum >= low && maximum <= high)) return;
  outside(numbers, finite, low, high);
  put(record, Column.OUTLIERS, <f64>outsideCount);
  put(record, Column.OUTLIER_MIN, outsideMin);
  put(record, Column.OUTLIER_MAX, outsideMax);
}
