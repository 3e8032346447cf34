/** The type that more than half of the values have, else `mixed`; and the largest share. */
export function dominant(counts: { [type: string]: number }): { type: string; confidence: number } {
  const [[type, most]] = Object.entries(counts).sort((a, b) => b[1] - a[1]) as [[string, number]];
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (all === 0) return { type: 'null', confidence: 1 };
  return { type: most * 2 > all ? type : 'mixed', confidence: most / all };
}
