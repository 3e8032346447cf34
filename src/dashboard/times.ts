/** Dates and times as the pages show them. */

const dateTimes = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en');

/** A date-time of the API in the reader's own time zone. */
export const dateTime = (iso: string): string => dateTimes.format(new Date(iso));
export const date = (iso: string): string => dates.format(new Date(iso));

const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** A text of the service with its date-times as the pages show them. */
export const withLocalTimes = (text: string): string =>
  text.replace(ISO, iso => (Number.isNaN(Date.parse(iso)) ? iso : dateTime(iso)));

const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `5 minutes ago`, seen from `now` in ms. In whole units: `1 day ago`, not `yesterday`, since what is 35 hours old may be from the day before yesterday. */
export function ago(iso: string, now: number): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return 'just now';
}

/** Midnight at the beginning of a day (`YYYY-MM-DD`) in the reader's own time zone, or of a later day, as the API reads times. */
export function midnight(day: string, daysLater = 0): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + daysLater).toISOString();
}
