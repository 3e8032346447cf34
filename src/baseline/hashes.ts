/** Sets of 64-bit hashes as ascending arrays. They are read as pairs of 32-bit words: reading an element as a bigint makes an object. */

/** Whether every hash of `some` is in `all`; both ascending. */
export function hasAll(all: BigUint64Array, some: BigUint64Array): boolean {
  if (some.length > all.length) return false;
  const [a, b] = [wordsOf(all), wordsOf(some)];
  let at = 0;
  for (let i = 0; i < b.length; i += 2) {
    while (at < a.length && (a[at] !== b[i] || a[at + 1] !== b[i + 1])) at += 2;
    if (at === a.length) return false;
  }
  return true;
}

const wordsOf = (hashes: BigUint64Array): Uint32Array =>
  new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
