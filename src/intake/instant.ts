/** RFC 3339, section 5.6. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Milliseconds since 1970 of a date and time with its zone; null for any other text. */
export function instantOf(text: string): number | null {
  const time = DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
