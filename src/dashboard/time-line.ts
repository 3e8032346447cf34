/** Equal spans of time, for a chart of verdicts. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Widths that people use. */
const WIDTHS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY, 14 * DAY];
const MAX_SPANS = 45;

/** In ms. */
export interface TimeLine {
  from: number;
  width: number;
  count: number;
}

/**
 * The smallest width that covers the time with at most `MAX_SPANS` spans, and one more where both ends are cut. Days begin at midnight in the
 * reader's time zone, as it is at `to`. Times in ms.
 */
export function timeLine(from: number, to: number): TimeLine {
  const width = WIDTHS.find(each => (to - from) / each <= MAX_SPANS) ?? WIDTHS.at(-1)!;
  const shift = new Date(to).getTimezoneOffset() * MINUTE;
  const indexOf = (ms: number) => Math.floor((ms - shift) / width);
  const first = indexOf(from);
  return { from: first * width + shift, width, count: indexOf(to) - first + 1 };
}
