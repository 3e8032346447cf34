/**
 * Measurements that a newer program has stored and this one does not know. They are kept as they are, so that the newer program finds them again
 * after this one has written the baseline.
 */
import type { Storage } from '../statistics/measurement.ts';

export interface UnknownMeasurement {
  id: string;
  storage: Storage;
  /** Numbers of each field, and the index of the first one among all unknown numbers of the field. */
  width: number;
  place: number;
}

/** Of one batch. */
export interface UnknownNumbers {
  measurements: readonly UnknownMeasurement[];
  /** Unknown numbers of each field. */
  width: number;
  /** `width` numbers for each field, in the order of the batch's fields; NaN where a field lacks one. */
  numbers: Float64Array;
}
