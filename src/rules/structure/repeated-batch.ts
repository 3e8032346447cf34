/** repeated_batch: the rows are those of an earlier batch. In contract mode that of one request is reported and changes no verdict. */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import { type BatchStatistics, measurementOf, readerOf } from '../../baseline/batch-statistics.ts';
import type { BatchState } from '../../baseline/state.ts';
import { MIN_BATCHES } from '../../terms/policy.ts';
import { PLACE } from '../../statistics/registry.ts';
import type { BatchRule } from '../rule.ts';

export const repeatedBatchRule: BatchRule = ({ baseline, options, state }) => {
  const isAdaptive = options.mode === 'adaptive';
  // The repeat of a killed request may find its own batch, learned before the kill.
  const recent = baseline && !baseline.provisional ? baseline.recent.filter(({ id }) => id !== state.id) : [];
  if (isAdaptive && recent.length < MIN_BATCHES) return [];
  const repeated = repeatedBatch(recent, state);
  if (!repeated) return [];
  return [
    {
      kind: 'repeated_batch',
      field: null,
      severity: isAdaptive || (state.rows > MAX_ROWS && recent.length >= MIN_BATCHES) ? 'warn' : 'info',
      scope: 'batch',
      evidence: { id: repeated.id, rows: repeated.rows },
    },
  ];
};

/**
 * The newest batch whose content this one repeats, column by column whatever the order of its rows. Null without one, and for
 * a source that repeated itself before: there it is usual.
 */
function repeatedBatch(
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

/** Of many fields the baseline keeps no contents: those that it has are compared. Unknown contents are NaN. */
function findRepeat(
  history: readonly BatchStatistics[],
  rows: number,
  contents: readonly Content[],
): BatchStatistics | null {
  if (contents.length === 0) return null;
  const isSame = (batch: BatchStatistics): boolean =>
    batch.rows === rows &&
    !isHeldUntilAccepted(batch) &&
    contents.every(each => !differs(batch, each)) &&
    contents.some(each => agrees(batch, each));
  return history.findLast(isSame) ?? null;
}

/** Its rows were held, so they are sent again when it is accepted. */
const isHeldUntilAccepted = ({ accepted, verdict }: BatchStatistics): boolean =>
  accepted === true && verdict === 'BLOCK';

const agrees = (batch: BatchStatistics, [name, content]: Content): boolean =>
  measurementOf(batch, name, PLACE.content) === content;

const differs = (batch: BatchStatistics, [name, content]: Content): boolean => {
  const before = measurementOf(batch, name, PLACE.content);
  return Number.isNaN(before) || Number.isNaN(content) ? readerOf(batch, name) === null : before !== content;
};

const hasRepeats = (history: readonly BatchStatistics[]): boolean =>
  history.some((batch, i) => findRepeat(history.slice(0, i), batch.rows, contentsOf(batch)) !== null);

const contentsOf = (batch: BatchStatistics): Content[] =>
  [...batch.places.keys()].map(name => [name, measurementOf(batch, name, PLACE.content)]);
