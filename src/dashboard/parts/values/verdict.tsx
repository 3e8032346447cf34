/** PASS, WARN or BLOCK, by word, icon and colour. */
import type { Verdict } from '../../contract.ts';

const MARKS: Record<Verdict, string> = {
  PASS: 'M3.500 8.500l3 3 6-7',
  WARN: 'M8 3.500v5.500M8 12v.300',
  BLOCK: 'M4.500 4.500l7 7M11.500 4.500l-7 7',
};

export const VerdictBadge = ({ verdict, isLarge = false }: { verdict: Verdict; isLarge?: boolean }) => (
  <span class={`verdict ${verdict.toLowerCase()}${isLarge ? ' large' : ''}`}>
    <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
      <path d={MARKS[verdict]} />
    </svg>
    {verdict}
  </span>
);
