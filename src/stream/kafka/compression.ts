/**
 * Compression of record batches. Producers choose their codec. A batch is decompressed in pieces, so that a few bytes that become very
 * many do not fill the memory. We compress only messages that are too large otherwise, with gzip.
 */
import { promisify } from 'node:util';
import { constants, createGunzip, createZstdDecompress, gzip } from 'node:zlib';
import { CompressionCodecs } from 'kafkajs';
import { lz4Blocks, snappyBlock, unpacked } from '../../columns/compression.ts';
import { grouped } from '../../terms/wording.ts';

/** Of one record batch. Brokers bound it before compression only by what producers choose. */
export const MAX_BYTES = 256 * 1024 * 1024;

const NONE = 0;
export const GZIP = 1;
const SNAPPY = 2;
const LZ4 = 3;
const ZSTD = 4;

const CHUNK = { chunkSize: 64 * 1024 };

/** Java's Snappy: blocks after a header, each with its length. Other clients write one bare block. */
const SNAPPY_MAGIC = Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]);
const SNAPPY_HEADER_BYTES = 16;
/** The shortest code of Snappy writes 64 bytes for 3. */
const SNAPPY_RATIO = 22;

/** How far back a block may refer. */
const LZ4_HISTORY_BYTES = 64 * 1024;

/** Adds codecs to the table of kafkajs, which reads only messages from before Kafka 0.11. */
export function addCodecs(): void {
  for (const codec of [GZIP, SNAPPY, LZ4, ZSTD])
    CompressionCodecs[codec as keyof typeof CompressionCodecs] = () => ({
      decompress: async (bytes: Buffer) => Buffer.concat(await Array.fromAsync(decompressing(codec, bytes))),
      compress: async () => {
        throw new Error('nothing is compressed');
      },
    });
}

/** Throws if there are more than `most` bytes, if they are damaged, and if Kafka has no such codec. */
export async function* decompressing(codec: number, bytes: Buffer, most = MAX_BYTES): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const piece of piecesOf(codec, bytes, most)) {
    total += piece.length;
    if (total > most) throw tooLarge(most);
    yield piece;
  }
}

function piecesOf(codec: number, bytes: Buffer, most: number): Iterable<Buffer> | AsyncIterable<Buffer> {
  switch (codec) {
    case NONE:
      return [bytes];
    case GZIP:
      return inZlib('gzip', createGunzip(CHUNK), bytes);
    case SNAPPY:
      return snappy(bytes, most);
    case LZ4:
      return lz4(bytes);
    case ZSTD:
      return inZlib('ZSTD', createZstdDecompress(CHUNK), bytes);
    default:
      throw new Error(`its codec ${codec} is not known`);
  }
}

const gzipped = promisify(gzip);

/** Compresses with gzip, which every client of Kafka reads. */
export const compressed = (bytes: Buffer): Promise<Buffer> =>
  gzipped(bytes, { level: constants.Z_BEST_SPEED });

async function* inZlib(
  name: string,
  stream: ReturnType<typeof createGunzip>,
  bytes: Buffer,
): AsyncGenerator<Buffer> {
  stream.end(bytes);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw damaged(name);
  }
}

function* snappy(bytes: Buffer, most: number): Generator<Buffer> {
  if (!bytes.subarray(0, SNAPPY_MAGIC.length).equals(SNAPPY_MAGIC)) {
    yield plainBlock(bytes, most);
    return;
  }
  for (let at = SNAPPY_HEADER_BYTES; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw damaged('Snappy');
    yield plainBlock(bytes.subarray(at + 4, end), most);
    at = end;
  }
}

/** It begins with its length, seven bits in each byte. Throws if that is more than `most`. */
function plainBlock(block: Buffer, most: number): Buffer {
  let length = 0;
  for (let i = 0, shift = 1; i < 5; i++, shift *= 128) {
    length += (block[i]! & 127) * shift;
    if (block[i]! < 128) break;
  }
  if (length > most) throw tooLarge(most);
  if (!(length <= SNAPPY_RATIO * block.length)) throw damaged('Snappy');
  const plain = Buffer.alloc(length);
  if (!snappyBlock(block, plain)) throw damaged('Snappy');
  return plain;
}

/** Blocks may refer to those before them. Kafka checks the whole batch by a checksum of its own. */
async function* lz4(bytes: Buffer): AsyncGenerator<Buffer> {
  const blockBytes = 2 ** (8 + 2 * ((bytes[5]! >> 4) & 7));
  const plain = Buffer.alloc(LZ4_HISTORY_BYTES + blockBytes);
  let start = 0;
  for (const block of lz4Blocks(bytes)) {
    const end = unpacked(block, plain.subarray(0, start + blockBytes), start);
    if (end < 0) throw damaged('LZ4');
    yield Buffer.from(plain.subarray(start, end));
    const kept = Math.min(end, LZ4_HISTORY_BYTES);
    plain.copyWithin(0, end - kept, end);
    start = kept;
    // A block may become 4 MiB: others go on before the next one.
    await new Promise(setImmediate);
  }
}

const damaged = (codec: string) => new Error(`its bytes in ${codec} are damaged`);
const tooLarge = (most: number) => new Error(`it has more than ${grouped(most)} bytes without compression`);
