/** empty_string_spike: more strings of a field are empty than before. */
import type { Kind } from './finding.ts';
import { type SpikeEvidence, spikeOf } from './rate-spike.ts';

export const emptyStringSpike: Kind<'empty_string_spike', SpikeEvidence> = {
  ...spikeOf('empty_string_spike', 'Empty strings in'),
  description: 'More strings are empty than before',
  rowCode: 'empty',
  rows({ field }, finder) {
    const find = finder.unusualEmpties(finder.field(field)!);
    return find && { find };
  },
};
