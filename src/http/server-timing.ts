/** `Server-Timing` (W3C): the stage times of a screening, which browsers and other tools show. */
import type { StageClock } from '../screen/stages.ts';

/** Times in ms, as in `admit;dur=0.05, parse;dur=0.41`. */
export const serverTiming = ({ ms }: StageClock): string =>
  [...ms].map(([stage, each]) => `${stage};dur=${Math.round(each * 100) / 100}`).join(', ');
