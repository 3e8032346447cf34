/** The verdict on a batch, from good to bad. */
export const VERDICTS = ['PASS', 'WARN', 'BLOCK'] as const;
export type Verdict = (typeof VERDICTS)[number];
