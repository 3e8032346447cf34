/** What somebody may have meant. */

/** ` Did you mean --fail-on?`, to end a message; empty if no name is near. */
export function meant(typed: string, names: readonly string[]): string {
  const most = Math.max(1, Math.floor(typed.length / 3));
  const near = names
    .map(name => ({ name, distance: distanceOf(typed, name) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return near.length === 0 ? '' : ` Did you mean ${near[0]!.name}?`;
}

/** Edits of one character, and swaps of two neighbours, that lead from one to the other (optimal string alignment). */
export function distanceOf(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const edited = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]![j] = isSwap ? Math.min(edited, rows[i - 2]![j - 2]! + 1) : edited;
    }
  return rows[a.length]![b.length]!;
}
