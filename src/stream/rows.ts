/**
 * Makes batches of messages: whose rows they are, and the body that the engine reads. Nothing is parsed here but what looks
 * as if it could be no row, or several: the engine reads the batch as a whole, and only if it refuses, each row alone.
 */
import { Format } from '../../assembly/abi.ts';
import { quoted, Rejection } from '../terms/errors.ts';
import { checkSource } from '../names/source.ts';
import type { Input, SourceOf } from './config.ts';
import { type Threads, unavailable } from '../threads/threads.ts';
import { grouped } from '../terms/wording.ts';
import type { Message } from './port.ts';

/** Rows of one source, in order. */
export interface Rows {
  source: string;
  messages: Message[];
}

export interface Sorted {
  sources: Rows[];
  /** Messages that are no row, with the reason. */
  unreadable: Map<Message, string>;
}

/** Most bytes of headers that are searched. They may be half a million headers, which takes some milliseconds. */
const MAX_HEADER_BYTES = 1024 * 1024;

const BRACE = 0x7b;
const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;

/** Rows by source. Tombstones are in none. */
export function sorted(messages: readonly Message[], input: Input, maxBodyBytes: number): Sorted {
  const sources = new Map<string, Message[]>();
  const unreadable = new Map<Message, string>();
  for (const message of messages) {
    if (message.value === null) continue;
    const fault = message.fault ?? faultOf(message.value, input, maxBodyBytes);
    const source = fault === null ? sourceOf(message, input.source) : null;
    if (source === null) unreadable.set(message, fault!);
    else if ('fault' in source) unreadable.set(message, source.fault);
    else {
      const rows = sources.get(source.name);
      if (rows) rows.push(message);
      else sources.set(source.name, [message]);
    }
  }
  return { sources: [...sources].map(([source, rows]) => ({ source, messages: rows })), unreadable };
}

/** What makes a value no row, without the engine. */
function faultOf(value: Uint8Array, { format }: Input, maxBodyBytes: number): string | null {
  // The header of a CSV has room in the other half.
  if (value.length > maxBodyBytes / 2)
    return `the message has ${grouped(value.length)} bytes, and a row may have ${grouped(Math.floor(maxBodyBytes / 2))}`;
  const start = firstOf(value);
  if (start === value.length) return 'the message is empty';
  if (format === 'csv') return null;
  if (value[start] !== BRACE) return 'the message is not a JSON object';
  return hasBreak(value) && !isJson(value) ? 'the message is not JSON' : null;
}

function firstOf(value: Uint8Array): number {
  let i = 0;
  while (i < value.length && value[i]! <= SPACE) i++;
  return i;
}

const hasBreak = (value: Uint8Array): boolean => value.includes(LF) || value.includes(CR);

const jsonOf = (value: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(value));

function isJson(value: Uint8Array): boolean {
  try {
    jsonOf(value);
    return true;
  } catch {
    return false;
  }
}

function sourceOf(message: Message, source: SourceOf): { name: string } | { fault: string } {
  if (source.kind === 'name') return source;
  try {
    return { name: checkSource(sourceText(message, source), whereIs(source)) };
  } catch (error) {
    if (error instanceof Rejection) return { fault: error.message };
    return { fault: source.kind === 'header' ? 'its headers are damaged' : 'the message is not JSON' };
  }
}

function sourceText({ key, headers, value }: Message, source: Exclude<SourceOf, { kind: 'name' }>): unknown {
  if (source.kind === 'field') return (jsonOf(value!) as Record<string, unknown>)[source.name];
  if (source.kind === 'header' && headers.bytes.length > MAX_HEADER_BYTES)
    throw new Rejection(
      'MISSING_SOURCE',
      `${whereIs(source)} is looked for in at most ${grouped(MAX_HEADER_BYTES)} bytes of headers; the message has ${grouped(headers.bytes.length)}`,
    );
  const given = source.kind === 'key' ? key : headers.last(source.name);
  return given === null || given === undefined ? undefined : utf8(given, source);
}

