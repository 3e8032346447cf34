/** The compressions of Kafka that kafkajs lacks, for reading: producers choose theirs. What we write is not compressed. */
import { zstdDecompressSync } from 'node:zlib';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { lz4Block, snappyBlock } from '../../columns/compression.ts';
import { atOnce } from '../../cooperative-yield.ts';

/** Of one record batch. Brokers bound it before compression only by what producers choose. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Java's Snappy: blocks after a header, each with its length. Other clients write one bare block. */
const SNAPPY_MAGIC = Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]);
const SNAPPY_HEADER_BYTES = 16;

const LZ4_MAGIC = 0x184d2204;
const LZ4_HAS_SIZE = 8;
const LZ4_HAS_BLOCK_CHECKSUMS = 16;
const LZ4_UNCOMPRESSED = 0x80000000;

/** kafkajs looks codecs up in this object of its own. */
export function addCodecs(): void {
  const codecs = [
    [CompressionTypes.Snappy, snappy],
    [CompressionTypes.LZ4, lz4],
    [CompressionTypes.ZSTD, zstd],
  ] as const;
  for (const [type, decompress] of codecs)
    CompressionCodecs[type] = () => ({
      decompress: async (bytes: Buffer) => decompress(bytes),
      compress: async () => {
        throw new Error('nothing is compressed');
      },
    });
}

const zstd = (bytes: Buffer): Buffer => zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES });

/** Throws if there are more than `most` bytes. */
export function snappy(bytes: Buffer, most = MAX_BYTES): Buffer {
  if (!bytes.subarray(0, SNAPPY_MAGIC.length).equals(SNAPPY_MAGIC)) return plainBlock(bytes, most);
  const blocks: Buffer[] = [];
  let room = most;
  for (let at = SNAPPY_HEADER_BYTES; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw damaged('Snappy');
    const plain = plainBlock(bytes.subarray(at + 4, end), room);
    blocks.push(plain);
    room -= plain.length;
    at = end;
  }
  return Buffer.concat(blocks);
}

/** It begins with its length, seven bits in each byte. Throws if that is more than `most`. */
function plainBlock(block: Buffer, most: number): Buffer {
  let length = 0;
  for (let i = 0, shift = 1; i < 5; i++, shift *= 128) {
    length += (block[i]! & 127) * shift;
    if (block[i]! < 128) break;
  }
  if (!(length <= most)) throw damaged('Snappy');
  const plain = Buffer.alloc(length);
  if (!atOnce(snappyBlock(block, plain))) throw damaged('Snappy');
  return plain;
}

/** LZ4 Frame Format 1.6.4: blocks that may refer to those before them. Kafka checks the whole batch by a checksum of its own. */
export function lz4(bytes: Buffer): Buffer {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== LZ4_MAGIC) throw damaged('LZ4');
  const flags = bytes[4]!;
  const blockBytes = 2 ** (8 + 2 * ((bytes[5]! >> 4) & 7));
  const checksum = flags & LZ4_HAS_BLOCK_CHECKSUMS ? 4 : 0;
  let at = 7 + (flags & LZ4_HAS_SIZE ? 8 : 0);
  let plain = Buffer.alloc(Math.min(MAX_BYTES, 4 * bytes.length + blockBytes));
  let end = 0;
  for (let size = bytes.readUInt32LE(at); size !== 0; size = bytes.readUInt32LE(at)) {
    const block = bytes.subarray(at + 4, at + 4 + (size & ~LZ4_UNCOMPRESSED));
    if (size & LZ4_UNCOMPRESSED && block.length > blockBytes) throw damaged('LZ4');
    if (end + blockBytes > plain.length) plain = grown(plain, end + blockBytes);
    if (size & LZ4_UNCOMPRESSED) end += block.copy(plain, end);
    else end = atOnce(lz4Block(block, plain.subarray(0, end + blockBytes), end));
    if (end < 0) throw damaged('LZ4');
    at += 4 + block.length + checksum;
  }
  return plain.subarray(0, end);
}

function grown(plain: Buffer, least: number): Buffer<ArrayBuffer> {
  if (least > MAX_BYTES) throw damaged('LZ4');
  const larger = Buffer.alloc(Math.min(MAX_BYTES, 2 * least));
  plain.copy(larger);
  return larger;
}

const damaged = (codec: string) => new Error(`a record batch in ${codec} cannot be decompressed`);
