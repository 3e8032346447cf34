/**
 * What states and records are wrapped in: kind, version, content, CRC-32. A byte that was damaged, or a version that this program does not know (a
 * newer one wrote it), throws DamagedBytes and is never read as something else.
 */
import { crc32 } from 'node:zlib';
import { ByteReader, ByteWriter, DamagedBytes } from './bytes.ts';
import { VERSION } from './format-versions.ts';

export type EnvelopeKind = 'state' | 'record';

const CODES: Readonly<Record<EnvelopeKind, number>> = { state: 0x53, record: 0x52 };

export const CHECKSUM_BYTES = 4;

/** A writer of the content, to be `sealed`. */
export function opened(kind: EnvelopeKind): ByteWriter {
  const writer = new ByteWriter();
  writer.u8(CODES[kind]);
  writer.u8(VERSION);
  return writer;
}

export function sealed(writer: ByteWriter): Uint8Array {
  writer.u32(crc32(writer.view()));
  return writer.written();
}

/** Throws DamagedBytes unless everything was read. */
export function checkEnd(reader: ByteReader): void {
  if (!reader.atEnd) throw new DamagedBytes('bytes follow the end');
}

/** A reader of the content, and the version that wrote it. */
export function contentOf(kind: EnvelopeKind, bytes: Uint8Array): { reader: ByteReader; version: number } {
  if (bytes.length < 2 + CHECKSUM_BYTES) throw new DamagedBytes('the bytes end too early');
  const content = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
  const checksum = new ByteReader(bytes.subarray(content.length)).u32();
  const reader = new ByteReader(content);
  if (reader.u8() !== CODES[kind]) throw new DamagedBytes('the bytes are not of this kind');
  const version = reader.u8();
  if (version < 1 || version > VERSION)
    throw new DamagedBytes(`version ${version} is unknown: ${VERSION} is the newest here`);
  if (checksum !== crc32(content)) throw new DamagedBytes('the checksum does not fit the bytes');
  return { reader, version };
}
