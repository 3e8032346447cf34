/** What follows a table in its file: totals, notes, blank rows. Pure. */
import { isBlank, kindOf } from './cell-kinds.ts';
import { columnsOf, filled, type LookedColumn } from './columns.ts';
import type { TextRecord } from './records.ts';

export interface EndingSign {
  sign: 'total_row' | 'trailing_notes' | 'blank_rows';
  /** Those of the last records that are meant. */
  at: number[];
}

/** First words of a row of totals. */
const TOTAL =
  /^(grand[ -]|sub[ -]?|overall[ -])?(totals?|sum|average|mean|summe|gesamt(summe)?|insgesamt|totale|totaux|suma|soma|totaal|summa|yhteensä|i alt|итого|всего|合计|总计|總計|合計|합계|toplam)\b[:.]?/iu;
/** Marks, and what programs print behind the rows. */
const NOTE =
  /^\s*([#*†‡§([]|--|\/\/|\.\.\.|note|notes|nota|hinweis|source|sources|quelle|fuente|fonte|disclaimer|footnote|generated|created|exported|report|copyright|©|end of|eof\b|error|warning|fatal|exception|traceback|<|rows? (affected|selected)|\d+ rows?\b|total)/i;

/** `last`: the last records, in their order. `sample`: records from the start of the table, without the header. */
export function endingSigns(
  last: readonly TextRecord[],
  sample: readonly TextRecord[],
  width: number,
): EndingSign[] {
  if (width < 2 || sample.length < MIN_SAMPLE) return [];
  const usual = usuallyFilled(sample);
  const labels = new Set(sample.map(({ cells }) => label(cells)));
  const signs: EndingSign[] = [];
  for (let at = last.length - 1; at >= 0; at--) {
    const sign = signOf(last[at]!);
    if (sign === null) break;
    const known = signs.find(each => each.sign === sign);
    if (known) known.at.unshift(at);
    else signs.push({ sign, at: [at] });
  }
  return signs;

  function signOf(record: TextRecord): EndingSign['sign'] | null {
    const count = filled(record);
    if (count === 0) return 'blank_rows';
    const first = label(record.cells);
    if (TOTAL.test(first) && !labels.has(first) && isTotal(record)) return 'total_row';
    return isNote(record, count) ? 'trailing_notes' : null;
  }

  /** Numbers follow the word, or nothing. */
  function isTotal({ cells }: TextRecord): boolean {
    const at = cells.findIndex(cell => !isBlank(cell));
    const others = cells.slice(at + 1).filter(cell => !isBlank(cell));
    return others.every(cell => kindOf(cell) === 'number' || kindOf(cell) === 'blank');
  }

  /** A text alone in its row, where rows have more. */
  function isNote({ cells }: TextRecord, count: number): boolean {
    const text = label(cells);
    if (count > 1) return cells.length < width / 2 && NOTE.test(text) && !sample.some(hasCells(cells.length));
    if (usual < 2 || isBlank(cells[0]!)) return false;
    if (cells.length === width && sample.some(record => filled(record) === 1)) return false;
    const [{ kind }] = columnsOf(sample, 1) as [LookedColumn];
    const isOdd = kind !== null && kind !== 'word' && kindOf(text) === 'word';
    return NOTE.test(text) || isOdd || /\S\s+\S+\s+\S/.test(text);
  }
}

const MIN_SAMPLE = 2;

/** Without the last records that may be no rows: of a short table the sample has them, too. */
export function withoutEnding(records: readonly TextRecord[]): TextRecord[] {
  const mayBeRow = (record: TextRecord) => filled(record) > 1 && !TOTAL.test(label(record.cells));
  return records.slice(0, records.findLastIndex(mayBeRow) + 1);
}

const hasCells =
  (count: number) =>
  ({ cells }: TextRecord): boolean =>
    cells.length === count;

/** The first text of a row. */
const label = (cells: readonly string[]): string => cells.find(cell => !isBlank(cell))?.trim() ?? '';

/** Cells that half of the rows fill at least. */
function usuallyFilled(sample: readonly TextRecord[]): number {
  const counts = sample.map(filled).sort((a, b) => a - b);
  return counts[counts.length >> 1]!;
}
