/** Counts the cells of a column that are likely to be personal data, by some of them. Most columns are told by their statistics, and are not looked at. */
import { Column, Format, Tag } from '../../assembly/abi.ts';
import { meaningsOf } from '../semantics/meaning-of-text.ts';
import { type Meaning, type Meanings, NO_MEANINGS } from '../semantics/semantic-type.ts';
import type { EngineExports } from './exports.ts';
import type { BodyTexts } from './texts.ts';

/** Cells of a column that are all looked at, and how many are of a longer one: a share of 32 cells has a standard error of 0.07 where it is 0.8. */
const [ALL_CELLS, SOME_CELLS] = [64, 32];
/** Bytes of the longest text that may mean something. */
const MOST_BYTES = 64;

/** `numbers`: of the column, by `Column`. */
export function meaningsIn(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
  numbers: Float64Array,
): Meanings {
  if (!mayMean(numbers)) return NO_MEANINGS;
  const looked = textsOf(exports, texts, column);
  const [cells, different] = [new Map<Meaning, number>(), new Map<Meaning, number>()];
  for (const [text, count] of looked)
    for (const meaning of meaningsOf(text)) {
      cells.set(meaning, (cells.get(meaning) ?? 0) + count);
      different.set(meaning, (different.get(meaning) ?? 0) + 1);
    }
  // A frequent code may have a right check digit by chance.
  const found = [...cells].filter(([meaning]) => different.get(meaning)! * 2 >= looked.size);
  if (found.length === 0) return NO_MEANINGS;
  const values = numbers[Column.NUMBERS]! + numbers[Column.STRINGS]!;
  const all = looked.values().reduce((sum, count) => sum + count, 0);
  return Object.fromEntries(found.map(([meaning, count]) => [meaning, Math.round((count / all) * values)]));
}

/** Numbers from here on have the digits of a local phone number. */
const LEAST_NUMBER = 1e6;
/** Characters of the shortest and the longest text with a meaning, spaces within included, and digits of most. */
const [SHORTEST, LONGEST, LEAST_DIGITS] = [7, 42, 3];

/** Digests and UUIDs have so many characters or more, and all as many. */
const HEX_LENGTH = 32;

/** Whether half of the values are whole numbers, or texts of such a length with digits, and most are no dates. */
function mayMean(numbers: Float64Array): boolean {
  const at = (entry: Column) => numbers[entry]!;
  if (at(Column.NUMBERS) > at(Column.STRINGS)) {
    const median = (Column.FIRST_QUANTILE + Column.LAST_QUANTILE) / 2;
    return at(median) >= LEAST_NUMBER && at(Column.INTEGERS) * 2 >= at(Column.INSPECTED_NUMBERS);
  }
  const notEmpty = at(Column.STRINGS) / (at(Column.STRINGS) + at(Column.EMPTIES));
  const texts = at(Column.INSPECTED_TEXTS) * notEmpty;
  const length = at(Column.LENGTH_MEAN) / notEmpty;
  if (at(Column.EMAILS) * 2 >= texts || (length >= HEX_LENGTH && at(Column.LENGTH_M2) === 0)) return false;
  return (
    at(Column.WITH_DIGIT) * 2 >= texts &&
    at(Column.DIGITS) >= LEAST_DIGITS * texts &&
    length >= SHORTEST &&
    length <= LONGEST &&
    at(Column.DATES) * 2 < texts
  );
}

/** Different texts and whole numbers, as they are written, and how many of the cells have them. */
function textsOf(exports: EngineExports, texts: BodyTexts, column: number): Map<string, number> {
  const cells = exports.cellCount(column);
  const looked = cells <= ALL_CELLS ? cells : SOME_CELLS;
  const found = new Map<string, number>();
  for (let i = 0; i < looked; i++) {
    const text = textIn(exports, texts, column, Math.floor((i * cells) / looked));
    if (text !== null) found.set(text, (found.get(text) ?? 0) + 1);
  }
  return found;
}

/** Numbers of CSV as they are written; empty for texts that are long or have escapes. Null of what is neither a number nor a text. */
function textIn(exports: EngineExports, texts: BodyTexts, column: number, cell: number): string | null {
  const tag = exports.cellTag(column, cell);
  if (tag !== Tag.STRING && tag !== Tag.NUMBER) return null;
  const value = exports.cellValue(column, cell);
  if (tag === Tag.NUMBER && texts.format !== Format.CSV) return String(texts.memory.f64At(value));
  const slot = tag === Tag.NUMBER ? exports.cellText(column, cell) : value;
  const [at, length] = [texts.memory.u32At(slot), texts.memory.u32At(slot + 4)];
  // A mark of escapes makes the length large.
  return length > MOST_BYTES ? '' : texts.memory.text(at, length);
}
