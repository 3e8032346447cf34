/** Decompresses pages. The page's header names the length, which is checked before. */
import { lz4Block, snappyBlock, inflated } from '../compression.ts';
import type { Memory } from '../scratch.ts';
import { damaged, notRead } from './damaged.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Fills `to`; false where the page is damaged. */
type Decompress = (page: Bytes, to: Bytes) => boolean;

const CODECS: Record<string, Decompress> = {
  SNAPPY: snappyBlock,
  GZIP: (page, to) => inflated('GZIP', page, to),
  ZSTD: (page, to) => inflated('ZSTD', page, to),
  BROTLI: (page, to) => inflated('BROTLI', page, to),
  LZ4_RAW: lz4,
  LZ4: (page, to) => hadoopLz4(page, to) || lz4(page, to),
};

/** Throws `ColumnsError`. */
export function decompressed(page: Bytes, codec: string, length: number, memory: Memory): Bytes {
  if (codec === 'UNCOMPRESSED') return page;
  if (!(length >= 0)) throw damaged(`a page has ${length} bytes`);
  // Only nulls.
  if (length === 0) return new Uint8Array();
  const decompress = Object.hasOwn(CODECS, codec) ? CODECS[codec]! : null;
  if (decompress === null) throw notRead(`pages in ${codec}`);
  const plain = memory.bytes(length);
  if (!decompress(page, plain))
    throw damaged(`a page cannot be decompressed to its ${length} bytes (${codec})`);
  return plain;
}

function lz4(page: Bytes, to: Bytes): boolean {
  return lz4Block(page, to, 0) === to.length;
}

/** Hadoop puts two lengths before each block. Others wrote blocks without them under the same name. */
function hadoopLz4(page: Bytes, plain: Bytes): boolean {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  let end = 0;
  for (let at = 0; at + 8 <= page.length; ) {
    const [whole, packed] = [view.getUint32(at), view.getUint32(at + 4)];
    at += 8;
    if (whole === 0 || packed > page.length - at || whole > plain.length - end) return false;
    const to = plain.subarray(end, end + whole);
    if (lz4Block(page.subarray(at, at + packed), to, 0) !== whole) return false;
    at += packed;
    end += whole;
  }
  return end === plain.length;
}
