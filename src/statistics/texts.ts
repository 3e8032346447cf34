/** Texts: their lengths, formats and characters. A format is the sequence of classes of characters, such as "AA-0000". */
import { Column, Like } from '../../assembly/abi.ts';
import { buckets, computed, count, measurementFamily, real } from './measurement.ts';
import { MIN_NUMBERS } from '../terms/policy.ts';
import { NUMBERS } from './numbers.ts';
import {
  type At,
  at,
  DECIDED_BY_RULE,
  type Description,
  distinctShare,
  distribution,
  type Forecasting,
  level,
  likeness,
  onFall,
  onRise,
  type Reader,
  ROUGHLY_KNOWN,
  type Statistic,
  share,
} from './statistic.ts';
import { independence, shareOfDraws, VALUES } from './values.ts';

/** All over the inspected cells. */
export const TEXTS = measurementFamily(NUMBERS.end, {
  inspected_texts: count(Column.INSPECTED_TEXTS, 'texts'),
  /** White space at the beginning or the end. */
  padded: count(Column.PADDED, 'texts'),
  with_digit: count(Column.WITH_DIGIT, 'texts'),
  with_upper: count(Column.WITH_UPPER, 'texts'),
  with_space: count(Column.WITH_SPACE, 'texts'),
  with_non_ascii: count(Column.WITH_NON_ASCII, 'texts'),
  emails: count(Column.EMAILS, 'texts'),
  /** Capital letters only. */
  capitals: count(Column.CAPITALS, 'texts'),
  /** Of all analysed texts: words that stand for a missing value. */
  missing_texts: count(Column.MISSING_TEXTS, 'texts'),
  /** Dates, with or without a time. */
  dates: count(Column.DATES, 'texts'),
  /** Distinct formats; texts of the most frequent one; formats by bucket. */
  formats: count(Column.FORMATS, 'texts'),
  top_format: count(Column.TOP_FORMAT, 'texts'),
  format_buckets: buckets(Column.FIRST_FORMAT_BUCKET, Column.LAST_FORMAT_BUCKET, 'texts'),
  /** Transitions between classes of characters, by bucket. */
  transition_buckets: buckets(Column.FIRST_TRANSITION_BUCKET, Column.LAST_TRANSITION_BUCKET, 'texts'),
  /** Characters in the first 64 bytes of each text, and classes among them. */
  characters: count(Column.CHARACTERS, 'texts'),
  digits: count(Column.DIGITS, 'texts'),
  uppers: count(Column.UPPERS, 'texts'),
  spaces: count(Column.SPACES, 'texts'),
  length_mean: real(Column.LENGTH_MEAN, 'texts'),
  length_standard_deviation: computed(Column.LENGTH_M2, 'f32', 'texts', read =>
    Math.sqrt(read(Column.LENGTH_M2) / read(Column.INSPECTED_TEXTS)),
  ),
});

const {
  inspected_texts: inspectedTexts,
  padded,
  with_digit: withDigit,
  with_upper: withUpper,
  with_space: withSpace,
  with_non_ascii: withNonAscii,
  emails,
  capitals,
  missing_texts: missingTexts,
  dates,
  formats,
  top_format: topFormat,
  format_buckets: formatBuckets,
  transition_buckets: transitionBuckets,
  characters,
  digits,
  uppers,
  spaces,
  length_mean: lengthMean,
  length_standard_deviation: lengthDeviation,
} = TEXTS.place;

const shareOfTexts = (
  id: string,
  label: string,
  place: number,
  rows: Description['rows'],
  forecasting: Partial<Forecasting> = {},
): Statistic =>
  shareOfDraws(
    { id, label, family: 'texts', isPrivate: false, rows },
    at(place),
    at(inspectedTexts),
    forecasting,
  );

const { top_share: topShare } = VALUES.place;

export const PADDED_SHARE = shareOfTexts(
  'padded_share',
  'share of texts with spaces at their ends',
  padded,
  likeness(Like.PADDED),
  DECIDED_BY_RULE,
);

/** Rows often come in groups: a group has one text, not one in each row. */
const independentTexts: Reader = (read, rows) => independence(read, rows) * read(inspectedTexts);

/** 1/2/26 and 12/30/2026: all lengths and formats of such dates go with the day and the month. 20260102 has no separator, 2026-01 only one. */
export function hasLooseDates(read: At): boolean {
  if (!(2 * read(dates) >= read(inspectedTexts))) return false;
  if (read(lengthDeviation) > 0) return true;
  const length = read(lengthMean);
  return length >= 6 && length <= 9 && read(characters) - read(digits) >= 2 * read(inspectedTexts);
}

const OF_FORM = { isOfForm: true };

/** All texts, if enough differ from the most frequent one: a deviation that a handful causes says how many these are. */
const textsIfEnoughDiffer: Reader = (read, rows) =>
  (1 - read(topShare)) * read(inspectedTexts) >= MIN_NUMBERS ? independentTexts(read, rows) : 0;

