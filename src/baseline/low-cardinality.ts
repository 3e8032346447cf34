/** Fields of few distinct texts, where an unseen text is news. */
import { MAX_ENUM } from '../../assembly/abi.ts';
import { VALUES_PER_DISTINCT } from '../statistics/statistic.ts';
import type { BaselineField } from './baseline.ts';

/** Distinct texts at most (the engine lists no more), */
export const LOW_CARDINALITY_DISTINCT = MAX_ENUM;
/** and texts at least. */
export const LOW_CARDINALITY_VALUES = 100;

/** A string field with so few distinct values among so many that an unseen one is news. */
export function isLowCardinality(
  before: BaselineField,
): before is BaselineField & { known: BigUint64Array<ArrayBuffer> } {
  const { known, texts, type } = before;
  if (type !== 'string' || known === null || texts < LOW_CARDINALITY_VALUES) return false;
  return known.length <= LOW_CARDINALITY_DISTINCT && known.length * VALUES_PER_DISTINCT <= texts;
}
