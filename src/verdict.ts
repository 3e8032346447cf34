/** The verdict on a batch, from good to bad. */
export type Verdict = 'PASS' | 'WARN' | 'BLOCK';
