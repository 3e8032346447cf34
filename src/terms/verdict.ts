/** The verdict on a batch, from good to bad. */
export const VERDICTS = ['PASS', 'WARN', 'BLOCK'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const worseOf = (a: Verdict, b: Verdict): Verdict =>
  VERDICTS.indexOf(a) < VERDICTS.indexOf(b) ? b : a;

/** How grave a finding is, from the mildest on. */
export const SEVERITIES = ['info', 'warn', 'block'] as const;
export type Severity = (typeof SEVERITIES)[number];
