/** Compresses JSON texts and batch states for a column with zstd, to about a quarter of their size. */

/** The fastest level: slower levels save little more. */
const LEVEL = 1;
/** Compressing fewer bytes saves too little. */
const MIN_COMPRESSED_BYTES = 512;
/** First byte of a zstd frame. No JSON text starts with it. */
const ZSTD = 0x28;
/** Separates a pair: no JSON text contains a NUL. Nesting JSON texts in JSON would escape every quote, which takes as long as compression. */
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

/** Packs two JSON texts into one column. */
export function packed(first: string, second: string): Buffer {
  const bytes = Buffer.from(first + SEPARATOR + second);
  return bytes.length < MIN_COMPRESSED_BYTES ? bytes : Bun.zstdCompressSync(bytes, { level: LEVEL });
}

export function unpacked(bytes: Uint8Array): [first: string, second: string] {
  const plain = bytes[0] === ZSTD ? Bun.zstdDecompressSync(bytes as Uint8Array<ArrayBuffer>) : bytes;
  const text = Buffer.from(plain).toString();
  const end = text.indexOf(SEPARATOR);
  return [text.slice(0, end), text.slice(end + 1)];
}
