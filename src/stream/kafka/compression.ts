/** The compressions of record batches: producers choose theirs. What we write is compressed with gzip where it is too large without. */
import { promisify } from 'node:util';
import { constants, gunzip, gzip, zstdDecompress } from 'node:zlib';
import { CompressionCodecs } from 'kafkajs';
import { grouped } from '../../wording.ts';
import { lz4Block, snappyBlock } from '../../columns/compression.ts';
import { atOnce } from '../../cooperative-yield.ts';

/** Of one record batch. Brokers bound it before compression only by what producers choose. */
export const MAX_BYTES = 256 * 1024 * 1024;

const NONE = 0;
export const GZIP = 1;
const SNAPPY = 2;
const LZ4 = 3;
const ZSTD = 4;

const gunzipped = promisify(gunzip);
const gzipped = promisify(gzip);
const unzstd = promisify(zstdDecompress);

/** Java's Snappy: blocks after a header, each with its length. Other clients write one bare block. */
const SNAPPY_MAGIC = Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]);
const SNAPPY_HEADER_BYTES = 16;
const SNAPPY_RATIO = 22;

const LZ4_MAGIC = 0x184d2204;
const LZ4_HAS_SIZE = 8;
const LZ4_HAS_BLOCK_CHECKSUMS = 16;
const LZ4_UNCOMPRESSED = 0x80000000;

/** Other requests have their turn between blocks of so many bytes. */
const TURN_BYTES = 4 * 1024 * 1024;

/** kafkajs looks codecs up in this object of its own. It reads only messages of before Kafka 0.11. */
export function addCodecs(): void {
  for (const codec of [GZIP, SNAPPY, LZ4, ZSTD])
    CompressionCodecs[codec as keyof typeof CompressionCodecs] = () => ({
      decompress: (bytes: Buffer) => decompressed(codec, bytes),
      compress: async () => {
        throw new Error('nothing is compressed');
      },
    });
}

/** Throws for more than `most` bytes, for bytes that are damaged, and for a codec that Kafka does not have. */
export async function decompressed(codec: number, bytes: Buffer, most = MAX_BYTES): Promise<Buffer> {
  switch (codec) {
    case NONE:
      return bytes;
    case GZIP:
      return inZlib('gzip', most, maxOutputLength => gunzipped(bytes, { maxOutputLength }));
    case SNAPPY:
      return snappy(bytes, most);
    case LZ4:
      return lz4(bytes, most);
    case ZSTD:
      return inZlib('ZSTD', most, maxOutputLength => unzstd(bytes, { maxOutputLength }));
    default:
      throw new Error(`its codec ${codec} is not known`);
  }
}

/** With gzip, which every client of Kafka reads. */
export const compressed = (bytes: Buffer): Promise<Buffer> =>
  gzipped(bytes, { level: constants.Z_BEST_SPEED });

async function inZlib(name: string, most: number, work: (most: number) => Promise<Buffer>): Promise<Buffer> {
  try {
    return await work(most);
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(most) : damaged(name);
  }
}

function snappy(bytes: Buffer, most: number): Buffer {
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
  if (length > most) throw tooLarge(most);
  // No code of Snappy writes more than 64 bytes for three.
  if (!(length <= SNAPPY_RATIO * block.length)) throw damaged('Snappy');
  const plain = Buffer.alloc(length);
  if (!atOnce(snappyBlock(block, plain))) throw damaged('Snappy');
  return plain;
}

/** LZ4 Frame Format 1.6.4: blocks that may refer to those before them. Kafka checks the whole batch by a checksum of its own. */
async function lz4(bytes: Buffer, most: number): Promise<Buffer> {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== LZ4_MAGIC) throw damaged('LZ4');
  const flags = bytes[4]!;
  const blockBytes = 2 ** (8 + 2 * ((bytes[5]! >> 4) & 7));
  const checksum = flags & LZ4_HAS_BLOCK_CHECKSUMS ? 4 : 0;
  let at = 7 + (flags & LZ4_HAS_SIZE ? 8 : 0);
  let plain = Buffer.alloc(Math.min(most + blockBytes, 4 * bytes.length + blockBytes));
  let end = 0;
  let turnEnd = TURN_BYTES;
  for (let size = bytes.readUInt32LE(at); size !== 0; size = bytes.readUInt32LE(at)) {
    const block = bytes.subarray(at + 4, at + 4 + (size & ~LZ4_UNCOMPRESSED));
    if (size & LZ4_UNCOMPRESSED && block.length > blockBytes) throw damaged('LZ4');
    if (end + blockBytes > plain.length) plain = grown(plain, Math.min(2 * end, most) + blockBytes);
    if (size & LZ4_UNCOMPRESSED) end += block.copy(plain, end);
    else end = atOnce(lz4Block(block, plain.subarray(0, end + blockBytes), end));
    if (end < 0) throw damaged('LZ4');
    if (end > most) throw tooLarge(most);
    at += 4 + block.length + checksum;
    if (end < turnEnd) continue;
    turnEnd = end + TURN_BYTES;
    await new Promise(setImmediate);
  }
  return plain.subarray(0, end);
}

function grown(plain: Buffer, length: number): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(length);
  plain.copy(larger);
  return larger;
}

const damaged = (codec: string) => new Error(`its bytes in ${codec} are damaged`);
const tooLarge = (most: number) => new Error(`it has more than ${grouped(most)} bytes without compression`);