function utf8(bytes: Uint8Array, source: Exclude<SourceOf, { kind: 'name' }>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Rejection('MISSING_SOURCE', `${whereIs(source)} must be UTF-8`);
  }
}

const whereIs = (source: Exclude<SourceOf, { kind: 'name' }>): string =>
  source.kind === 'key' ? 'the key, which names the source,' : `the ${source.kind} ${quoted(source.name)}`;

/** The batch's body: one line for each row; of CSV, a header before them. */
export function bodyOf(messages: readonly Message[], input: Input): Uint8Array<ArrayBuffer> {
  const header = input.format === 'csv' ? headerOf(input.columns) : new Uint8Array();
  const size = messages.reduce((total, { value }) => total + value!.length + 1, header.length);
  const body = new Uint8Array(size);
  body.set(header);
  let at = header.length;
  for (const { value } of messages) {
    const line = input.format === 'csv' ? withoutBreak(value!) : value!;
    body.set(line, at);
    if (input.format === 'json' && hasBreak(line)) joinLines(body.subarray(at, at + line.length));
    at += line.length;
    body[at++] = LF;
  }
  return at === size ? body : body.slice(0, at);
}

/** In JSON a line break can only be white space. */
function joinLines(line: Uint8Array): void {
  for (let i = 0; i < line.length; i++) if (line[i] === LF || line[i] === CR) line[i] = SPACE;
}

const headerOf = (columns: readonly string[]): Uint8Array =>
  new TextEncoder().encode(`${columns.map(name => `"${name.replaceAll('"', '""')}"`).join(',')}\n`);

/** A CSV line with the break that ends it is that line. */
function withoutBreak(value: Uint8Array): Uint8Array {
  let end = value.length;
  if (value[end - 1] === LF) end--;
  if (value[end - 1] === CR) end--;
  return value.subarray(0, end);
}

/** The number by which a report calls each row: its index, or the line of the body on which it begins. */
export function numbersOf(messages: readonly Message[], { format }: Input): number[] {
  if (format === 'json') return messages.map((_, i) => i);
  let line = 2;
  return messages.map(({ value }) => {
    const number = line;
    line += 1 + breaksIn(withoutBreak(value!));
    return number;
  });
}

function breaksIn(value: Uint8Array): number {
  let breaks = 0;
  for (let i = 0; i < value.length; i++)
    if (value[i] === LF || (value[i] === CR && value[i + 1] !== LF)) breaks++;
  return breaks;
}

/** Rows that could begin or end other than at the ends of their messages must be read alone first. */
export const needsCheck = ({ value }: Message, { format }: Input): boolean =>
  format === 'csv' && (value!.includes(QUOTE) || hasBreak(withoutBreak(value!)));

export const contentTypeOf = ({ format }: Input) => ({
  format: format === 'csv' ? Format.CSV : Format.NDJSON,
  delimiter: COMMA,
  isDelimiterGiven: true,
  isHeaderGiven: true,
  charset: null,
  coding: null,
});

/** Reads each row alone. The result has those that are no row, with the reason. */
export async function unreadableOf(
  messages: readonly Message[],
  input: Input,
  threads: Threads,
  salt: Uint8Array,
): Promise<Map<Message, string>> {
  if (messages.length === 0) return new Map();
  const { format, delimiter } = contentTypeOf(input);
  const bodies = messages.map(message => bodyOf([message], input));
  const slot = await threads.acquire({ account: null, key: null, isSmall: false });
  try {
    const reasons = await slot.thread.ask('readAlone', { start: { format, delimiter, salt }, bodies });
    return new Map(messages.flatMap((message, i) => (reasons[i] ? [[message, reasons[i]]] : [])));
  } catch (error) {
    throw unavailable(error);
  } finally {
    slot.release();
  }
}
