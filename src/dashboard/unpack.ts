/** Decompresses files in the browser: their beginning, to detect the format, or all of them where the page has to. */
import { type Coding, HEAD_BYTES, InvalidInput } from './batch.ts';

const MIB = 1024 * 1024;
/** More than a request may have: a small file may unpack to any size. */
const MAX_UNPACKED_BYTES = 256 * MIB;

/** Null where the browser does not know the compression. */
export async function unpackedHead(file: Blob, coding: Coding): Promise<Uint8Array | null> {
  const reader = readerOf(file, coding);
  if (reader === null) return null;
  const { pieces } = await read(reader, HEAD_BYTES);
  return new Uint8Array(await new Blob(pieces).slice(0, HEAD_BYTES).arrayBuffer());
}

/** Rejects with `InvalidInput` where the file is damaged or too large. */
export async function unpacked(file: Blob, coding: Coding): Promise<Blob> {
  const reader = readerOf(file, coding);
  if (reader === null) throw new InvalidInput('This browser cannot unpack the file: unpack it first.');
  const { pieces, bytes, isDamaged } = await read(reader, MAX_UNPACKED_BYTES);
  if (isDamaged) throw new InvalidInput(`The file is damaged: its ${coding} stream cannot be read.`);
  if (bytes > MAX_UNPACKED_BYTES)
    throw new InvalidInput(`The file unpacks to more than ${MAX_UNPACKED_BYTES / MIB} MiB.`);
  return new Blob(pieces);
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** The tests check this file with the types of another platform. */
type Stream = ConstructorParameters<typeof DecompressionStream>[0];

function readerOf(file: Blob, coding: Coding): Reader | null {
  try {
    const stream = new DecompressionStream(coding as Stream) as unknown as ReadableWritablePair;
    return file.stream().pipeThrough(stream).getReader() as Reader;
  } catch {
    return null;
  }
}

/** Reads until there are more bytes than `most`. */
async function read(reader: Reader, most: number) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let isDamaged = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      bytes += value.length;
      if (bytes > most) break;
    }
  } catch {
    isDamaged = true;
  }
  reader.cancel().catch(() => {});
  return { pieces, bytes, isDamaged };
}