/** Lengths are whole: if nearly all texts have the same length, a few others say little. */
const HALF_A_CHARACTER = 0.5;
const OF_LOG_DEVIATION = 1;

export const LENGTHS: readonly Statistic[] = [
  level(
    { id: 'mean_length', label: 'mean length', family: 'texts', unit: 'characters', isPrivate: false },
    at(lengthMean),
    independentTexts,
    read => read(lengthDeviation) ** 2 + HALF_A_CHARACTER ** 2,
    { ...OF_FORM, isMean: true },
  ),
  level(
    {
      id: 'length_standard_deviation',
      label: 'standard deviation of lengths',
      family: 'texts',
      unit: 'characters',
      isPrivate: false,
    },
    read => Math.log(read(lengthDeviation) + HALF_A_CHARACTER),
    textsIfEnoughDiffer,
    () => OF_LOG_DEVIATION,
    { ...OF_FORM, ...ROUGHLY_KNOWN, inverse: value => Math.exp(value) - HALF_A_CHARACTER },
  ),
];

export const FORMATS: readonly Statistic[] = [
  share(
    {
      id: 'top_format_share',
      label: 'share of the most frequent format',
      family: 'texts',
      isPrivate: false,
      rows: onFall({ query: 'like', like: Like.USUAL_FORMAT, has: false }),
    },
    (read, rows) => independence(read, rows) * read(topFormat),
    independentTexts,
    { ...OF_FORM, ...DECIDED_BY_RULE },
  ),
  distinctShare(
    {
      id: 'distinct_format_share',
      label: 'share of distinct formats',
      family: 'texts',
      isPrivate: false,
    },
    formats,
    inspectedTexts,
    OF_FORM,
  ),
  distribution(
    { id: 'format_distribution', label: 'mix of formats', family: 'texts', isPrivate: false },
    { buckets: formatBuckets, cells: inspectedTexts, distinct: formats },
    independence,
    OF_FORM,
  ),
  distribution(
    { id: 'character_distribution', label: 'mix of kinds of characters', family: 'texts', isPrivate: false },
    { buckets: transitionBuckets, cells: inspectedTexts },
    independence,
    OF_FORM,
  ),
];

/** The characters of one text resemble each other, so the size of the sample is the number of texts. */
const shareOfCharacters = (id: string, label: string, place: number): Statistic =>
  share(
    { id, label: `share of ${label} among the characters`, family: 'texts', isPrivate: false },
    (read, rows) => (read(place) / Math.max(1, read(characters))) * independentTexts(read, rows),
    independentTexts,
    OF_FORM,
  );

export const CHARACTERS: readonly Statistic[] = [
  shareOfTexts(
    'with_digit_share',
    'share of texts with a digit',
    withDigit,
    likeness(Like.WITH_DIGIT),
    DECIDED_BY_RULE,
  ),
  shareOfTexts(
    'with_upper_share',
    'share of texts with an upper-case letter',
    withUpper,
    likeness(Like.WITH_UPPER),
    DECIDED_BY_RULE,
  ),
  shareOfTexts(
    'capitals_share',
    'share of texts in capital letters',
    capitals,
    likeness(Like.CAPITALS),
    DECIDED_BY_RULE,
  ),
  shareOfDraws(
    {
      id: 'missing_text_share',
      label: 'share of texts that stand for a missing value',
      family: 'texts',
      isPrivate: false,
      rows: onRise({ query: 'like', like: Like.MISSING, has: true }),
    },
    at(missingTexts),
    at(VALUES.place.texts),
    { ...DECIDED_BY_RULE, onlyRise: true },
  ),
  shareOfTexts(
    'with_space_share',
    'share of texts with a space',
    withSpace,
    likeness(Like.WITH_SPACE),
    DECIDED_BY_RULE,
  ),
  shareOfDraws(
    {
      id: 'non_ascii_share',
      label: 'share of texts with a character beyond ASCII',
      family: 'texts',
      isPrivate: false,
      rows: likeness(Like.WITH_NON_ASCII),
      inProfile: 'Share of the texts with a character beyond ASCII',
    },
    at(withNonAscii),
    at(inspectedTexts),
    DECIDED_BY_RULE,
  ),
  shareOfDraws(
    {
      id: 'email_share',
      label: 'share of e-mail addresses',
      family: 'texts',
      isPrivate: false,
      rows: likeness(Like.EMAIL),
      inProfile: 'Share of the texts that look like e-mail addresses',
    },
    at(emails),
    at(inspectedTexts),
    DECIDED_BY_RULE,
  ),
  shareOfCharacters('digit_share', 'digits', digits),
  shareOfCharacters('upper_share', 'upper-case letters', uppers),
  shareOfCharacters('space_share', 'spaces', spaces),
];
