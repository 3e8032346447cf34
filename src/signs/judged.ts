/** What the counts of a whole column say. Pure. */
import { COUNTS, type FieldSign, type Mark, NO_COUNTS, type SignCounts } from './sign.ts';

export interface FoundSign {
  sign: FieldSign;
  /** Cells that show it. */
  count: number;
  /** Which cells of the column show it; null: all that have such a value. */
  mark: Mark | null;
}

/** Texts of the same length that are no chance. */
const MIN_CUT = 3;
/** Of equal values that stand for none. */
export const MIN_SENTINELS = 2;
/** Ids that end in zeros by chance once in 10^10 columns. */
const MIN_ROUNDED = 10;

type Judge = (counts: Required<SignCounts>) => FoundSign | null;

const marked =
  (sign: FieldSign & Mark): Judge =>
  counts =>
    counts[sign] > 0 ? { sign, count: counts[sign], mark: sign } : null;

/** Where most texts of that shape are days. Many zeros may stand for missing days, so they need but one day. */
const impossibleDates: Judge = ({ dates, impossible_date, zero_date }) => {
  if (dates === 0) return null;
  if (impossible_date > 0 && impossible_date < dates)
    return { sign: 'impossible_date', count: impossible_date, mark: 'impossible_date' };
  return zero_date > 0 ? { sign: 'impossible_date', count: zero_date, mark: 'zero_date' } : null;
};

/** A chance that eight digits of a code are a day is one in thirty, and one in three where its months are. */
const MIN_COMPACT = 10;
const COMPACT_ONE_IN = 10;

/** Days such as `20260230`, where nearly all of these digits are days. */
const impossibleCompact: Judge = ({ dates, compact_dates, impossible_compact }) => {
  const days = dates + compact_dates;
  const areDays = days >= MIN_COMPACT && impossible_compact * COMPACT_ONE_IN <= days;
  return areDays && impossible_compact > 0
    ? { sign: 'impossible_date', count: impossible_compact, mark: 'impossible_compact' }
    : null;
};

/** The kind that fewer times show. */
const missingOffset: Judge = ({ no_offset, with_offset }) => {
  if (no_offset === 0 || with_offset === 0) return null;
  const mark = no_offset <= with_offset ? 'no_offset' : 'with_offset';
  return { sign: 'missing_offset', count: Math.min(no_offset, with_offset), mark };
};

/** East and west of Greenwich, or at it and more than an hour from it, which is no summer time. The direction that fewest times show. */
const mixedOffset: Judge = counts => {
  const { zero_offset, east_offset, west_offset, far_east_offset, far_west_offset } = counts;
  const areApart =
    (east_offset > 0 && west_offset > 0) || (zero_offset > 0 && far_east_offset + far_west_offset > 0);
  if (!areApart) return null;
  const marks = (['zero_offset', 'east_offset', 'west_offset'] as const).filter(mark => counts[mark] > 0);
  const mark = marks.reduce((least, each) => (counts[each] < counts[least] ? each : least));
  return { sign: 'mixed_offset', count: counts[mark], mark };
};

/** The order that fewer days show. */
const twoDayOrders: Judge = ({ day_first, month_first }) => {
  if (day_first === 0 || month_first === 0) return null;
  const mark = day_first < month_first ? 'day_first' : 'month_first';
  return { sign: 'two_day_orders', count: Math.min(day_first, month_first), mark };
};

/** Days that stand alone: where the days around them occur, they are days like others. */
const sentinelDates: Judge = ({ dates, sentinel_date, near_sentinels }) =>
  sentinel_date >= MIN_SENTINELS && sentinel_date < dates && near_sentinels === 0
    ? { sign: 'sentinel_date', count: sentinel_date, mark: 'sentinel_date' }
    : null;

const roundedIds: Judge = counts => {
  const { whole, whole_12, whole_16, scientific, spreadsheet, no_whole } = counts;
  const areAmongIds = whole_12 > 0 && whole_12 * 2 > whole && no_whole * 10 <= whole;
  const areAll = scientific > 1 && spreadsheet === scientific && whole + no_whole === 0;
  if (scientific > 0 && (areAmongIds || areAll))
    return { sign: 'rounded_ids', count: scientific, mark: 'scientific' };
  return endInZeros(counts) ? { sign: 'rounded_ids', count: whole_16, mark: null } : null;
};

/** A spreadsheet keeps 15 digits, a double as JavaScript writes it 17. Amounts and times that end in more zeros were never exact. */
function endInZeros(counts: Required<SignCounts>): boolean {
  const { whole, no_whole, scientific, whole_16, whole_18, doubles } = counts;
  if (whole_16 < MIN_ROUNDED || whole_16 < whole || no_whole + scientific > 0) return false;
  const bySpreadsheet = counts.zeros_from_16 === whole_16 && counts.zeros_from_15 * 2 <= whole_16;
  const byDouble =
    counts.zeros_from_18 === whole_18 &&
    whole_18 === whole_16 &&
    counts.zeros_from_17 * 2 <= whole_18 &&
    doubles === whole_18;
  return bySpreadsheet || byDouble;
}

const cutTexts: Judge = ({ at_255, above_255, at_32767, above_32767 }) => {
  if (at_32767 >= MIN_CUT && above_32767 === 0)
    return { sign: 'cut_texts', count: at_32767, mark: 'at_32767' };
  return at_255 >= MIN_CUT && above_255 === 0 ? { sign: 'cut_texts', count: at_255, mark: 'at_255' } : null;
};

const twoDecimalSigns: Judge = ({ decimal_comma, decimal_point }) => {
  if (decimal_comma === 0 || decimal_point === 0) return null;
  const mark = decimal_comma <= decimal_point ? 'decimal_comma' : 'decimal_point';
  return { sign: 'two_decimal_signs', count: Math.min(decimal_comma, decimal_point), mark };
};

const wholeDecimals: Judge = ({ whole_decimal, whole_plain, fractions }) =>
  whole_decimal > 0 && whole_plain > 0 && fractions === 0
    ? { sign: 'whole_decimals', count: whole_decimal, mark: 'whole_decimal' }
    : null;

const JUDGES: readonly Judge[] = [
  marked('replacement_character'),
  marked('mojibake'),
  marked('invisible_character'),
  marked('spreadsheet_error'),
  counts => impossibleDates(counts) ?? impossibleCompact(counts),
  missingOffset,
  twoDayOrders,
  roundedIds,
  cutTexts,
  twoDecimalSigns,
  marked('spreadsheet_null'),
  sentinelDates,
  wholeDecimals,
  mixedOffset,
  marked('test_data'),
];

const NONE = Object.fromEntries(COUNTS.map(name => [name, 0])) as Required<SignCounts>;

/** In the order in which they are reported. */
export function signsIn(counts: SignCounts): FoundSign[] {
  if (counts === NO_COUNTS) return [];
  const all = { ...NONE, ...counts };
  return JUDGES.flatMap(judge => judge(all) ?? []);
}
