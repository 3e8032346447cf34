/** Parts that states and records have in common, as bytes. */
import { QUANTILES } from '../../assembly/abi.ts';
import type { Verdict } from '../terms/verdict.ts';
import type { BatchFacts } from './batch-facts.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { VERSION_4 } from './format-versions.ts';

// Positions are stored: only append.
const VERDICTS: readonly Verdict[] = ['PASS', 'WARN', 'BLOCK'];

const CHUNK = 1;
const PROVISIONAL = 2;
const ACCEPTED = 4;
const PROPOSED = 8;

/** What is said of a batch before its fields. */
export type Head = BatchFacts & { rows: number; duplicateRows: number };

/** How many counts of the batch as a whole follow. A newer program may have written more. */
const COUNTS = 1;

export function writeHead(writer: ByteWriter, head: Omit<Head, 'provisional'>, provisional = false): void {
  writer.text(head.id);
  writer.f64(head.at);
  writer.count(head.rows);
  writer.u8(VERDICTS.indexOf(head.verdict));
  writer.f64(head.health);
  const marks = (head.accepted ? ACCEPTED : 0) | (head.proposed ? PROPOSED : 0);
  writer.u8((head.chunk ? CHUNK : 0) | (provisional ? PROVISIONAL : 0) | marks);
  writer.count(COUNTS);
  // 0 where it is not known.
  writer.count(Number.isNaN(head.duplicateRows) ? 0 : head.duplicateRows + 1);
}

export function readHead(reader: ByteReader, version: number): Head {
  const id = reader.text();
  const at = reader.f64();
  const rows = reader.count();
  const verdict = VERDICTS[reader.u8()]!;
  const health = reader.f64();
  const flags = reader.u8();
  const chunk = (flags & CHUNK) > 0;
  const provisional = (flags & PROVISIONAL) > 0;
  const marks = {
    ...((flags & ACCEPTED) > 0 && { accepted: true }),
    ...((flags & PROPOSED) > 0 && { proposed: true }),
  };
  const duplicateRows = version <= VERSION_4 ? Number.NaN : readCounts(reader);
  return { id, at, rows, duplicateRows, verdict, health, chunk, provisional, ...marks };
}

function readCounts(reader: ByteReader): number {
  const [duplicateRows = 0] = readList(reader, () => reader.count());
  return duplicateRows === 0 ? Number.NaN : duplicateRows - 1;
}

export function readList<T>(reader: ByteReader, read: () => T): T[] {
  return Array.from({ length: reader.count() }, read);
}

export function readMap<T>(reader: ByteReader, read: (reader: ByteReader) => T): Map<string, T> {
  return new Map(readList(reader, () => [reader.text(), read(reader)]));
}

/** Their number plus one; 0 for null. */
export function writeHashes(writer: ByteWriter, hashes: BigUint64Array | null): void {
  writer.count(hashes ? hashes.length + 1 : 0);
  if (hashes) writer.u64s(hashes);
}

export function readHashes(reader: ByteReader): BigUint64Array | null {
  const head = reader.count();
  return head === 0 ? null : reader.u64s(head - 1);
}

/** QUANTILES order statistics. */
export const readPoints = (reader: ByteReader): Float64Array => reader.f64s(QUANTILES);
