/** What stands in the form: pasted text, or a file of which only the beginning is looked at. */
import { delimiterOf, type Format, formatOf, HEAD_BYTES } from './batch.ts';

interface Ready {
  blob: Blob;
  format: Format;
  delimiter: string;
}

export interface Content {
  text: string;
  file: File | null;
  /** What it looks like so far; null where it cannot be told. */
  looksLike: { format: Format; delimiter: string } | null;
  /** Throws `Unfit` where this cannot be rows. */
  ready(): Ready;
}

export const textContent = (text: string): Content =>
  contentOf(text, null, text.slice(0, HEAD_BYTES), () => new Blob([text]));

export const fileContent = async (file: File): Promise<Content> =>
  contentOf('', file, await file.slice(0, HEAD_BYTES).text(), () => file);

export const emptyContent = textContent('');

function contentOf(text: string, file: File | null, head: string, blob: () => Blob): Content {
  const read = () => ({ format: formatOf(head), delimiter: delimiterOf(head) });
  return { text, file, looksLike: orNull(read), ready: () => ({ ...read(), blob: blob() }) };
}

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
