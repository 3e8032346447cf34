/** Times in answers: RFC 3339, in UTC with milliseconds. */

export const dateTime = (ms: number): string => new Date(ms).toISOString();

/** Null for what has not happened. */
export const dateTimeOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : dateTime(ms);
