/** How many cells the records of a CSV text have. */

const LF = 10;
const CR = 13;
const QUOTE = 34;

/** Records that are looked at. */
const MOST_RECORDS = 200;

/** Cells of a header. */
export const cellsIn = (header: string, delimiter: number): number => widthsOf(header, delimiter)[0] ?? 1;

/** Cells of each complete record that is not blank. Quotes are those of `CsvScanner`. */
function widthsOf(text: string, delimiter: number): number[] {
  const widths: number[] = [];
  let width = 1;
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length && widths.length < MOST_RECORDS; at++) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = isCellBegin(text, at, delimiter);
    else if (code === delimiter) width++;
    else if (code === LF || code === CR) {
      if (at > begin) widths.push(width);
      [begin, width] = [at + 1, 1];
    }
  }
  if (begin < text.length && widths.length === 0) widths.push(width);
  return widths;
}

/** A quote just after a quote continues a quoted cell. */
function isCellBegin(text: string, at: number, delimiter: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  return before === delimiter || before === LF || before === CR || before === QUOTE || before === 0xfeff;
}
