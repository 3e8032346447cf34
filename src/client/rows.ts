/** The caller's row objects as JSON texts. */
import { type Bytes, encoded, until } from './content.ts';

export type Rows = Iterable<object> | AsyncIterable<object>;

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
  for await (const row of Symbol.asyncIterator in rows ? until(signal, rows) : rows) {
    texts.push(encoded(textOf(row, ++number)));
    if (texts.length < groupSize) continue;
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
