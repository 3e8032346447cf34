/** Compressed bodies, made by `node:zlib`. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import type { Coding } from '../../src/intake/content-coding.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const MIB = 1024 * 1024;
const { BROTLI_OPERATION_FLUSH, BROTLI_PARAM_QUALITY, ZSTD_e_flush, Z_SYNC_FLUSH } = zlib.constants;
/** Quality 11, the default, takes seconds for a few MiB. */
const FAST = { params: { [BROTLI_PARAM_QUALITY]: 5 } };

/** By the names of Content-Encoding. */
export const ENCODE: Record<Coding, (bytes: Uint8Array | string) => Bytes> = {
  gzip: bytes => new Uint8Array(zlib.gzipSync(bytes)),
  deflate: bytes => new Uint8Array(zlib.deflateSync(bytes)),
  br: bytes => new Uint8Array(zlib.brotliCompressSync(bytes, FAST)),
  zstd: bytes => new Uint8Array(zlib.zstdCompressSync(bytes)),
};
export const CODINGS = Object.keys(ENCODE) as Coding[];

/** A `deflate` body without the frame of zlib around it, as some clients send. */
export const bareDeflate = (text: string): Bytes => new Uint8Array(zlib.deflateRawSync(text));

/** The begin of a compressed body that holds the whole text, but not the stream's end. */
export const FLUSHED: Record<Coding, (text: string) => Bytes> = {
  gzip: text => new Uint8Array(zlib.gzipSync(text, { finishFlush: Z_SYNC_FLUSH })),
  deflate: text => new Uint8Array(zlib.deflateSync(text, { finishFlush: Z_SYNC_FLUSH })),
  br: text => new Uint8Array(zlib.brotliCompressSync(text, { finishFlush: BROTLI_OPERATION_FLUSH })),
  zstd: text => new Uint8Array(zlib.zstdCompressSync(text, { finishFlush: ZSTD_e_flush })),
};

/** A window of 128 MiB, and blocks of 128 KiB that are one space each: 4 bytes become 131,072. */
function zstdBomb(): Bytes {
  const HEADER = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (27 - 10) << 3];
  const block = (last: number) => {
    const head = (131072 << 3) | (1 << 1) | last;
    return [head & 255, (head >> 8) & 255, head >> 16, 0x20];
  };
  const blocks = Array.from({ length: 8192 }, (_, i) => block(i === 8191 ? 1 : 0));
  return Uint8Array.from([...HEADER, ...blocks.flat()]);
}

/** A quarter of a gigabyte of spaces, compressed without ever being in memory whole. */
async function bombOf(stream: NodeJS.ReadWriteStream): Promise<Bytes> {
  const spaces = Buffer.alloc(MIB, 0x20);
  const out: Uint8Array[] = [];
  const source = Readable.from(Array(256).fill(spaces));
  await pipeline(source, stream, async pieces => {
    for await (const piece of pieces) out.push(piece as Uint8Array);
  });
  return new Uint8Array(Buffer.concat(out));
}

/** Bodies that a client makes with no effort: 256 MiB of spaces or more, in a few kilobytes. */
export const BOMBS: Record<Coding, () => Promise<Bytes>> = {
  gzip: async () =>
    new Uint8Array(Buffer.concat(Array(64).fill(zlib.gzipSync(Buffer.alloc(16 * MIB, 0x20))))),
  deflate: () => bombOf(zlib.createDeflate({ level: 1 })),
  br: () => bombOf(zlib.createBrotliCompress(FAST)),
  zstd: async () => zstdBomb(),
};
