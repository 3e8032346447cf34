/** The source that a JSON body names before its rows. Only a hint, which says where to parse: the engine reads the source itself. */
import { checkSource } from '../names/source.ts';

const SOURCE = /^\s*\{\s*"source"\s*:\s*("(?:[^"\\]|\\.)*")/;
/** Of the beginning of a body: a source has at most 200 characters. */
const MOST_BYTES = 1024;

/** Null if the body does not begin so, or with a source that will be refused. */
export function sourceAtStart(beginning: Uint8Array): string | null {
  const [, json] = SOURCE.exec(new TextDecoder().decode(beginning.subarray(0, MOST_BYTES))) ?? [];
  try {
    return json === undefined ? null : checkSource(JSON.parse(json), 'source');
  } catch {
    return null;
  }
}
