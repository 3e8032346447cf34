/** Signs of the slices of one batch, as those of the batch. Pure. */
import { MAX_PLACES } from '../../assembly/abi-signs.ts';
import { type Sign, SIGNS } from './sign.ts';

/** Of a slice that begins behind so many rows and lines. */
export const movedSign = (sign: Sign, row: number, line: number): Sign => ({
  ...sign,
  lines: sign.lines.map(each => each + line),
  rows: sign.rows.map(each => each + row),
});

/** One of each kind, in the order of `SIGNS`. */
export function mergedSigns(a: readonly Sign[], b: readonly Sign[]): Sign[] {
  const signs = new Map(a.map(sign => [sign.sign, sign]));
  for (const sign of b) {
    const known = signs.get(sign.sign);
    signs.set(sign.sign, known === undefined ? sign : joined(known, sign));
  }
  return [...signs.values()].sort((x, y) => SIGNS.indexOf(x.sign) - SIGNS.indexOf(y.sign));
}

const joined = (a: Sign, b: Sign): Sign => ({
  sign: a.sign,
  count: a.count + b.count,
  lines: ascending([...a.lines, ...b.lines]).slice(0, MAX_PLACES),
  rows: ascending([...a.rows, ...b.rows]),
});

const ascending = (numbers: number[]): number[] => numbers.sort((x, y) => x - y);
