import type { Report } from './contract.ts';
import { plural } from '../wording.ts';

/** How much history an adaptive verdict rests on; null in contract mode. */
export function historyText({ gate }: Report): string | null {
  if (!gate) return null;
  const judged = `Judged by ${plural(gate.history, 'earlier batch', 'earlier batches')} of this source`;
  return gate.learning ? `${judged}. Still learning: only types and missing fields are judged` : judged;
}
