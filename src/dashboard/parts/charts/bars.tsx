/** The frame of a histogram: its bars are drawn 10 wide for each interval and up to `HEIGHT` high, and its ends are named. */
import type { ComponentChildren } from 'preact';
import { figure } from '../../../terms/wording.ts';

export const HEIGHT = 40;
/** A single value among thousands stays visible. */
export const MIN_HEIGHT = 1.5;

interface Props {
  low: number;
  high: number;
  intervals: number;
  /** For those who cannot see it. */
  label: string;
  isLarge: boolean;
  children: ComponentChildren;
}

export const Bars = ({ low, high, intervals, label, isLarge, children }: Props) => (
  <span class={isLarge ? 'histogram large' : 'histogram'}>
    <svg viewBox={`0 0 ${intervals * 10} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {children}
    </svg>
    <span class="ends">
      <span>{figure(low)}</span>
      <span>{figure(high)}</span>
    </span>
  </span>
);
