import { fstatSync, readSync } from 'node:fs';
import { ColumnsError } from './columns-error.ts';
import type { Source } from './source.ts';

/** The bytes of an open file. `handle`: its descriptor. `onBytes`: called with how many bytes were read. */
export function fileSource(handle: number, onBytes: (bytes: number) => void = () => {}): Source {
  const { size } = fstatSync(handle);
  const readInto = (bytes: Uint8Array, from: number) => {
    for (let at = 0; at < bytes.length; ) {
      const count = readSync(handle, bytes, at, bytes.length - at, from + at);
      if (count === 0) throw new ColumnsError('The file became shorter while it was read');
      at += count;
    }
    onBytes(bytes.length);
  };
  const read = (from: number, length: number) => {
    if (!(from >= 0 && length >= 0 && from + length <= size))
      throw new ColumnsError('The file is damaged: a part lies outside of it');
    const bytes = new Uint8Array(length);
    readInto(bytes, from);
    return bytes;
  };
  return { size, read, readInto };
}
