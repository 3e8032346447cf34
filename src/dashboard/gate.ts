import type { Report } from './contract.ts';
import { plural } from '../terms/wording.ts';

/** How much history a verdict rests on; null where an older release judged. */
export function historyText({ gate }: Report): string | null {
  if (!gate) return null;
  const judged = `Judged by ${plural(gate.history, 'earlier batch', 'earlier batches')} of this source`;
  return gate.learning
    ? `${judged}. Still learning: with fewer than 3 of them a batch may differ as any source may`
    : judged;
}
