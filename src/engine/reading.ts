/**
 * How a CSV column is read. A cell of a text has no type of its own: what a column holds is decided by all of its cells and by its past. So a column of codes stays
 * one, whichever of its codes a batch happens to have, and a number that is damaged is found among numbers.
 */

/** `texts`: all of its values are texts. `values`: what looks like a number or a boolean is one, and words such as `NA` are null. */
export type Reading = 'texts' | 'values';

/** Cells of a column before it is decided how it is read. */
export interface Unsettled {
  /** Null in every column. */
  nulls: number;
  /** Words such as `NA` and spaces, which are null or texts. */
  nullish: number;
  /** Of them, those without a character. */
  nullishEmpties: number;
  /** What looks like a number and is more likely a code: leading zeros, too many digits, an exponent beyond all doubles. */
  codes: number;
  /** Other whole numbers. */
  integers: number;
  /** Other numbers. */
  numbers: number;
  falses: number;
  trues: number;
  strings: number;
  empties: number;
  /** Strings that are more likely codes than damaged numbers, see `assembly/code-texts.ts`. Not counted where no number is. */
  codeTexts: number;
  /** Of them, those of digits and points, such as `1.2.10`. */
  dottedTexts: number;
  /** Numbers with commas between thousands, such as `1,234`; and the numbers from 1,000 on without. These are counted in a body that has some with. */
  groupedTexts: number;
  largeNumbers: number;
  /** Strings of capital letters, such as `S` and `XL`, and a bit for each of these that occurs. */
  letterTexts: number;
  letters: number;
}

/** What is known of a column by its past. Most columns need no more than the type: what takes longer is asked for. */
export interface PastColumn {
  type: 'number' | 'string';
  seen(): Seen;
  /** Whether its numbers may be codes: by its name, or as all have as many digits. */
  mayHoldCodes(): boolean;
}

export interface Seen {
  /** Values that are not null, and those among them that looked otherwise: in a column of texts like numbers, among numbers not like these. */
  values: number;
  odd: number;
}

/** Where a column of texts and of numbers or booleans turns from one to the other: the cells of the run that has most texts and fewest others, and those outside. */
export interface TextRun {
  texts: number;
  typed: number;
  otherTexts: number;
  otherTyped: number;
}

/** What is known of columns with these names in a header, in their order. */
export type PastOf = (header: string[]) => readonly (PastColumn | null)[];

/** One in this many whole numbers looks like a code: then the column holds codes. */
const CODES_ONE_IN = 100;
/** One in this many values is a code with letters, or more: below it a few damaged numbers may look like that. */
const CODE_TEXTS_ONE_IN = 50;
/** The same of numbers with commas between thousands. */
const GROUPED_ONE_IN = 50;
/** Share of the texts among numbers that must be such codes, and of these numbers that must be whole: amounts have fractions. */
const MOSTLY = 0.9;
/** Different letters among numbers that are codes, as sizes are: fewer are marks, such as a `D` for "not disclosed". In a small batch few occur. */
const LETTERS = 3;
const LETTERS_OF_FEW = 2;
const FEW_VALUES = 100;
/** So much of the texts is within a run, of the run is text, and of the rest is not: the column has turned to texts there. */
export const IN_A_RUN = 0.9;
/** In a small batch that may be the order of its rows. */
const LEAST_OF_A_RUN = 50;
/** If at most this share of the earlier texts of a column looked like numbers, the column may become one of numbers. */
const SELDOM = 0.1;
/** A change of the reading has at most this chance if nothing has changed. */
const CHANGED_CHANCE = 0.001;

/** `past`: null where nothing is known. `runOf`: asked where only the order of the cells tells more. */
export function readingOf(cells: Unsettled, past: PastColumn | null, runOf: () => TextRun): Reading {
  if (past === null)
    return readingByItself(cells) === 'values' || turnsToTexts(cells, runOf) ? 'values' : 'texts';
  return past.type === 'string' ? readingOfTexts(cells, past) : readingOfNumbers(cells, past);
}

const typedIn = ({ integers, numbers, falses, trues }: Unsettled): number =>
  integers + numbers + falses + trues;

const valuesIn = (cells: Unsettled): number => typedIn(cells) + cells.codes + cells.strings + cells.empties;

/** Texts that look like numbers or booleans, if the column is read as texts. */
export const typedTextsIn = (cells: Unsettled, reading: Reading): number =>
  reading === 'texts' ? typedIn(cells) + cells.codes : 0;

function readingByItself(cells: Unsettled): Reading {
  const { numbers, integers, falses, trues } = cells;
  const [typed, values] = [typedIn(cells), valuesIn(cells)];
  if (typed === values) return 'values';
  if (Math.max(numbers + integers, falses + trues) * 2 <= values) return 'texts';
  return areCodes(cells) || areCodesWithLetters(cells) || areGrouped(cells) ? 'texts' : 'values';
}

