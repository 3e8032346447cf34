/** Verdicts by equal spans of time, for a chart. */
import type { Job, Verdict } from './contract.ts';

export interface Span {
  /** Start, in ms. */
  at: number;
  verdicts: Record<Verdict, number>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Widths that people use. */
const WIDTHS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY, 14 * DAY];
const MAX_SPANS = 45;

/** The smallest width that covers the time with at most `MAX_SPANS` spans, in ms. */
export const widthFor = (from: number, to: number): number =>
  WIDTHS.find(width => (to - from) / width <= MAX_SPANS) ?? WIDTHS.at(-1)!;

/** All spans from `from` to `to`, also empty ones; all times in ms. Days begin at midnight in the reader's time zone, as it is at `to`. */
export function spansOf(jobs: readonly Job[], from: number, to: number, width: number): Span[] {
  const shift = new Date(to).getTimezoneOffset() * MINUTE;
  const indexOf = (ms: number) => Math.floor((ms - shift) / width);
  const first = indexOf(from);
  const spans = Array.from({ length: indexOf(to) - first + 1 }, (_, i) => ({
    at: (first + i) * width + shift,
    verdicts: { PASS: 0, WARN: 0, BLOCK: 0 },
  }));
  for (const { created_at, status } of jobs) {
    const span = spans[indexOf(Date.parse(created_at)) - first];
    if (span) span.verdicts[status]++;
  }
  return spans;
}
