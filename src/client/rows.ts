/** The caller's row objects as JSON texts. */
import { type Bytes, encoded, until } from './content.ts';

type Opened = Iterable<object> | AsyncIterable<object>;

/** Rows, or a function that opens them. */
export type Rows = Opened | (() => Opened | Promise<Opened>);

/** Texts are yielded in groups: yielding each one alone costs more than making it. */
const GROUP_SIZE = 256;

/** Throws `TypeError` for a row that is no object or has no JSON, with its number from 1. After an abort throws the signal's reason. */
export async function* textsOf(
  rows: Rows,
  signal?: AbortSignal,
  groupSize = GROUP_SIZE,
): AsyncGenerator<Bytes[]> {
  let texts: Bytes[] = [];
  let number = 0;
  const opened = typeof rows === 'function' ? await rows() : rows;
  for await (const row of Symbol.asyncIterator in opened ? until(signal, opened) : opened) {
    texts.push(encoded(textOf(row, ++number)));
    if (texts.length < groupSize) continue;
    yield texts;
    texts = [];
  }
  yield texts;
}

/** The first rows: all of them, or more than fit. Then `rest` has the others, as of `begun`. */
export async function begunRows(
  groups: AsyncGenerator<Bytes[]>,
  rows: number,
  bytes: number,
): Promise<{ texts: Bytes[]; rest: AsyncGenerator<Bytes[]> | null }> {
  const texts: Bytes[] = [];
  for (let length = 0; texts.length <= rows && length <= bytes; ) {
    const { done, value } = await groups.next();
    if (done) return { texts, rest: null };
    texts.push(...value);
    for (const text of value) length += text.length;
  }
  return { texts, rest: groups };
}

function textOf(row: object, number: number): string {
  const text = written(row, number);
  if (text?.[0] !== '{') throw new TypeError(`Row ${number} must be an object of fields and values`);
  return text;
}

function written(row: object, number: number): string | undefined {
  try {
    return JSON.stringify(row);
  } catch (cause) {
    throw new TypeError(`Row ${number} cannot be written as JSON: ${(cause as Error).message}`, { cause });
  }
}
