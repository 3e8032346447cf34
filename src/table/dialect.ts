/** Which delimiter divides a text, and on which line its header is. Pure. */
import { usualWidth } from './columns.ts';
import { headerBehindTitles } from './header.ts';
import { recordsIn, type TextRecord } from './records.ts';

export interface Dialect {
  /** A byte. */
  delimiter: number;
  /** From 1; more where something comes before the header. */
  headerLine: number;
  /** Cells of most records. */
  width: number;
  /** From the header on. */
  records: TextRecord[];
}

/** Bytes that may divide cells, the likelier ones first. */
export const DELIMITER_BYTES: readonly number[] = [0x2c, 0x3b, 0x09, 0x7c, 0x5e, 0x7e, 0x01];

const COMMA = 0x2c;
/** Cells that commas of texts make in every record, as in names. */
const WORDS = 2;

/** Records that are looked at. */
export const LOOKED_RECORDS = 40;
/** Share of the records that have the usual number of cells, if the delimiter is right. */
const EVEN_SHARE = 0.9;
/** The same behind titles and notes. */
const MIXED_SHARE = 0.7;
const MIN_RECORDS = 3;
/** Cells that a delimiter of texts, as in names and lists, does not make in most records by chance. */
const MIN_LIKELY = 3;
const LIKELY_SHARE = 0.8;

/** `sep=;`, which Excel reads and other programs do not: the delimiter. */
export function sepLine(text: string): string | null {
  return /^\ufeff?"?sep=([^\r\n"]|\\t)"?[^\S\r\n\t]*(?:\r\n|\r|\n)/i.exec(text)?.[1] ?? null;
}

/**
 * `others`: bytes that may divide the text if `usual` does not; `ownRecords`: what `usual` makes of it. Null where nothing says more than that the first line may be a header and `usual` may divide it.
 */
export function findDialect(
  text: string,
  isWhole: boolean,
  usual: number,
  others: readonly number[],
  ownRecords = recordsBy(text, isWhole, usual),
): Dialect | null {
  const own = dialectOf(ownRecords, usual);
  if (own !== null && own.records === ownRecords) return own;
  const found = [
    own,
    ...others.filter(each => each !== usual).map(each => dialectOf(recordsBy(text, isWhole, each), each)),
  ].filter(each => each !== null);
  return found
    .filter(each => each.delimiter === usual || each.delimiter !== COMMA || each.width > WORDS)
    .reduce<Dialect | null>((best, each) => (best === null || each.width > best.width ? each : best), null);
}

/** A byte that divides most records of a text of one column, though nothing says surely that it is the delimiter; null without one. */
export function likelyDelimiter(text: string, isWhole: boolean, others: readonly number[]): number | null {
  for (const delimiter of others) {
    const records = recordsIn(text, { delimiter, isWhole, most: LOOKED_RECORDS });
    const { width, share } = usualWidth(records);
    if (records.length >= MIN_RECORDS && width >= MIN_LIKELY && share >= LIKELY_SHARE) return delimiter;
  }
  return null;
}

/** Null where the delimiter does not divide the text into a table. */
function dialectOf(records: TextRecord[], delimiter: number): Dialect | null {
  const { width, share } = usualWidth(records);
  if (width < 2) return null;
  const behind = headerBehindTitles(records, width);
  if (behind !== null) {
    const rest = records.slice(behind);
    if (rest.length >= MIN_RECORDS && usualWidth(rest).share >= MIXED_SHARE)
      return { delimiter, headerLine: rest[0]!.line, width, records: rest };
  }
  if (records[0]!.cells.length !== width || share < EVEN_SHARE) return null;
  return { delimiter, headerLine: 1, width, records };
}

const recordsBy = (text: string, isWhole: boolean, delimiter: number): TextRecord[] =>
  recordsIn(text, { delimiter, isWhole, most: LOOKED_RECORDS });
