/** row_count_anomaly: far from the usual row count, beyond the spread of the last batches and beyond counting noise. */
import {
  MAD_TO_DEVIATION,
  ROW_COUNT_BATCHES,
  ROW_COUNT_DEVIATIONS,
  ROW_COUNT_FACTOR,
  ROW_COUNT_NOISE,
} from '../../policy.ts';
import type { BatchRule } from '../rule.ts';

/** A chunk of a larger batch says nothing by its row count. */
export const rowCountRule: BatchRule = ({ profile: { rows }, baseline, options }) => {
  const usual = baseline && !options.chunk ? unusualCount(rows, baseline.rowCounts) : null;
  if (usual === null) return [];
  return [
    {
      kind: 'row_count_anomaly',
      field: null,
      severity: 'warn',
      scope: 'batch',
      evidence: { rows, usual },
    },
  ];
};

/**
 * The usual row count, where `rows` is far from it; else null. `rowCounts` are those of the last batches, each at least 1;
 * without any, nothing is usual yet.
 */
export function unusualCount(rows: number, rowCounts: readonly number[]): number | null {
  if (rowCounts.length === 0) return null;
  const usual = median(rowCounts);
  const isUnusual = isFarFrom(usual, rows) && isBeyondSpread(rowCounts, rows) && isBeyondNoise(usual, rows);
  return isUnusual ? usual : null;
}

const isFarFrom = (usual: number, rows: number): boolean =>
  rows > ROW_COUNT_FACTOR * usual || rows * ROW_COUNT_FACTOR < usual;

const isBeyondNoise = (usual: number, rows: number): boolean =>
  Math.abs(rows - usual) > ROW_COUNT_NOISE * Math.sqrt(usual);

/** Outside the spread of the logarithms, by their median and MAD; the spread of a few batches is not known. */
function isBeyondSpread(rowCounts: readonly number[], rows: number): boolean {
  if (rowCounts.length < ROW_COUNT_BATCHES) return true;
  const logarithms = rowCounts.map(Math.log);
  const centre = median(logarithms);
  const deviation = MAD_TO_DEVIATION * median(logarithms.map(value => Math.abs(value - centre)));
  return Math.abs(Math.log(rows) - centre) > ROW_COUNT_DEVIATIONS * deviation;
}

/** Of at least one value; the mean of the middle two when their number is even. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}
