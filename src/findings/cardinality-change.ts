/** cardinality_change: identifiers that repeat, categories that multiply or vanish. */
import { quoted } from '../errors.ts';
import { percent } from '../wording.ts';
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { FindingOf, Kind } from './finding.ts';

export type CardinalityChangeEvidence =
  | {
      /** Values that were nearly all different are less so. */
      of: 'uniqueness';
      /** Usual share of distinct values: 0..1. */
      usual: number;
      distinct: number;
      cells: number;
    }
  | {
      /** The number of categories. */
      of: 'count';
      usual: number;
      distinct: number;
    };

export type CardinalityChange = FindingOf<'cardinality_change', CardinalityChangeEvidence>;

function words({ field, evidence }: CardinalityChange): string {
  const { distinct, usual } = evidence;
  const what = `Distinct values in ${quoted(field!)}`;
  if (evidence.of === 'uniqueness')
    return `${what} fell to ${distinct} of ${evidence.cells} (usually ${percent(usual)})`;
  return `${what} ${distinct < usual ? 'fell' : 'rose'} from ${usual} to ${distinct}`;
}

function sidesOf(evidence: CardinalityChangeEvidence): { previous: string; current: string } {
  const { distinct, usual } = evidence;
  if (evidence.of === 'count') return { previous: `${usual} distinct`, current: `${distinct} distinct` };
  return {
    previous: `${percent(usual)} distinct`,
    current: `${percent(distinct / evidence.cells)} distinct`,
  };
}

export const cardinalityChange: Kind<'cardinality_change', CardinalityChangeEvidence> = {
  name: 'cardinality_change',
  description: 'The number or share of distinct values is another than before',
  comparesWithBaseline: true,
  healthGroup: 'cardinality_change',
  penalty: eventPenalty,
  words,
  rowCode: null,
  rows: () => null,
  batchCode: eventBatchCode,
  listsInfo: false,
  drift: finding => driftEvent(finding, words(finding), sidesOf(finding.evidence)),
};
