/** The content of the form: pasted text, or a file. Only the beginning of a file is read here. */
import { charsetOf, delimiterOf, type Format, formatOf, HEAD_BYTES, InvalidInput } from './batch.ts';

interface Detected {
  format: Format;
  delimiter: string;
  /** Null if it cannot be detected. */
  charset: string | null;
}

interface Ready extends Detected {
  blob: Blob;
  charset: string;
}

export interface Content {
  text: string;
  file: File | null;
  /** Null if the format cannot be detected. */
  detected: Detected | null;
  /** `charset`: the chosen one, if any. Throws `InvalidInput` if the content cannot be rows. */
  ready(charset: string | null): Ready;
}

export const textContent = (text: string): Content =>
  contentOf(text, null, { head: text.slice(0, HEAD_BYTES), charset: 'utf-8' }, () => new Blob([text]));

/** The tests check this file with the types of another platform. */
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
    const format = read();
    return { ...format, charset: charsetToSend(format, chosen), blob: blob() };
  };
  return { text, file, detected: orNull(read), ready };
}

/** JSON is sent as UTF-8: the service reports where it is not. */
function charsetToSend({ format, charset }: Detected, chosen: string | null): string {
  const sent = chosen ?? charset;
  if (sent !== null) return sent;
  if (format === 'json') return 'utf-8';
  throw new InvalidInput(
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
