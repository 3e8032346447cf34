import { quoted } from '../../terms/errors.ts';
import { grouped } from '../../terms/wording.ts';
import { ColumnsError } from '../columns-error.ts';

export const damaged = (why: string): ColumnsError => new ColumnsError(`The Parquet file is damaged: ${why}`);

export const notRead = (what: string): ColumnsError =>
  new ColumnsError(`The Parquet file has ${what}, which is not read`);

/** A page of the column at `path`. `what`: bytes or values. */
export const tooLong = (path: string, count: number, most: number, what: string): ColumnsError =>
  new ColumnsError(
    `The column ${quoted(path)} has a page of ${grouped(count)} ${what}; at most ${grouped(most)} are read: write smaller pages or shorter texts`,
  );
