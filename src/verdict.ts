/** The verdict on a batch, mildest first. */
export const VERDICTS = ['PASS', 'WARN', 'BLOCK'] as const;
export type Verdict = (typeof VERDICTS)[number];
