/** A slice of a batch of any length, with its own body. */
import type { Format } from '../../assembly/abi.ts';
import type { Envelope } from '../engine/engine.ts';

export interface Slice {
  /** The body of a request; screening takes its memory. JSON: an object with `rows`, and with `source` and `options` if the text has them. */
  pieces: Uint8Array<ArrayBuffer>[];
  /** From 1. */
  number: number;
  /** Rows of the text before this slice. */
  rowsBefore: number;
  rows: number;
  /** Whether it is the last slice of the text. */
  last: boolean;
  /** A line of the body plus this is the line of the text. */
  linesBefore: number;
  /** A byte of the body plus this is the byte of the text; one less behind `closedAt`. */
  bytesBefore: number;
  /** The byte of the body that is a brace behind an array of rows; null without one. */
  closedAt: number | null;
  /** Source and options of a request object in the text; otherwise `undefined`. */
  said: Pick<Envelope, 'source' | 'options'>;
  /** The first bytes of the text, for hints at what it is; null in other slices. */
  head: Uint8Array | null;
  /** Its last row is not complete, because it is too large for a body. */
  isCutOff: boolean;
}

/** How a text is cut into rows and cells. */
export interface SliceFormat {
  format: Format;
  /** CSV: the delimiter's byte. */
  delimiter: number;
  /** Whether somebody named the delimiter; else it follows from the format. */
  isDelimiterGiven: boolean;
  /** CSV: the line of the header, from 1; 1 by default. */
  headerLine?: number;
  /** Whether somebody named that line. */
  isHeaderGiven?: boolean;
}

export interface FormattedSlice extends Slice {
  format: SliceFormat;
}

/** Of a slice from the middle of a text: its first line is the header of the text. */
export const laterFormat = <Format extends SliceFormat>(format: Format): Format => ({
  ...format,
  isDelimiterGiven: true,
  headerLine: 1,
  isHeaderGiven: true,
});

/** A copy of the body. */
export const bodyOf = ({ pieces }: Pick<Slice, 'pieces'>): Uint8Array<ArrayBuffer> => {
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
