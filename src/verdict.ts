/** The verdict on a batch, from good to bad. */
export const VERDICTS = ['PASS', 'WARN', 'BLOCK'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const worseOf = (a: Verdict, b: Verdict): Verdict =>
  VERDICTS.indexOf(a) < VERDICTS.indexOf(b) ? b : a;
