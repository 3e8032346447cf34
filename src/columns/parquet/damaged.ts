import { ColumnsError } from '../columns-error.ts';

export const damaged = (why: string): ColumnsError => new ColumnsError(`The Parquet file is damaged: ${why}`);

export const notRead = (what: string): ColumnsError =>
  new ColumnsError(`The Parquet file has ${what}, which is not read`);
