/**
 * Reads documents that people write: YAML, and JSON, which is a part of it. Bun's parser reads them: it takes 0.02 s for the
 * 256 KiB that the package `yaml` takes 15 s for. Only `yaml` knows lines: it reads the text again where a mistake is to be
 * shown (`document-lines.ts`).
 */
import { repeatedKeyIn } from './repeated-key.ts';
import { grouped, quoted } from './wording.ts';

export const MAX_DOCUMENT_BYTES = 256 * 1024;
export const MAX_DEPTH = 50;
/** Values of a document, those of aliases each time. */
export const MAX_VALUES = 100_000;
/** Largest text that is read again for a line, unless the reader is on its own machine. */
const MAX_LOCATED_BYTES = 16 * 1024;

export interface DocumentText {
  value: unknown;
  /** The line, from 1, of the value at a path, or of what is nearest to it. */
  lineOf(path: readonly (string | number)[]): number;
}

/** The text is no document. `line` is from 1; null where it is not known. */
export class DocumentError extends Error {
  constructor(
    message: string,
    readonly line: number | null = null,
  ) {
    super(message);
  }
}

/** `isLocal`: nobody else waits while a line is found. Throws `DocumentError`. */
export function readDocument(bytes: Uint8Array, isLocal = false): DocumentText {
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new DocumentError(
      `It has more than ${grouped(MAX_DOCUMENT_BYTES)} bytes, the most that it may have`,
    );
  const text = decoded(bytes);
  if (!isLocal && !isJson(text)) checkMerges(text);
  if (text.trim() === '') throw new DocumentError('It is empty');
  const value = parsed(text, isLocal || bytes.length <= MAX_LOCATED_BYTES);
  checkSize(value);
  checkKeys(text);
  return { value, lineOf: path => linesOf().lineIn(text, path) };
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentError('It must be text in UTF-8');
  }
}

/** Of two members with one name a parser keeps the last: half of what somebody wrote would be gone. */
function checkKeys(text: string): void {
  const repeated = repeatedKeyIn(text);
  if (repeated === null) return;
  const { key, line, firstLine } = repeated;
  throw new DocumentError(`${quoted(key)} is there twice, first in line ${firstLine}`, line);
}

/** Characters times aliases of a YAML text with merges: each merge copies a map, and the parser does all of them in one step. */
const MAX_MERGED = 1_000_000;

function checkMerges(text: string): void {
  if (text.includes('<<') && (text.split('*').length - 1) * text.length > MAX_MERGED)
    throw new DocumentError('It has too many merges (<<) for its length: write out what they merge');
}

function parsed(text: string, isLocated: boolean): unknown {
  try {
    return isJson(text) ? JSON.parse(text) : Bun.YAML.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    const found = isLocated ? mistakeIn(text) : null;
    throw found ?? new DocumentError(`It is no YAML or JSON: ${(error as Error).message}`);
  }
}

/** A text that begins as JSON does, but is not, is read as YAML. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return error instanceof RangeError;
  }
}

/** Its library is loaded only where a mistake is to be shown. */
const linesOf = () => require('./document-lines.ts') as typeof import('./document-lines.ts');

function mistakeIn(text: string): DocumentError | null {
  const found = linesOf().mistakeIn(text);
  return found && new DocumentError(`It is no YAML or JSON: ${found.message}`, found.line);
}

/** Aliases may make a huge or an endless value of a short text. Throws `DocumentError`. */
export function checkSize(value: unknown): void {
  let values = 0;
  const visit = (each: unknown, depth: number): void => {
    if (++values > MAX_VALUES) throw new DocumentError(`It may have at most ${grouped(MAX_VALUES)} values`);
    if (typeof each !== 'object' || each === null) return;
    if (depth > MAX_DEPTH) throw tooDeep();
    for (const member of Object.values(each)) visit(member, depth + 1);
  };
  visit(value, 1);
}

const tooDeep = (): DocumentError => new DocumentError(`It may be nested at most ${MAX_DEPTH} deep`);
