/** What null_spike and empty_string_spike have in common: a rate that rose. */
import { quoted } from '../errors.ts';
import { percent } from '../wording.ts';
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { FindingOf, Kind } from './finding.ts';

export interface SpikeEvidence {
  /** 0..1. */
  previous: number;
  current: number;
}

type SpikeKind = 'null_spike' | 'empty_string_spike';

/** The parts of both kinds. `what` begins the sentence. */
export const spikeOf = <Name extends SpikeKind>(name: Name, what: string) => {
  const words = ({ field, evidence }: FindingOf<Name, SpikeEvidence>): string =>
    `${what} ${quoted(field!)} rose from ${percent(evidence.previous)} to ${percent(evidence.current)}`;
  return {
    name,
    comparesWithBaseline: true,
    healthGroup: name,
    penalty: eventPenalty,
    words,
    batchCode: eventBatchCode,
    listsInfo: false,
    drift: (finding: FindingOf<Name, SpikeEvidence>) =>
      driftEvent(finding, words(finding), {
        previous: percent(finding.evidence.previous),
        current: percent(finding.evidence.current),
      }),
  } satisfies Partial<Kind<Name, SpikeEvidence>>;
};
