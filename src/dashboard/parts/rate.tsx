/** A share in 0..1 as a percentage over a bar. */
import { percent } from '../../wording.ts';

export const Rate = ({ value, tone = 'plain' }: { value: number; tone?: 'plain' | 'warn' | 'block' }) => (
  <span class="health">
    <span class="health-figure">{percent(value)}</span>
    <svg class={`bar ${tone}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-ground" width="100" height="4" />
      <rect class="bar-value" width={value * 100} height="4" />
    </svg>
  </span>
);
