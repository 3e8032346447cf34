/** JSON files whose rows are not where they are looked for. */
import { arraysIn, isColumns, isErrorMessage } from '../../table/wrappers.ts';
import { quoted } from '../../terms/errors.ts';
import { parsed } from '../../slices/json-around.ts';
import { Failure } from '../failure.ts';

/** What JSON without rows seems to be, and what to do. */
export function noRows(text: Uint8Array, file: string): Failure {
  const json = new TextDecoder().decode(text);
  const value = parsed(json);
  const [first, ...others] = arraysIn(json);
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (or in ${others.slice(0, 3).map(quoted).join(', ')})`;
    return new Failure(
      `The rows seem to be in ${quoted(first)}${more}: if so, add --rows ${shellWord(first)}`,
      file,
    );
  }
  if (isErrorMessage(value))
    return new Failure('The file seems to be an error message, not data; look where it comes from', file);
  if (isColumns(value))
    return new Failure(
      "The file holds columns, not rows: write an array of rows, as orient='records' of pandas does",
      file,
    );
  return new Failure('The file must hold an array of rows, or an object with rows', file);
}

/** There is no array where `--rows` says. */
export function noRowsAlong(path: readonly string[], text: Uint8Array, file: string): Failure {
  const found = arraysIn(new TextDecoder().decode(text));
  const known = found.length === 0 ? '' : `; there is one in ${found.slice(0, 3).map(quoted).join(', ')}`;
  return new Failure(`The file has no array in ${quoted(path.join('.'))}, which --rows names${known}`, file);
}

const shellWord = (path: string): string => (/^[\w.-]+$/.test(path) ? path : `'${path}'`);