/** Numbers that become texts from a row on, and perhaps numbers again, are a fault. Codes may be sorted so; they have no fractions. */
function turnsToTexts(cells: Unsettled, runOf: () => TextRun): boolean {
  const mayBeCodes = codesWithLetters(cells) * 2 > cells.strings && cells.numbers <= cells.integers;
  if (typedIn(cells) < LEAST_OF_A_RUN || areCodes(cells) || areGrouped(cells) || mayBeCodes) return false;
  const { texts, typed, otherTexts, otherTyped } = runOf();
  return (
    Math.min(texts, otherTyped) >= LEAST_OF_A_RUN &&
    texts >= IN_A_RUN * Math.max(texts + typed, texts + otherTexts) &&
    otherTyped >= IN_A_RUN * (otherTyped + otherTexts)
  );
}

/** Where most numbers have a fraction, a few codes are odd numbers. */
const areCodes = ({ codes, integers, numbers }: Unsettled): boolean =>
  codes > 0 && codes * CODES_ONE_IN >= codes + integers && codes + integers >= numbers;

/** Codes among whole numbers, or versions such as `1.2.10` among such as `1.2`. */
function areCodesWithLetters(cells: Unsettled): boolean {
  const withLetters = codesWithLetters(cells);
  const strings = cells.strings + cells.empties;
  const areDotted = cells.dottedTexts >= MOSTLY * strings;
  const among = cells.integers + (areDotted ? cells.numbers : 0);
  return (
    withLetters * CODE_TEXTS_ONE_IN >= valuesIn(cells) &&
    withLetters >= MOSTLY * strings &&
    among >= MOSTLY * typedIn(cells)
  );
}

/** Numbers below 1,000 are written the same with and without commas between thousands. */
function areGrouped(cells: Unsettled): boolean {
  const { integers, numbers, strings, empties, groupedTexts, largeNumbers } = cells;
  if (integers + numbers === 0) return false;
  const areMost = groupedTexts >= MOSTLY * (strings + empties);
  return largeNumbers === 0 && areMost && groupedTexts * GROUPED_ONE_IN >= valuesIn(cells);
}

function codesWithLetters(cells: Unsettled): number {
  const least = valuesIn(cells) < FEW_VALUES ? LETTERS_OF_FEW : LETTERS;
  return cells.codeTexts + (bitsIn(cells.letters) >= least ? cells.letterTexts : 0);
}

function bitsIn(mask: number): number {
  let bits = 0;
  for (let left = mask >>> 0; left !== 0; left &= left - 1) bits++;
  return bits;
}

/** A column of texts stays one, unless nearly none of them looked like a number and now most do. */
function readingOfTexts(cells: Unsettled, past: PastColumn): Reading {
  const values = valuesIn(cells);
  const likeNumbers = typedIn(cells) + cells.codes;
  if (values === 0) return 'values';
  if (likeNumbers * 2 <= values) return 'texts';
  const seen = past.seen();
  const wereSeldom = seen.odd <= SELDOM * seen.values;
  return wereSeldom && isBeyondChance(likeNumbers, values, seen) ? readingByItself(cells) : 'texts';
}

/** A column of numbers stays one, unless it turns out to hold codes: the batches before may have lacked the few that tell. */
function readingOfNumbers(cells: Unsettled, past: PastColumn): Reading {
  const reading = readingByItself(cells);
  if (reading === 'values' || typedIn(cells) + cells.codes === 0) return reading;
  const odd = cells.codes + cells.strings + cells.empties;
  if (cells.codes + codesWithLetters(cells) < MOSTLY * odd) return 'values';
  return past.mayHoldCodes() || !isBeyondChance(odd, valuesIn(cells), past.seen()) ? 'texts' : 'values';
}

/**
 * Whether `count` of `values` cells or more are unlikely, if `seen.odd` of `seen.values` were: the upper tail of the beta-binomial distribution with a uniform
 * prior, so that a short past says little.
 */
function isBeyondChance(count: number, values: number, seen: Seen): boolean {
  const [a, b] = [seen.odd + 1, seen.values - seen.odd + 1];
  // From all cells downwards, each term from the one before.
  let term = 0;
  for (let i = 0; i < values; i++) term += Math.log((a + i) / (a + b + i));
  let tail = Math.exp(term);
  for (let k = values; k > count; k--) {
    term += Math.log((k * (b + values - k)) / ((values - k + 1) * (a + k - 1)));
    tail += Math.exp(term);
  }
  return tail < CHANGED_CHANCE;
}
