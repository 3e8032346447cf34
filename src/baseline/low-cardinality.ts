/** Fields of few distinct texts, where an unseen text is news. */
import { LOW_CARDINALITY_DISTINCT, LOW_CARDINALITY_VALUES, VALUES_PER_DISTINCT } from '../terms/policy.ts';
import type { BaselineField } from './baseline.ts';

/** A string field with so few distinct values among so many that an unseen one is news. */
export function isLowCardinality(
  before: BaselineField,
): before is BaselineField & { known: BigUint64Array<ArrayBuffer> } {
  const { known, texts, type } = before;
  if (type !== 'string' || known === null || texts < LOW_CARDINALITY_VALUES) return false;
  return known.length <= LOW_CARDINALITY_DISTINCT && known.length * VALUES_PER_DISTINCT <= texts;
}
