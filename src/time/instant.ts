/** RFC 3339, section 5.6. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const FIRST = Date.parse('0000-01-01T00:00:00Z');
/** The last time that RFC 3339 can say in UTC, in ms. */
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds since 1970 of a date and time with its zone; null for any other text, and for days that do not exist. */
export function instantOf(text: string): number | null {
  const date = DATE_TIME.exec(text)?.[1];
  if (date === undefined || !isDay(date)) return null;
  const time = Date.parse(text);
  return time >= FIRST && time <= LAST_INSTANT ? time : null;
}

/** `Date.parse` takes 30 February as 2 March. */
function isDay(date: string): boolean {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
}
