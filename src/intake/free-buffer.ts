/**
 * Frees the memory of bytes that nobody will read again, without waiting for garbage collection. A wide batch arrives in
 * about twenty pieces of 5 MB together, and hundreds of megabytes of old pieces would wait for the collector. The next
 * piece reuses the same memory, which is still in the processor's caches. Skips bytes that share their buffer with others.
 */

/** For fewer bytes, reading `buffer` costs more than it frees: the runtime makes the buffer only then. */
const MIN_BYTES = 16 * 1024;

export function freeBuffer(bytes: Uint8Array): void {
  if (bytes.length < MIN_BYTES) return;
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length) buffer.transfer(0);
}
