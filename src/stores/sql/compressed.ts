/** JSON texts, and states of batches, as they lie in a column: compressed with zstd, about a quarter of their length. */

/** The fastest level: what it saves over none is most of what the slower ones save. */
const LEVEL = 1;
/** Pairs below this have too little to save. */
const LEAST_COMPRESSED = 512;
/** First byte of what zstd makes, and of no JSON text. */
const ZSTD = 0x28;
/** Parts a pair: no JSON text holds a NUL. Putting texts into another JSON text would escape every quote, which takes as long as compressing them. */
const SEPARATOR = '\0';

export const compressed = (value: unknown): Buffer =>
  Bun.zstdCompressSync(JSON.stringify(value), { level: LEVEL });

export function decompressed<T>(bytes: Uint8Array): T {
  return JSON.parse(Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>).toString()) as T;
}

export const compressedBytes = (bytes: Uint8Array): Buffer =>
  Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: LEVEL });

export const decompressedBytes = (bytes: Uint8Array): Buffer =>
  Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>);

/** Two JSON texts for one column, which come out as they went in. */
export function packed(first: string, second: string): Buffer {
  const bytes = Buffer.from(first + SEPARATOR + second);
  return bytes.length < LEAST_COMPRESSED ? bytes : Bun.zstdCompressSync(bytes, { level: LEVEL });
}

export function unpacked(bytes: Uint8Array): [first: string, second: string] {
  const plain = bytes[0] === ZSTD ? Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>) : bytes;
  const text = Buffer.from(plain).toString();
  const end = text.indexOf(SEPARATOR);
  return [text.slice(0, end), text.slice(end + 1)];
}
