/** A health score in 0..1 as a number over a bar. The colour of the bar follows the default thresholds. */
const WARN_BELOW = 0.8;
const BLOCK_BELOW = 0.5;

const toneOf = (health: number): string =>
  health < BLOCK_BELOW ? 'block' : health < WARN_BELOW ? 'warn' : 'pass';

export const Health = ({ value }: { value: number }) => (
  <span class="health">
    <span class="health-figure">{(value * 100).toFixed(value === 1 ? 0 : 1)}</span>
    <svg class={`bar ${toneOf(value)}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-ground" width="100" height="4" />
      <rect class="bar-value" width={value * 100} height="4" />
    </svg>
  </span>
);
