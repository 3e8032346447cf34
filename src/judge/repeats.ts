/** Staleness: a batch that is an earlier one once more. */
import { type BatchStatistics, measurementOf } from '../baseline/batch-statistics.ts';
import type { BatchState } from '../baseline/state.ts';
import { PLACE } from '../statistics/registry.ts';
import type { Anomaly } from './report.ts';

/**
 * The past batch whose content this one repeats, column by column whatever the order of its rows; null without one, and of a source that
 * repeated itself before: then it is its way.
 */
export function repeatedBatch(
  history: readonly BatchStatistics[],
  { rows, fields }: Pick<BatchState, 'rows' | 'fields'>,
): BatchStatistics | null {
  const contents: Content[] = [];
  for (const [name, { numbers }] of fields) contents.push([name, numbers[PLACE.content]!]);
  const found = findRepeat(history, rows, contents);
  return found && !hasRepeats(history) ? found : null;
}

/** A field's name and what tells its content. */
type Content = readonly [name: string, content: number];

/** Unknown contents are NaN and equal nothing. */
function findRepeat(
  history: readonly BatchStatistics[],
  rows: number,
  contents: readonly Content[],
): BatchStatistics | null {
  if (contents.length === 0) return null;
  const isSame = (batch: BatchStatistics): boolean =>
    batch.rows === rows &&
    contents.every(([name, content]) => measurementOf(batch, name, PLACE.content) === content);
  return history.findLast(isSame) ?? null;
}

const hasRepeats = (history: readonly BatchStatistics[]): boolean =>
  history.some((batch, i) => findRepeat(history.slice(0, i), batch.rows, contentsOf(batch)) !== null);

const contentsOf = (batch: BatchStatistics): Content[] =>
  [...batch.places.keys()].map(name => [name, measurementOf(batch, name, PLACE.content)]);

export const repeatWords = ({ id }: BatchStatistics): string => `The batch repeats an earlier one (${id})`;

export const repeatAnomaly = (repeated: BatchStatistics, severity: Anomaly['severity']): Anomaly => ({
  field: '*',
  statistic: 'repeated_batch',
  observed: repeated.rows,
  expected: [repeated.rows, repeated.rows],
  unusual: MOST_UNUSUAL,
  severity,
  detail: repeatWords(repeated),
});

/** What `unusual` says at most. */
export const MOST_UNUSUAL = 99;
