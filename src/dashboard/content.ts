/** The content of the form: pasted text, or a file. Only the beginning of a file is read here. */
import {
  charsetOf,
  type Coding,
  codingOf,
  columnsOf,
  delimiterOf,
  type Format,
  formatNamed,
  formatOf,
  HEAD_BYTES,
  InvalidInput,
} from './batch.ts';
import { unpacked, unpackedHead } from './unpack.ts';

interface Detected {
  format: Format;
  delimiter: string;
  /** Null if it cannot be detected. */
  charset: string | null;
  /** Null without compression. */
  coding: Coding | null;
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
  /** `charset`: the chosen one, if any. Rejects with `InvalidInput` if the content cannot be rows. */
  ready(charset: string | null): Promise<Ready>;
}

export const textContent = (text: string): Content =>
  contentOf(
    text,
    null,
    () => textDetected(text.slice(0, HEAD_BYTES), 'utf-8', null),
    async () => new Blob([text]),
  );

/** The tests check this file with the types of another platform. */
type Label = ConstructorParameters<typeof TextDecoder>[0];

/** Rejects with `InvalidInput` if the browser cannot read the file. */
export async function fileContent(file: File): Promise<Content> {
  const bytes = await headOf(file);
  const coding = codingOf(bytes);
  const head = coding === null ? bytes : await unpackedHead(file, coding);
  const detect = () => {
    if (head === null) return { format: formatNamed(file.name), delimiter: ',', charset: 'utf-8', coding };
    const format = columnsOf(head);
    if (format !== null) return { format, delimiter: ',', charset: 'utf-8', coding };
    const charset = charsetOf(head);
    return textDetected(new TextDecoder((charset ?? 'utf-8') as Label).decode(head), charset, coding);
  };
  return contentOf('', file, detect, async () => {
    await headOf(file);
    return file;
  });
}

async function headOf(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  } catch {
    throw new InvalidInput(
      'The browser cannot read this: it is a folder, or a file that has changed since you chose it. Choose a file again.',
    );
  }
}

const textDetected = (head: string, charset: string | null, coding: Coding | null): Detected => ({
  format: formatOf(head),
  delimiter: delimiterOf(head),
  charset,
  coding,
});

export const emptyContent = textContent('');

function contentOf(
  text: string,
  file: File | null,
  detect: () => Detected,
  blob: () => Promise<Blob>,
): Content {
  const ready = async (chosen: string | null): Promise<Ready> => {
    const detected = detect();
    const charset = charsetToSend(detected, chosen);
    const { format, coding } = detected;
    // JSON is sent inside of another object.
    if (format === 'json' && coding !== null)
      return { ...detected, charset, coding: null, blob: await unpacked(await blob(), coding) };
    return { ...detected, charset, blob: await blob() };
  };
  return { text, file, detected: orNull(detect), ready };
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
