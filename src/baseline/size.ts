/** Batches and rows behind a baseline, read from the stored bytes without decoding the fields: there may be thousands. */
import type { StoredBaseline } from '../stores/ports.ts';
import { decodeRecordSize } from './encode-record.ts';
import { decodeStateHead } from './encode-state.ts';
import { byId } from './merge.ts';

/** Batches and rows behind a baseline. */
export interface Size {
  batches: number;
  rows: number;
}

/** As `settle` counts them; null without a batch. `stored` must be complete. Throws DamagedBytes. */
export function sizeOf({ folded, tail }: StoredBaseline): Size | null {
  const heads = tail.map(entry => decodeStateHead(entry.state)).sort(byId);
  const firm = heads.filter(head => !head.provisional);
  if (folded === null && firm.length === 0) return heads[0] ? { batches: 1, rows: heads[0].rows } : null;
  const before = folded ? decodeRecordSize(folded) : { batches: 0, rows: 0 };
  return {
    batches: before.batches + firm.length,
    rows: firm.reduce((rows, head) => rows + head.rows, before.rows),
  };
}
