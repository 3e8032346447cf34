/** A batch becomes what is normal: of the fields in which it differed nothing from before it is kept. */
import { fieldCost, RECORD_COST } from './limits.ts';
import { mergeState } from './merge.ts';
import type { BaselineRecord } from './record.ts';
import type { BatchState } from './state.ts';
import { type BatchStatistics, Statistic } from './statistics.ts';

/** Among `changed` fields: the batch as a whole, which is its row count. */
export const WHOLE_BATCH = '*';

/**
 * The record after the batch was accepted. A changed field begins anew with it, types, rates, values and quantiles, and one that the batch
 * lacks is no longer expected; all other fields learn the batch as any. A batch that is in the record already is not counted twice.
 */
export function renewed(
  record: BaselineRecord,
  state: BatchState,
  changed: ReadonlySet<string>,
): BaselineRecord {
  const fields = new Map([...record.fields].filter(([name]) => !changed.has(name)));
  let cost = RECORD_COST;
  for (const name of fields.keys()) cost += fieldCost(name);
  const isCounted = record.recent.some(({ id }) => id === state.id);
  const cleared = {
    ...record,
    fields,
    cost,
    batches: record.batches - (isCounted ? 1 : 0),
    rows: record.rows - (isCounted ? state.rows : 0),
    rowCounts: changed.has(WHOLE_BATCH) ? [] : record.rowCounts,
    recent: record.recent.filter(({ id }) => id !== state.id).map(batch => without(batch, changed)),
  };
  return mergeState(cleared, { ...state, provisional: false, accepted: true });
}

/** A batch's statistics as though it had never had the fields. A row count that says nothing is a chunk's. */
function without(batch: BatchStatistics, changed: ReadonlySet<string>): BatchStatistics {
  const numbers = batch.numbers.slice();
  for (const name of changed) {
    const place = batch.places.get(name);
    if (place === undefined) continue;
    numbers.fill(Number.NaN, place * Statistic.LENGTH, (place + 1) * Statistic.LENGTH);
  }
  return { ...batch, numbers, chunk: batch.chunk || changed.has(WHOLE_BATCH) };
}
