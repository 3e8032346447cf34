/** How numbers, times and names stand on the page. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTimes = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `12,345` */
export const count = (value: number): string => whole.format(value);

/** `12.3K`, where there is little room. */
export const brief = (value: number): string => short.format(value);

/** `1 row`, `2 rows`, `2 batches` */
export const plural = (value: number, noun: string, many = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : many}`;

/** A fraction in 0..1 with at most one decimal; never 0% or 100% for what is only nearly so. */
export function percent(rate: number): string {
  if (rate > 0 && rate < 0.001) return '<0.1%';
  if (rate < 1 && rate > 0.999) return '>99.9%';
  return `${Math.round(rate * 1000) / 10}%`;
}

/** A value of the data: six digits are enough to look at. */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(3);
  return new Intl.NumberFormat('en', { maximumSignificantDigits: size >= 1e6 ? 15 : 6 }).format(value);
}

/** A date-time of the API in the reader's own time zone. */
export const dateTime = (iso: string): string => dateTimes.format(new Date(iso));
export const date = (iso: string): string => dates.format(new Date(iso));

const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `5 minutes ago`, seen from `now` in ms. */
export function ago(iso: string, now: number): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  return 'just now';
}

const LONGEST = 300;

/** A name for a tooltip, whole as long as a person could read it. */
export function shortened(name: string, characters = LONGEST): string {
  const start = [...name.slice(0, 2 * characters)].slice(0, characters).join('');
  return start.length < name.length ? `${start}…` : name;
}

/** What stands where a name is empty. */
export const NAMELESS = '(empty name)';

/** Any JSON value of the payload on one line. */
export const example = (value: unknown): string => shortened(JSON.stringify(value) ?? '', 80);
