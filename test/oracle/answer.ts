/** The expected refusal of a whole request, in the order in which the rules are checked. */
import { Refused } from './batch.ts';
import { readCsv } from './csv.ts';
import { type JsonReading, readJson } from './json.ts';

const CODES = new Map<string, string>([
  ['SYNTAX', 'INVALID_JSON'],
  ['TRUNCATED', 'INVALID_JSON'],
  ['ENCODING', 'INVALID_JSON'],
  ['DEPTH', 'PAYLOAD_TOO_LARGE'],
  ['ROWS', 'PAYLOAD_TOO_LARGE'],
  ['FIELDS', 'PAYLOAD_TOO_LARGE'],
  ['CELLS', 'PAYLOAD_TOO_LARGE'],
  ['NAME', 'PAYLOAD_TOO_LARGE'],
]);

/** A source that can be named in a URL and read by a person. */
export function isSource(text: string): boolean {
  if ([...text].length > 200 || text.trim() === '') return false;
  return text !== '.' && text !== '..' && !/\p{Cc}/u.test(text);
}

/** The error code of a JSON body, or what was read. */
export function answerJson(bytes: Uint8Array): string | JsonReading {
  try {
    const reading = readJson(bytes);
    if (reading.top !== 'object') return 'MISSING_SOURCE';
    if (reading.source?.type !== 'string' || !isSource(reading.source.text)) return 'MISSING_SOURCE';
    return reading.batch === undefined ? 'INVALID_ROWS' : reading;
  } catch (error) {
    if (error instanceof Refused) return CODES.get(error.fault) ?? 'INVALID_ROWS';
    throw error;
  }
}

/** The error code of a CSV body, or what was read. */
export function answerCsv(bytes: Uint8Array, delimiter: string): string | ReturnType<typeof readCsv> {
  try {
    return readCsv(bytes, delimiter);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const code = CODES.get(error.fault);
    return code === 'PAYLOAD_TOO_LARGE' ? code : 'INVALID_ROWS';
  }
}
