/** Sets of 64-bit hashes as ascending arrays. */

/** Whether every hash of `some` is in `all`; both ascending. The native search makes no object of the hashes that it passes. */
export function hasAll(all: BigUint64Array, some: BigUint64Array): boolean {
  let at = 0;
  for (const hash of some) {
    at = all.indexOf(hash, at);
    if (at < 0) return false;
  }
  return true;
}
