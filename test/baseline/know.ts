/** What a store keeps of a source, decoded. */
import type { Baseline } from '../../src/baseline/baseline.ts';
import { contentFrom, NOTHING } from '../../src/baseline/source-content.ts';
import type { BaselineStore, SourceNotes } from '../../src/stores/ports.ts';

export async function know(
  store: Pick<BaselineStore, 'read'>,
  account: string,
  source: string,
): Promise<{ baseline: Baseline | null; notes: SourceNotes }> {
  const read = await store.read(account, source);
  return { baseline: contentFrom(NOTHING, read).baseline, notes: read.notes };
}
