/** The bytes of a file of any length. */
export interface Source {
  size: number;
  /** A copy. Throws `ColumnsError` for bytes that are not there. */
  read(from: number, length: number): Uint8Array<ArrayBuffer>;
  readInto(bytes: Uint8Array, from: number): void;
}
