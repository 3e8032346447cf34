/** Days that do not exist. Pure. */

const DAY = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[T ].*)?$/i;

const COMPACT = /^((?:19|20)\d\d)(\d\d)(\d\d)$/;

/**
 * `compact`: eight digits that would be a day if its month were longer, or its year. `zero`: `0000-00-00`, which MySQL writes for a missing day. `impossible`: a day that no calendar has, whichever number is the month. Null: it may be right.
 */
export function faultOfDate(text: string): 'zero' | 'impossible' | 'compact' | null {
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  if (year !== undefined) return isDay(Number(year), Number(month), Number(day)) ? null : 'compact';
  const [, first, , second, third] = DAY.exec(text) ?? [];
  if (first === undefined) return null;
  const numbers = [Number(first), Number(second), Number(third)] as const;
  if (numbers.every(number => number === 0)) return 'zero';
  const [a, b, c] = numbers;
  const exists = first.length > 2 ? isDay(a, b, c) : isDay(c, a, b) || isDay(c, b, a);
  return exists ? null : 'impossible';
}

/** The year 0 exists in the calendar that goes on backwards. */
function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
