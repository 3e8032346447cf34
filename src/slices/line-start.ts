const LF = 0x0a;
const CR = 0x0d;

/** Where a line begins; null if the bytes end before. LF, CRLF and CR each end a line. */
export function lineStart(bytes: ArrayLike<number>, line: number): number | null {
  let at = 0;
  for (let left = line - 1; left > 0; left--) {
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
    // A line feed may follow.
    if (at + 1 >= bytes.length) return null;
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  }
  return at;
}
