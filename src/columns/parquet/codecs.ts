/** Decompresses pages. The page's header names the length, which is checked before. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { snappyUncompress } from 'hyparquet';
import { lz4Block } from '../arrow/compression.ts';
import { damaged, notRead } from './damaged.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export function decompressed(page: Bytes, codec: string, length: number): Bytes {
  if (codec === 'UNCOMPRESSED') return page;
  // Only nulls.
  if (length === 0) return new Uint8Array();
  let plain: Uint8Array;
  try {
    plain = decompress(page, codec, length);
  } catch (error) {
    if (error instanceof UnknownCodec) throw notRead(`pages in ${codec}`);
    throw damaged(`a page cannot be decompressed (${codec})`);
  }
  if (plain.length !== length) throw damaged(`a page has ${plain.length} bytes, not ${length} (${codec})`);
  return plain as Bytes;
}

class UnknownCodec extends Error {}

function decompress(page: Bytes, codec: string, length: number): Uint8Array {
  const most = { maxOutputLength: length };
  switch (codec) {
    case 'SNAPPY': {
      const plain = new Uint8Array(length);
      snappyUncompress(page, plain);
      return plain;
    }
    case 'GZIP':
      return new Uint8Array(gunzipSync(page, most));
    case 'ZSTD':
      return new Uint8Array(zstdDecompressSync(page, most));
    case 'BROTLI':
      return new Uint8Array(brotliDecompressSync(page, most));
    case 'LZ4_RAW':
      return lz4(page, length);
    case 'LZ4':
      return hadoopLz4(page, length) ?? lz4(page, length);
    default:
      throw new UnknownCodec();
  }
}

function lz4(page: Bytes, length: number): Uint8Array {
  const plain = new Uint8Array(length);
  return plain.subarray(0, Math.max(0, lz4Block(page, plain, 0)));
}

/** Hadoop puts two lengths before each block. Others wrote blocks without them under the same name. */
function hadoopLz4(page: Bytes, length: number): Uint8Array | null {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const plain = new Uint8Array(length);
  let end = 0;
  for (let at = 0; at + 8 <= page.length; ) {
    const [whole, packed] = [view.getUint32(at), view.getUint32(at + 4)];
    at += 8;
    if (packed > page.length - at || whole > length - end) return null;
    const to = plain.subarray(end, end + whole);
    if (lz4Block(page.subarray(at, at + packed), to, 0) !== whole) return null;
    at += packed;
    end += whole;
  }
  return end === length ? plain : null;
}
