/** Reads files of rules, and other documents that people write. Messages name file and line. */
import { createReadStream } from 'node:fs';
import {
  DocumentError,
  type DocumentText,
  MAX_DOCUMENT_BYTES,
  readDocument,
} from '../../documents/document-text.ts';
import { Rejection } from '../../terms/errors.ts';
import type { RulesDocument } from '../../rules/declared/document.ts';
import { parseRules } from '../../rules/declared/parse.ts';
import { Failure } from '../failure.ts';
import { STDIN, unreadable } from '../input/input.ts';

/** A YAML or JSON file; `-` is standard input. `edited` may change its lines, but not their number. Throws `Failure`. */
export async function documentIn(file: string, edited?: (text: string) => string): Promise<DocumentText> {
  const bytes = await bytesOf(file);
  try {
    return readDocument(edited === undefined ? bytes : editedBytes(bytes, edited), true);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new Failure(error.message, file, error.line);
  }
}

const editedBytes = (bytes: Uint8Array, edited: (text: string) => string): Uint8Array =>
  new TextEncoder().encode(edited(new TextDecoder().decode(bytes)));

/** Reads at most one byte more than the limit: a device such as /dev/zero has no end. */
async function bytesOf(file: string): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  try {
    const from = file === STDIN ? { fd: 0, autoClose: false } : {};
    for await (const piece of createReadStream(file, { ...from, end: MAX_DOCUMENT_BYTES }))
      pieces.push(piece);
  } catch (error) {
    throw unreadable(file, error);
  }
  return Buffer.concat(pieces);
}

/** The rules in a file. Throws `Failure`. */
export async function rulesIn(file: string): Promise<RulesDocument> {
  const document = await documentIn(file);
  return located(file, document, () => parseRules(document.value).document);
}

/** Runs a check whose messages begin with a path in the document, and adds the line to them. */
export function located<Checked>(file: string, document: DocumentText, check: () => Checked): Checked {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new Failure(error.message, file, document.lineOf(pathIn(error.message)));
  }
}

/** `fields.quantity.minimum: …` → its names. A name that is more than a word is written as JSON in brackets. */
export function pathIn(message: string): (string | number)[] {
  const part = /(?:^|\.)([^.[\]:]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  const path: (string | number)[] = [];
  for (let found = part.exec(message); found; found = part.exec(message)) {
    const [, name, place, quoted] = found;
    if (quoted !== undefined) path.push(JSON.parse(quoted) as string);
    else path.push(name ?? Number(place));
  }
  return path;
}
