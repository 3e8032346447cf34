/**
 * Reads documents that people write: YAML, and JSON, which is a part of it. Bun's parser reads them: it takes 0.02 s for the
 * 256 KiB that the package `yaml` takes 15 s for. Only `yaml` knows lines: it reads the text again where a mistake is to be shown.
 */
import { isCollection, isNode, LineCounter, parseDocument } from 'yaml';
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
      `It may have at most ${grouped(MAX_DOCUMENT_BYTES)} bytes, not ${grouped(bytes.length)}`,
    );
  const text = decoded(bytes);
  if (!isLocal && !isJson(text)) checkMerges(text);
  if (text.trim() === '') throw new DocumentError('It is empty');
  const value = parsed(text, isLocal || bytes.length <= MAX_LOCATED_BYTES);
  checkSize(value);
  checkKeys(text);
  return { value, lineOf: path => lineIn(text, path) };
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

function located(text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  return { document, lines };
}

function mistakeIn(text: string): DocumentError | null {
  const { document, lines } = located(text);
  const [error] = document.errors;
  return error
    ? new DocumentError(`It is no YAML or JSON: ${error.message}`, lines.linePos(error.pos[0]).line)
    : null;
}

function lineIn(text: string, path: readonly (string | number)[]): number {
  const { document, lines } = located(text);
  let node: unknown = document.contents;
  let start = 0;
  for (const name of path) {
    if (!isCollection(node)) break;
    const place = placeOf(node.items, name);
    if (place === null) break;
    start = place;
    node = node.get(name, true);
  }
  return lines.linePos(start).line;
}

/** Where a member begins: the key of a map, the value of a list. */
function placeOf(items: readonly unknown[], name: string | number): number | null {
  const item = items.find((each, i) => (isPair(each) ? String(each.key) === String(name) : i === name));
  const node = isPair(item) ? item.key : item;
  return isNode(node) && node.range ? node.range[0] : null;
}

const isPair = (item: unknown): item is { key: unknown } =>
  typeof item === 'object' && item !== null && 'key' in item && !isNode(item);

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
