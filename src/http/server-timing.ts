/** `Server-Timing` (W3C): what the stages of a screening took, for the client's own tools; browsers draw it. */
import type { StageClock } from '../stages.ts';

/** In ms, as in `admit;dur=0.05, parse;dur=0.41`. */
export const serverTiming = ({ ms }: StageClock): string =>
  [...ms].map(([stage, each]) => `${stage};dur=${Math.round(each * 100) / 100}`).join(', ');
