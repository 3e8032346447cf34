/** What somebody may have meant. */

/** ` Did you mean --fail-on?`, to end a message; empty if no name is near. */
export function meant(typed: string, names: readonly string[]): string {
  const name = nearest(typed, names);
  return name === null ? '' : ` Did you mean ${name}?`;
}

/** Longer names are not compared, and of many names the first ones: distances take time in proportion to the product of the lengths. */
const MOST_CHARACTERS = 40;
const MOST_NAMES = 500;

/** The most similar name; null if none is similar. */
export function nearest(typed: string, names: readonly string[]): string | null {
  if (typed.length > MOST_CHARACTERS) return null;
  let [near, least]: [string | null, number] = [null, Math.max(1, Math.floor(typed.length / 3)) + 1];
  for (const name of names.slice(0, MOST_NAMES)) {
    if (Math.abs(name.length - typed.length) >= least) continue;
    const distance = isRespelled(typed, name) ? 0 : distanceOf(typed, name, least - 1);
    if (distance < least) [near, least] = [name, distance];
  }
  return near;
}

/** Whether two names differ only in case, spaces, `_` and `-`. */
const isRespelled = (a: string, b: string): boolean => withoutSpelling(a) === withoutSpelling(b);

/** Upper case after lower case, so that ß, ẞ and SS, σ and ς meet. */
export const withoutSpelling = (name: string): string =>
  name
    .replace(/[\s_-]/g, '')
    .toLowerCase()
    .toUpperCase();

/** Edits of one character, and swaps of two neighbours, that lead from one to the other (optimal string alignment); Infinity for more than `most`. */
export function distanceOf(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const edited = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]![j] = isSwap ? Math.min(edited, rows[i - 2]![j - 2]! + 1) : edited;
    }
    // A swap reads the row before the last one.
    if (Math.min(...rows[i]!, ...rows[i - 1]!) > most) return Number.POSITIVE_INFINITY;
  }
  return rows[a.length]![b.length]!;
}
