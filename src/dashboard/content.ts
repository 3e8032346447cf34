/** What stands in the form: pasted text, or a file of which only the beginning is looked at. */
import { charsetOf, delimiterOf, type Format, formatOf, HEAD_BYTES, Unfit } from './batch.ts';

interface Look {
  format: Format;
  delimiter: string;
  /** Null where it cannot be told. */
  charset: string | null;
}

interface Ready extends Look {
  blob: Blob;
  charset: string;
}

export interface Content {
  text: string;
  file: File | null;
  /** What it looks like so far; null where it cannot be told. */
  looksLike: Look | null;
  /** `charset`: the one that was chosen, if any. Throws `Unfit` where this cannot be rows. */
  ready(charset: string | null): Ready;
}

export const textContent = (text: string): Content =>
  contentOf(text, null, { head: text.slice(0, HEAD_BYTES), charset: 'utf-8' }, () => new Blob([text]));

/** Tests check this file too, with the types of another platform. */
type Label = ConstructorParameters<typeof TextDecoder>[0];

export async function fileContent(file: File): Promise<Content> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const charset = charsetOf(bytes);
  const head = new TextDecoder((charset ?? 'utf-8') as Label).decode(bytes);
  return contentOf('', file, { head, charset }, () => file);
}

export const emptyContent = textContent('');

interface Beginning {
  head: string;
  charset: string | null;
}

function contentOf(text: string, file: File | null, { head, charset }: Beginning, blob: () => Blob): Content {
  const read = () => ({ format: formatOf(head), delimiter: delimiterOf(head), charset });
  const ready = (chosen: string | null) => {
    const look = read();
    return { ...look, charset: charsetToSend(look, chosen), blob: blob() };
  };
  return { text, file, looksLike: orNull(read), ready };
}

/** JSON is in UTF-8, or the service says where it is not. */
function charsetToSend({ format, charset }: Look, chosen: string | null): string {
  const sent = chosen ?? charset;
  if (sent !== null) return sent;
  if (format === 'json') return 'utf-8';
  throw new Unfit(
    'This file is not in UTF-8: choose its encoding under More settings, such as windows-1252.',
  );
}

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}
