/** Part of a read of a socket keeps the whole read, of up to 512 KiB, in memory. */

/** Of more bytes, most are its own. */
const MIN_BYTES = 64 * 1024;

/** These bytes, copied if they keep more than twice as many in memory. */
export function owned(bytes: Buffer): Buffer {
  if (bytes.length >= MIN_BYTES || bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  return Buffer.from(bytes);
}
