/** A batch of a file, and how a file is cut into batches. */
import type { CompiledEngine, Envelope } from '../engine/engine.ts';
import type { FileFormat } from './format.ts';
import type { CuttingEngine } from './row-writer.ts';

export interface FileBatch {
  /** The body of a request. JSON: an object with `rows`, and with `source` and `options` if the file has them. */
  body: Uint8Array;
  /** From 1. */
  number: number;
  /** Rows of the file before this batch. */
  rowsBefore: number;
  rows: number;
  /** Whether it is the last batch of the file. */
  last: boolean;
  /** CSV, NDJSON: a line of `body` plus this is the line of the file. */
  linesBefore: number;
  /** Source and options of a request object in the file; otherwise `undefined`. */
  said: Pick<Envelope, 'source' | 'options'>;
  /** `begun` of the engine that held the batch when it was cut; null where none did. */
  held: number | null;
}

/** What cuts a file. */
export interface Cutters {
  /** Its batches may be screened from there. */
  engine: CuttingEngine;
  /** For the engines of other threads. */
  module: CompiledEngine;
  /** Seeds the hashes of what an engine holds. */
  salt: Uint8Array;
}

export interface Cutting extends Omit<FileFormat, 'coding'>, Cutters {
  file: string;
  maxBodyBytes: number;
}

/** The rest of a CSV file, from a batch on. */
export interface Position {
  /** Bytes and rows of the file before it, and its first line. */
  offset: number;
  rows: number;
  line: number;
  /** Batches before it. */
  batches: number;
  /** The header, with the lines in it. */
  opening: Uint8Array;
  openingLines: number;
}
