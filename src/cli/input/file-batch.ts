/** A batch of a file. */
import type { Envelope } from '../../engine/engine.ts';

export interface FileBatch {
  /** The body of a request; screening takes its memory. JSON: an object with `rows`, and with `source` and `options` if the file has them. */
  pieces: Uint8Array<ArrayBuffer>[];
  /** From 1. */
  number: number;
  /** Rows of the file before this batch. */
  rowsBefore: number;
  rows: number;
  /** Whether it is the last batch of the file. */
  last: boolean;
  /** A line of the body plus this is the line of the file. */
  linesBefore: number;
  /** A byte of the body plus this is the byte of the file; one less behind `closedAt`. */
  bytesBefore: number;
  /** The byte of the body that is a brace behind an array of rows; null without one. */
  closedAt: number | null;
  /** Source and options of a request object in the file; otherwise `undefined`. */
  said: Pick<Envelope, 'source' | 'options'>;
  /** The first bytes of the file, for hints at what it is; null in other batches. */
  head: Uint8Array | null;
  /** Its last row is not complete, because it is too large for a body. */
  isCutOff: boolean;
}

/** A copy of the body. */
export const bodyOf = ({ pieces }: Pick<FileBatch, 'pieces'>): Uint8Array<ArrayBuffer> => {
  const [only] = pieces;
  if (pieces.length === 1) return new Uint8Array(only!);
  const body = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return body;
};
