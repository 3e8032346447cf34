/** Batches that passed, warned and were blocked, as parts of one bar. */
import { grouped } from '../../../terms/wording.ts';

interface Props {
  pass: number;
  warn: number;
  block: number;
}

export function Tally({ pass, warn, block }: Props) {
  const share = (part: number) => (100 * part) / Math.max(1, pass + warn + block);
  return (
    <span class="tally">
      <svg
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${grouped(pass)} passed, ${grouped(warn)} warned, ${grouped(block)} blocked`}
      >
        <rect class="pass" width={share(pass)} height="4" />
        <rect class="warn" x={share(pass)} width={share(warn)} height="4" />
        <rect class="block" x={share(pass + warn)} width={share(block)} height="4" />
      </svg>
      <span class="faint" aria-hidden="true">
        {grouped(pass)} / {grouped(warn)} / {grouped(block)}
      </span>
    </span>
  );
}
