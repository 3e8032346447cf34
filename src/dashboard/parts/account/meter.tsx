/** How much of the plan is used. */
import { grouped, percent } from '../../../terms/wording.ts';

const NEARLY = 0.8;

export function Meter({ used, of, what }: { used: number; of: number; what: string }) {
  const share = Math.min(1, used / of);
  return (
    <div class="meter">
      <p>
        <b>{grouped(used)}</b> of {grouped(of)} {what} <span class="faint">({percent(used / of)})</span>
      </p>
      <svg
        class={`bar thick ${share >= 1 ? 'block' : share >= NEARLY ? 'warn' : 'plain'}`}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect class="bar-ground" width="100" height="4" />
        <rect class="bar-value" width={share * 100} height="4" />
      </svg>
    </div>
  );
}
