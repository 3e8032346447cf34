/** Cuts one batch from a CSV file, and screens it. */
import { Cutter } from './batches.ts';
import { MAX_BODY_BYTES } from './open-engine.ts';
import type { Position } from './file-batch.ts';
import type { FileFormat } from './format.ts';
import { fileBytes } from './input.ts';
import { type FileResult, nameBatch, resultOf, type Screener, type Typed } from './named-batch.ts';

/** A plain CSV file on disk that several threads read. */
export interface Shared {
  file: string;
  /** In bytes. */
  size: number;
  format: FileFormat;
  /** For people: what was found in its first bytes. */
  found: string;
  typed: Typed;
}

export interface Turn {
  /** Where the next batch begins; null behind the last. */
  next: Position | null;
  /** Of the file. */
  bytes: number;
  /** Screens the batch. Call it before the next turn of this thread, once. Throws `Failure`, and `Rejection`. */
  screened(): Promise<FileResult>;
}

/** `from`: null for the beginning of the file. Throws `Failure`. */
export async function takeTurn(shared: Shared, from: Position | null, screener: Screener): Promise<Turn> {
  const { file, size, format, typed } = shared;
  const offset = from?.offset ?? 0;
  const { engine, module, salt } = screener;
  const cutting = { file, ...format, engine, module, salt, maxBodyBytes: MAX_BODY_BYTES };
  const cutter = new Cutter(fileBytes(file, size, offset), cutting, from);
  try {
    const batch = nameBatch(file, await cutter.next(), { format, charset: null, hasWideMark: false }, typed);
    const next = batch.last ? null : cutter.position;
    const screened = async () => resultOf(batch, await screener.screen(batch));
    return { next, bytes: (next?.offset ?? size) - offset, screened };
  } finally {
    await cutter.close();
  }
}
