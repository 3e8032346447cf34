/** Signs that quotes and escapes of a text are not those of RFC 4180. Pure. */
import type { Cutting, TextRecord } from './records.ts';

/** Records that show it by chance. */
const MIN_RECORDS = 2;

/** Lines of records whose cells have a quote behind spaces, where it does not open the cell. */
export function spacedQuoteLines(records: readonly TextRecord[]): number[] {
  const found = records.filter(({ cells }) => cells.some(cell => /^ +"/.test(cell)));
  return found.length < MIN_RECORDS ? [] : found.map(({ line }) => line);
}

/** Lines with a backslash before a quote or a delimiter, as Spark and MySQL write them. */
export function escapeLines(text: string, cutting: Omit<Cutting, 'most'>): number[] {
  if (!text.includes('\\')) return [];
  const delimiter = String.fromCharCode(cutting.delimiter);
  const lines: number[] = [];
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries())
    if (isEscaped(line, delimiter)) lines.push(i + (cutting.line ?? 1));
  return lines.length < MIN_RECORDS ? [] : lines;
}

/** `\"` is a quote only where no other quote follows, as in JSON within a cell; `\` may end a cell in quotes, or a path. */
function isEscaped(line: string, delimiter: string): boolean {
  for (let at = line.indexOf('\\'); at >= 0; at = line.indexOf('\\', at + 2)) {
    const [next, behind] = [line[at + 1], line[at + 2]];
    if (next === '"' && behind !== '"' && behind !== delimiter && behind !== undefined) return true;
  }
  return false;
}
