/** Writes text in the encoding of the file that it came from. Pure. */
import { Failure } from '../failure.ts';

type Encode = (utf8: Uint8Array) => Uint8Array;

const asItIs: Encode = bytes => bytes;

/** `charset`: a name of the Encoding Standard; null for UTF-8. Throws `Failure` where text can only be read in it. */
export function encoderOf(charset: string | null, file: string): Encode {
  if (charset === null) return asItIs;
  if (charset === 'utf-16le') return bytes => Buffer.from(textOf(bytes), 'utf16le');
  if (charset === 'utf-16be') return bytes => Buffer.from(textOf(bytes), 'utf16le').swap16();
  const bytesOf = singleBytes(charset);
  if (bytesOf === null)
    throw new Failure(`--good and --held cannot write ${charset}: convert the file to UTF-8 first`, file);
  return bytes => Uint8Array.from(textOf(bytes), character => bytesOf.get(character)!);
}

const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** The byte of each character; null where a character has several. */
function singleBytes(charset: string): Map<string, number> | null {
  const decoder = new TextDecoder(charset as Bun.Encoding);
  const bytes = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const character = decoder.decode(Uint8Array.of(byte));
    if (character.length !== 1 || character === '\ufffd' || bytes.has(character)) continue;
    bytes.set(character, byte);
  }
  return [...'azAZ09,;\n'].every(character => bytes.get(character) === character.charCodeAt(0)) &&
    bytes.size > 192
    ? bytes
    : null;
}
