/** null_spike: more rows of a field are without a value than before. */
import type { Kind } from './finding.ts';
import { type SpikeEvidence, spikeOf } from './rate-spike.ts';

export const nullSpike: Kind<'null_spike', SpikeEvidence> = {
  ...spikeOf('null_spike', 'Null rate in'),
  description: 'More rows have no value than before',
  rowCode: 'null',
  rows({ field }, finder) {
    const profile = finder.field(field);
    const find = profile && finder.unusualNulls(profile);
    return find ? { find } : null;
  },
};
