/** Sets of 64-bit hashes as ascending arrays. */

/** Whether every hash of `some` is in `all`; both ascending. Sets are small: a view of 32-bit words would cost more than it saves. */
export function hasAll(all: BigUint64Array, some: BigUint64Array): boolean {
  if (some.length > all.length) return false;
  let at = 0;
  for (let i = 0; i < some.length; i++) {
    while (at < all.length && all[at] !== some[i]) at++;
    if (at === all.length) return false;
  }
  return true;
}
