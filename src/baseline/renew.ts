/** Makes a batch the new normal: nothing older is kept of the fields in which it differed. */
import { WIDTH } from '../statistics/registry.ts';
import { costWith } from './limits.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { BRIEF_WIDTH } from './detail.ts';
import { mergeState } from './merge.ts';
import type { BaselineRecord } from './record.ts';
import type { BatchState } from './state.ts';

/** Among `changed` fields: the batch as a whole, which is its row count. */
export const WHOLE_BATCH = '*';

/**
 * The record after the batch was accepted. A changed field starts again from this batch: types, rates, values and quantiles. One that the batch
 * lacks is no longer expected. All other fields learn the batch like any other. A batch that is already in the record is not counted twice.
 */
export function renewed(
  record: BaselineRecord,
  state: BatchState,
  changed: ReadonlySet<string>,
): BaselineRecord {
  const fields = new Map([...record.fields].filter(([name]) => !changed.has(name)));
  const isCounted = record.recent.some(({ id }) => id === state.id);
  const recent: BatchStatistics[] = [];
  for (const batch of record.recent) {
    if (batch.id !== state.id) recent.push(without(batch, changed));
  }
  const cleared = {
    ...record,
    fields,
    cost: costWith(fields.keys()),
    batches: record.batches - (isCounted ? 1 : 0),
    rows: record.rows - (isCounted ? state.rows : 0),
    rowCounts: changed.has(WHOLE_BATCH) ? [] : record.rowCounts,
    recent,
  };
  return mergeState(cleared, { ...state, provisional: false, accepted: true });
}

/** A batch's measurements as if it had never had the fields. If its row count is to be ignored, it is marked as a chunk. */
function without(batch: BatchStatistics, changed: ReadonlySet<string>): BatchStatistics {
  const numbers = batch.numbers.slice();
  const brief = batch.brief.slice();
  const unknown = batch.unknown && { ...batch.unknown, numbers: batch.unknown.numbers.slice() };
  for (const name of changed) {
    const place = batch.places.get(name);
    if (place === undefined) continue;
    if (place < 0) {
      brief.fill(Number.NaN, (-1 - place) * BRIEF_WIDTH, -place * BRIEF_WIDTH);
      continue;
    }
    numbers.fill(Number.NaN, place * WIDTH, (place + 1) * WIDTH);
    if (unknown) unknown.numbers.fill(Number.NaN, place * unknown.width, (place + 1) * unknown.width);
  }
  const chunk = batch.chunk || changed.has(WHOLE_BATCH);
  return { ...batch, numbers, brief, ...(unknown && { unknown }), chunk };
}
