/**
 * Frees the memory of bytes that nobody will read again, now and not at a collection: a wide batch comes in some twenty
 * pieces, 5 MB together, and hundreds of megabytes of read pieces would wait for the collector. What comes next finds the
 * same memory, still in the processor's caches. Bytes that share their buffer with others are left alone.
 */

/** Looking at the buffer of fewer bytes costs more than it frees: the runtime keeps them without one until then. */
const LEAST_BYTES = 16 * 1024;

export function release(bytes: Uint8Array): void {
  if (bytes.length < LEAST_BYTES) return;
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length) buffer.transfer(0);
}
