import { grouped } from '../../terms/wording.ts';
import { ColumnsError } from '../columns-error.ts';

export const damaged = (why: string): ColumnsError => new ColumnsError(`The Parquet file is damaged: ${why}`);

export const notRead = (what: string): ColumnsError =>
  new ColumnsError(`The Parquet file has ${what}, which is not read`);

/** `what`: bytes or values. */
export const tooLong = (count: number, most: number, what: string): ColumnsError =>
  new ColumnsError(
    `The Parquet file has a page of ${grouped(count)} ${what}; at most ${grouped(most)} are read`,
  );
