/** Sets of 64-bit hashes as ascending arrays. */

/**
 * Whether every hash of `some` is in `all`; both ascending. Sets are small: a view of 32-bit words would cost more than it saves. Each read of a hash
 * makes an object, so it is read once.
 */
export function hasAll(all: BigUint64Array, some: BigUint64Array): boolean {
  if (some.length > all.length) return false;
  let at = 0;
  for (let i = 0; i < some.length; i++) {
    const hash = some[i];
    while (at < all.length && all[at] !== hash) at++;
    if (at === all.length) return false;
  }
  return true;
}
