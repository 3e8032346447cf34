import type { Report } from './contract.ts';

export type Verdict = Report['status'];

/** From the best to the worst. */
export const VERDICTS = ['PASS', 'WARN', 'BLOCK'] as const satisfies readonly Verdict[];

export const worseOf = (a: Verdict, b: Verdict): Verdict =>
  VERDICTS.indexOf(a) < VERDICTS.indexOf(b) ? b : a;
