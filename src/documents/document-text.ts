/**
 * Reads documents that people write: YAML, and JSON, which is a part of it. 256 KiB of YAML take up to a second: on the server a thread reads them
 * (`threads/read-rules.ts`).
 */
import { repeatedKeyIn } from './repeated-key.ts';
import { grouped, quoted } from '../terms/wording.ts';
import type { YamlText } from './yaml-text.ts';

export const MAX_DOCUMENT_BYTES = 256 * 1024;
export const MAX_DEPTH = 50;
/** Values of a document, those of aliases each time. */
export const MAX_VALUES = 100_000;

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

/** `isLocal`: nobody else waits, however long it takes. Throws `DocumentError`. */
export function readDocument(bytes: Uint8Array, isLocal = false): DocumentText {
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new DocumentError(
      `It has more than ${grouped(MAX_DOCUMENT_BYTES)} bytes, the most that it may have`,
    );
  const text = decoded(bytes);
  if (text.trim() === '') throw new DocumentError('It is empty');
  try {
    return isJson(text) ? readJson(text) : readYaml(text, isLocal);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : error;
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentError('It must be text in UTF-8');
  }
}

function readJson(text: string): DocumentText {
  const value: unknown = JSON.parse(text);
  checkSize(value);
  refuseRepeated(repeatedKeyIn(text));
  return { value, lineOf: path => yamlOf(text).lineOf(path) };
}

function readYaml(text: string, isLocal: boolean): DocumentText {
  if (!isLocal) checkMerges(text);
  const yaml = yamlOf(text);
  const mistake = yaml.mistake();
  if (mistake) throw new DocumentError(`It is no YAML or JSON: ${mistake.message}`, mistake.line);
  if (yaml.isDeeperThan(MAX_DEPTH)) throw tooDeep();
  const line = yaml.lineOfCollectionKey();
  if (line !== null) throw new DocumentError('A key must be a text, not a map or a list', line);
  const value = valueIn(yaml);
  checkSize(value);
  refuseRepeated(yaml.repeatedKey());
  return { value, lineOf: path => yaml.lineOf(path) };
}

function valueIn(yaml: YamlText): unknown {
  try {
    return yaml.value();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new DocumentError(`It is no YAML or JSON: ${(error as Error).message}`);
  }
}

/** Its library is loaded only where it is needed. */
const yamlOf = (text: string) =>
  new (require('./yaml-text.ts') as typeof import('./yaml-text.ts')).YamlText(text);

/** Of two members with one name a parser keeps the last: half of what somebody wrote would be gone. */
function refuseRepeated(repeated: { key: string; line: number; firstLine: number } | null): void {
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
