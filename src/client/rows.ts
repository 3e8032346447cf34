/** Rows of the caller's as JSON texts. */
import { type Bytes, encoded, until } from './content.ts';

export type Rows = Iterable<object> | AsyncIterable<object>;

/** So many texts are passed on at a time: each by itself would cost more than its making. */
const AT_ONCE = 256;

/** Throws `TypeError` for what is no row or has no JSON, with its number from 1; and the signal's reason, also while none comes. */
export async function* textsOf(rows: Rows, signal?: AbortSignal): AsyncGenerator<Bytes[]> {
  let texts: Bytes[] = [];
  let number = 0;
  for await (const row of Symbol.asyncIterator in rows ? until(signal, rows) : rows) {
    texts.push(encoded(textOf(row, ++number)));
    if (texts.length < AT_ONCE) continue;
    yield texts;
    texts = [];
  }
  yield texts;
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
