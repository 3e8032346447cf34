/** A slice of a socket's read keeps the whole read in memory, up to 512 KiB. */

/** A longer slice is not copied. */
const MIN_BYTES = 64 * 1024;

/** Returns the bytes, copied if they keep more than twice as many in memory. */
export function owned(bytes: Buffer): Buffer {
  if (bytes.length >= MIN_BYTES || bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  return Buffer.from(bytes);
}
